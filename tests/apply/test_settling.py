"""Which fixes are carried out, and which are taken back."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log2

from jaxlint.apply.rounds import MOST_TRIALS, settled
from jaxlint.apply.text import is_fixable, is_safe
from jaxlint.base.edit import Edit
from jaxlint.base.finding import Applicability, Finding, Fix, Severity
from jaxlint.base.text import Span
from jaxlint.testing.lint import lint
from jaxlint.testing.rulebook import builtin_rules

# One statement a line: `old` is found and becomes `new`, others are told in `becomes`.
Becomes = dict[str, str]


def words(
    becomes: Becomes, alarming: Callable[[str], int] = lambda text: 0
) -> Callable[[str], list[Finding]]:
    """What finds and replaces words, one a line, and finds as many others as `alarming` says."""

    def check(text: str) -> list[Finding]:
        found = [
            finding(
                f"OLD{word}", line, Fix("Replace it", Applicability.SAFE, (edit(line, word, new),))
            )
            for line, word in enumerate(text.splitlines(), 1)
            if (new := becomes.get(word)) is not None
        ]
        return found + [finding("NEW", 1, None)] * alarming(text)

    return check


def edit(line: int, word: str, new: str) -> Edit:
    return Edit(Span(line, 1, line, len(word) + 1), new)


def finding(code: str, line: int, fix: Fix | None) -> Finding:
    return Finding("f.py", Span(line, 1, line, 2), code, code, Severity.ERROR, "", fix=fix)


def test_fixes_that_lead_to_new_findings_are_taken_back_and_the_others_are_not() -> None:
    text = "".join(f"a{number}\n" for number in range(100))
    becomes = {f"a{number}": f"b{number}" for number in range(100)}
    checks = []

    def alarming(now: str) -> int:
        checks.append(now)
        return len(re.findall(r"\bb(?:17|60|61)\b", now))

    one = settled(text, words(becomes, alarming))
    left = [line for line in one.text.splitlines() if line.startswith("a")]
    assert ["a17", "a60", "a61"] == left
    assert 97 == len(one.findings)
    assert ["OLDa17", "OLDa60", "OLDa61"] == sorted(it.code for it in one.refused)
    assert [None] * 3 == [it.fix for it in one.left]
    assert len(checks) < 2 * 3 * log2(100) + 10


def test_trials_are_bounded() -> None:
    text = "".join(f"a{number}\n" for number in range(300))
    becomes = {f"a{number}": f"b{number}" for number in range(300)}
    checks = []

    def alarming(now: str) -> int:
        checks.append(now)
        return now.count("b")

    one = settled(text, words(becomes, alarming))
    assert text == one.text
    assert 300 == len(one.refused)
    assert len(checks) < MOST_TRIALS + 10


def test_two_fixes_that_only_together_lead_to_a_new_finding() -> None:
    check = words({"a": "b", "c": "d"}, lambda text: int("b" in text and "d" in text))
    one = settled("a\nc\n", check)
    assert ("b\nc\n", ["OLDc"]) == (one.text, [it.code for it in one.refused])


def test_what_a_fix_uncovers_is_fixed_too() -> None:
    check = words({"a": "b", "b": "c"})
    assert "c\n" == settled("a\n", check).text
    # Even where there are new findings in between.
    check = words({"a": "b", "b": "c"}, lambda text: int(text == "b\n"))
    assert "c\n" == settled("a\n", check).text


def test_a_fix_is_taken_back_with_those_that_it_led_to() -> None:
    check = words({"a": "b", "b": "c", "x": "y"}, lambda text: int(text.startswith("c")))
    one = settled("a\nx\n", check)
    assert "a\ny\n" == one.text
    assert {"OLDa", "OLDb"} >= {it.code for it in one.refused} > set()


def test_a_fix_never_adds_to_what_there_was() -> None:
    # One of three such findings is gone, and another one is there instead.
    check = words({"a": "b"}, lambda text: 3)
    assert "b\n" == settled("a\n", check).text


KEYS = """\
import jax


def shuffled(xs, rng):
    out = []
    for x in xs:
        perm = jax.random.permutation(rng, 3)
        step = jax.jit(lambda v: v + jax.random.normal(jax.random.fold_in(rng, 1), v.shape))
        out.append(step(x[perm]))
    return out


shuffled(jax.numpy.ones((4, 3)), jax.random.key(0))
"""


def test_no_fix_makes_a_jitted_function_capture_what_changes() -> None:
    rules = list(builtin_rules().values())
    one = settled(KEYS, lambda text: lint(text, "keys.py", rules), is_fixable)
    assert "JAX209" not in {it.code for it in lint(one.text, "keys.py", rules)}
    assert KEYS == settled(KEYS, lambda text: lint(text, "keys.py", rules), is_safe).text
