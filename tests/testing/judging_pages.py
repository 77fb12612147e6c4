"""Pages, and what the JAX half says of them."""

from __future__ import annotations

from textwrap import dedent

from jaxlint.base.witness import (
    Raises,
    Witness,
)
from jaxlint.testing.pages import Page, parse_page

BRANCH = Raises("TracerBoolConversionError")


SELECT = """\
    ```py
    @jax.jit
    def relu(x):
        if x > 0:{marker}
            return x
        return 0.0 * x

    relu(jnp.float32({argument}))
    ```
    """


SELECTED = SELECT.format(marker="  # error", argument="2.0")


LEAK = """\
    ```py
    kept = {place}

    @jax.jit
    def double(x):
        y = 2 * x
        {store}  # error
        return y

    double(1.0)
    ```
    """


AGAIN = """\
    ```py
    def run(x):
        return jax.jit({function})(x){marker}

    run(1.0)
    ```
    """


def page_of(text: str) -> Page:
    return parse_page(dedent(text).splitlines(), 1, "own-rule", "page.md")


def judged(text: str, witness: Witness, **others: Witness) -> list[str]:
    """What the JAX half says of a page, all its examples together."""
    # The jax door: nothing here is imported unless tests of JAX are run.
    from jaxlint.testing.oracle import judge

    page = page_of(text)
    witnesses = {"own-rule": witness, **{n.replace("_", "-"): w for n, w in others.items()}}
    return [
        wrong
        for example in page.examples
        for wrong in judge(
            example, witnesses, page.hazard_above(example) if example.is_fixed else None
        ).wrong
    ]
