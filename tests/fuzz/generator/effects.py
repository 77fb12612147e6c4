"""Statements that do something to the world outside the function."""

from __future__ import annotations

from generator.kinds import MODES
from generator.scope import Scope
from generator.writer import Writer

_FORMS = (
    "print('loss', $f)",
    "print(f'{$name}')",
    "print($v.shape)",
    "logger.info('value %s', $f)",
    "logger.debug(f'step {$name}')",
    "HISTORY.append($f)",
    "HISTORY.append(f'{$name:.2f}')",
    "CACHE['last'] = $f",
    "CACHE.setdefault('first', $n)",
    "jax.debug.print('value {}', $F)",
    "SEEN.add($s)",
    "jax.block_until_ready($V)",
)

_VALUES = (
    ("time.time()", "p"),
    ("time.perf_counter()", "p"),
    ("random.random()", "p"),
    ("np.random.normal()", "f"),
    ("np.random.rand(3)", "v"),
    ("random.choice([0.5, 1.5])", "p"),
    ("len(HISTORY)", "i"),
)


def effect(w: Writer, scope: Scope, depth: int) -> None:
    """One effect, or a value from outside."""
    if w.chance(0.35):
        text, kind = w.choice(_VALUES)
        name = w.fresh(scope, kind, {"p": "now started noise", "i": "seen_count"}.get(kind, ""))
        w.emit(f"{name} = {text}")
        w.bind(scope, name, kind)
        return
    w.emit(w.form(w.choice(_FORMS), scope, 1))


def guard(w: Writer, scope: Scope, depth: int) -> None:
    """A check that raises for arguments that nobody passes."""
    test = w.choice(["$v.ndim > 2", "$v.shape[0] != 3", "$s not in MODES", "len($L) > 9"])
    w.emit(f"if {w.form(test, scope, 1)}:")
    w.emit(f"    raise ValueError({w.choice(['bad input', *MODES])!r})")


STATEMENTS = ((4, effect), (1, guard))
