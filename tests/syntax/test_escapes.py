"""What only IPython reads is found and masked, and nothing else; the masks come off again."""

from __future__ import annotations

import pytest

from jaxlint.syntax.formats.escapes import Masked, chosen_words, is_python, masked, unmasked

HIDDEN, VALUE = "pass  # %%%", "get_ipython()  # %%%"


def mask(cell: str) -> Masked:
    return masked(cell, chosen_words(cell + "%matplotlib # %%"))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%matplotlib inline", HIDDEN),
        ("!pip install jax  # now", HIDDEN),
        ("jax.jit?", HIDDEN),
        ("jax.*load*?", HIDDEN),
        ("xs[0].T??  # all", HIDDEN),
        ("?jax.jit", HIDDEN),
        ("??x", HIDDEN),
        ("%pinfo x", HIDDEN),
        ("/f x", HIDDEN),
        (",f a b", HIDDEN),
        (";f a b", HIDDEN),
        ("pip install -U jax", HIDDEN),
        ("timeit -n 5 f(x)", HIDDEN),
        ("cd ..", HIDDEN),
        ("if x:\n    !ls\ny = 1", f"if x:\n    {HIDDEN}\ny = 1"),
        ("x = !ls", f"x = {VALUE}"),
        ("x = y = %who_ls", f"x = y = {VALUE}"),
        ("a, b = !ls", f"a, b = {VALUE}"),
        ("d['k'] =!ls", f"d['k'] ={VALUE}"),
        ("x.y = %timeit -o f(x)", f"x.y = {VALUE}"),
        ("!echo a \\\n   b \\\n   c\nx = 1", f"{HIDDEN}\n\n\nx = 1"),
        ("!echo a \\\r\n   b\r\nx = 1", f"{HIDDEN}\r\n\r\nx = 1"),
        ("%time y = f(x)", "_00 = y = f(x)"),
        ("    %time f(x)", "    _00 = f(x)"),
        ("%timeit -n 10 -r3 f(x)  # noqa", "_00 =             f(x)  # noqa"),
        ("%time import jax", HIDDEN),
        ("%time", HIDDEN),
        ("%%time\nf(x)", f"{HIDDEN}\nf(x)"),
        ("%%timeit x = 1\nf(x)", f"{HIDDEN}\nf(x)"),
        ("x = 1 if y else '?'", None),
        ("x = (a\n     % b)", None),
        ("x = [\n!a\n]", None),
        ("x = '''\n!ls\n%time f(x)\nx?\n'''", None),
        ("x = f'''{a}\n!ls'''  # '''\ny = 1", None),
        ('x = "\\"" + "#"\nx %= 2', None),
        ("x = 'a' \\\n  % b", None),
        ("# what is this?\nx = 1", None),
        ("'%d = %s' % (a, b)", None),
        ("print('a = %s' % a)", None),
        ("time = 1\nls = 2\nls -x\nrun(a)\ntime (\n)", None),
        ("x = 1 #!ls", None),
        ("", None),
    ],
)
def test_a_cell_is_masked(cell: str, expected: str | None) -> None:
    found = mask(cell)
    assert (cell if expected is None else expected) == found.text
    assert cell == unmasked(found.text, found)


def test_lines_and_columns_hold() -> None:
    cell = "%%time\nif x:\n    %timeit -n 10 g(f(x))\n    !ls \\\n      -l\n    y = f(x)"
    found = mask(cell).text
    assert len(cell.split("\n")) == len(found.split("\n"))
    for before, after in zip(cell.split("\n"), found.split("\n"), strict=True):
        assert "f(x)" not in before or before.index("f(x)") == after.index("f(x)")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x = 1", True),
        ("%%time\nx", True),
        ("\n# first\n%%capture out\nx", True),
        ("%%bash\nls", False),
        ("  \n%%html\n<b>", False),
        ("%%writefile a.py\nx", False),
        ("%%\nx", False),
        ("%time x", True),
    ],
)
def test_magics_say_whether_a_cell_is_python(cell: str, expected: bool) -> None:
    assert expected is is_python(cell)


def test_words_are_in_no_cell() -> None:
    words = chosen_words("# %% here\n# %%% there\n_00 = _01 = 1")
    assert ("# %%%%", "_02", "_03") == (words.mark, words.name, words.gap)


@pytest.mark.parametrize("edited", ["x = 1\n", "pass  # %%%\npass  # %%%\nx = 1\n"])
def test_a_mask_that_an_edit_took_or_copied_is_an_error(edited: str) -> None:
    with pytest.raises(ValueError, match=r"was (changed|copied)"):
        unmasked(edited, mask("!ls\nx = 1\n"))


def test_edits_beside_masks_are_kept() -> None:
    found = mask("!ls\n%time y = f(x)\nz = !cat\n")
    edited = "import a\n" + found.text.replace("f(x)", "f(x, 2)").replace("z =", "zz =")
    assert "import a\n!ls\n%time y = f(x, 2)\nzz = !cat\n" == unmasked(edited, found)
