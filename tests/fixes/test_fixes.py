"""What fixes make of the hard cases in `cases`, to the letter.

A block `py` is a file before. What follows is `py fixed` (after the safe fixes) or
`py fixed unsafe` (after all fixes, not all of which are safe); a block `py unfixable`, or an
empty one behind a file, says that there are none. Under a heading that begins with a code the
fixes of that rule are meant, elsewhere those of all. `\\t` stands for a tab, and `\\r` at the end
of a line for a carriage return.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jaxlint.apply.rounds import settled
from jaxlint.apply.text import fixed_text, is_fixable, is_safe
from jaxlint.base.finding import Finding
from jaxlint.testing.lint import lint
from jaxlint.testing.markdown import read_blocks
from jaxlint.testing.rulebook import builtin_rules

CASES = sorted((Path(__file__).parent / "cases").glob("*.md"))
RULES = list(builtin_rules().values())


def cases(path: Path) -> Iterator[Any]:
    before = ""
    for block in read_blocks(path.read_text("utf-8").splitlines(), 1, str(path)):
        found = re.match(r"JAX\d+", block.heading)
        code = found[0] if found else ""
        name = f"{path.stem}:{block.line}"
        text = block.code.strip()
        text = f"{text}\n".replace("\\r\n", "\r\n").replace("\\t", "\t") if text else before
        if "unfixable" in block.words:
            yield pytest.param(code, text, text, True, id=name)
        elif "fixed" in block.words:
            yield pytest.param(code, before, text, "unsafe" not in block.words, id=name)
        before = text


@pytest.mark.parametrize(
    ("code", "before", "after", "is_all_safe"), [it for path in CASES for it in cases(path)]
)
def test_fixes_write_what_is_expected(
    code: str, before: str, after: str, is_all_safe: bool
) -> None:
    rules = [rule for rule in RULES if rule.default or rule.code == code]

    def check(text: str) -> list[Finding]:
        return lint(text, "case.py", rules)

    def wanted(finding: Finding) -> bool:
        return is_fixable(finding) and code in ("", finding.code)

    found = check(before)
    assert any(code in ("", finding.code) for finding in found), "there is nothing to fix"
    every = settled(before, check, wanted)
    assert every.text == after
    assert () == every.refused
    safe = settled(before, check, lambda finding: wanted(finding) and is_safe(finding))
    assert (safe.text == after) is is_all_safe
    left = check(every.text)
    assert not any(map(wanted, left))
    names = Counter(finding.name for finding in left)
    assert names <= Counter(finding.name for finding in found), "something new is found"


def test_lines_end_as_they_did() -> None:
    text = "import jax\r\nimport math\r\n\r\nf = jax.jit(lambda x: math.sin(x) + x.item())\r\n"
    after = settled(text, lambda one: lint(one, "file.py", RULES), is_fixable).text
    fixed = text.replace("math.sin", "jax.numpy.sin").replace(".item()", "")
    assert fixed.replace("import math\r\n", "") == after


def test_new_lines_end_as_the_others_do() -> None:
    text = "from jax import jit\r\nimport math\r\nf = jit(lambda x: math.sin(x))\r\n"
    after = fixed_text(text, lint(text, "file.py", RULES)).text
    assert "import math\r\nimport jax.numpy as jnp\r\nf = " in after
    assert "\n" not in after.replace("\r\n", "")
