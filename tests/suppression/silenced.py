"""Programs with findings in odd places, for tests that change them."""

from __future__ import annotations

from hypothesis import strategies as st

HEAD = "import jax\n\n\n@jax.jit\ndef f(x):\n"
COMMENTS = [
    *["", "", "   ", "\t", "  # words", "#words", "  # type: ignore[x]"],
    *["  # noqa: E501", "  # noqa:E501,W605 why", "  # noqa: while-on-traced (why)"],
    *["  # jaxlint: ignore[while-on-traced] why", "  # jaxlint: ignore[JAX399,]  # pragma: no"],
    *["  # noqa: E501  # jaxlint: ignore[JAX399]", "  # jaxlint: ignore"],
]
# Each holds one place or more for a comment.
STATEMENTS = [
    "if x > 0:@\n        y = 1@\n",
    'y = """\n  # noqa\n""" + str(int(x))@\n',
    "y = [\n        int(x),@\n        float(x)]@\n",
    "y = int(x) + \\\n        int(x)@\n",
    "y = f'{int(x)}'@\n",
    'y = f"""\n  {int(x)}  # noqa\n"""@\n',
    "assert x > 0; y = int(x)@\n",
    "while x > 0: x = x - 1@\n",
    "g = lambda: int(x) + (@\n        int(x)@\n    ); g()@\n",
    "# jaxlint: ignore[branch-on-traced]\n    if (x@\n        > 0): y = 2@\n",
    "y = '\u00e4\u4e16' + str(int(x))@\n",
]
HARMLESS = ["z = 1\n", "\n", "# words\n", "print()\n", "w = '''\n\n'''\n", "del x.y\n"]


def statement(comments: list[str] = COMMENTS) -> st.SearchStrategy[str]:
    """One statement that something is found in, comments included."""

    def filled(text: str) -> st.SearchStrategy[str]:
        pieces = text.split("@")
        given = st.lists(st.sampled_from(comments), min_size=len(pieces), max_size=len(pieces))
        return given.map(
            lambda chosen: "".join(a + b for a, b in zip(pieces, [*chosen[1:], ""], strict=True))
        )

    return st.sampled_from(STATEMENTS).flatmap(filled)


def program(statements: list[str]) -> str:
    """A program of these statements, all of them traced."""
    return HEAD + "".join(f"    {one}" for one in statements) + "    return x\n"
