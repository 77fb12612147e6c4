"""chex: tests that run once for each variant that their decorator names.

`self.variant` is `jax.jit` in one of them, in test cases of chex and of absl, and leaves the
function as it is in another. Source: chex documentation, "Test variants"; the options that
`jax.jit` gets are those of its `_with_jit`.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.framework_values import Hooks
from jaxlint.engine.domain.values import Function, Instance, LibraryName, Partial, Static, Value
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.models import test_cases
from jaxlint.engine.summaries.effects import WHOLE_STACK
from jaxlint.knowledge.ecosystems.chex import (
    COMPILED_VARIANT,
    JIT_OPTIONS,
    PLAIN_VARIANTS,
    TEST_CASES,
    VARIANTS,
)
from jaxlint.syntax import ir

VARIANT = "chex.TestCase.variant"
"""What compiles in the tests that ask for it."""
PLAIN = "chex.TestCase.variant(plain)"
"""What leaves functions as they are."""

# Of the functions that a decorator of variants takes, whether one of them compiles; None where
# that is not known.
_asked: WeakKeyDictionary[Machine, dict[int, bool | None]] = WeakKeyDictionary()


def call(machine: Machine, frame: Frame, node: ir.Expr, dotted: str, args: Args) -> Value | None:
    """A decorator of variants, or `self.variant`, is called; both wait for their function."""
    if dotted not in VARIANTS and dotted not in (VARIANT, PLAIN):
        return None
    func = args.get(0, "test_method" if dotted in VARIANTS else "fn")
    if func is None:
        return Partial(LibraryName(dotted), (), dict(args.keywords), frame.loop)
    if dotted == PLAIN:
        return func
    if dotted == VARIANT:
        options = {name: one for name, one in args.keywords.items() if name in JIT_OPTIONS}
        places = {name: one for name, one in args.keyword_nodes.items() if name in options}
        given = Args([func], options, nodes=args.nodes[:1], keyword_nodes=places)
        return machine.call(frame, node, LibraryName("jax.jit"), given)
    if isinstance(func, Function):
        compiles = _has(COMPILED_VARIANT, dotted, args)
        _asked.setdefault(machine, {})[id(func.node)] = compiles
        if compiles and any(_has(one, dotted, args) for one in PLAIN_VARIANTS):
            test_cases.runs_uncompiled(machine, func)
    return func


def _has(variant: str, dotted: str, args: Args) -> bool | None:
    """Whether a variant is one of those that a decorator asks for."""
    chosen = args.keywords.get(variant)
    if chosen is None:
        return None if args.more is not None else VARIANTS[dotted]
    const = chosen.const if isinstance(chosen, Static) else None
    return const if isinstance(const, bool) else None


def attribute(
    machine: Machine, frame: Frame, node: ir.Expr, owner: Value, attr: str
) -> Value | None:
    """`self.variant` in the test that runs; None where none is known to."""
    if attr != "variant" or not isinstance(owner, Instance):
        return None
    if not TEST_CASES.intersection(owner.cls.externals()):
        return None
    machine.dynamic.effects.goes_by(WHOLE_STACK)
    asked = _asked.get(machine, {})
    for func in machine.dynamic.stack:
        if id(func) in asked:
            compiles = asked[id(func)]
            if compiles is None:
                return None
            return LibraryName(VARIANT if compiles and not machine.dynamic.uncompiled else PLAIN)
    return None


HOOKS = Hooks(library="absl", attribute=attribute)
