"""What real JAX must show for a hazard to be real: declarations only.

Pages are judged by them in `testing`, findings in `verify`."""

from __future__ import annotations

from jaxlint.base.dataclass import slotted


@slotted(frozen=True)
class Raises:
    """Running the example raises one of these classes, at the marked line unless `anywhere`."""

    errors: tuple[str, ...]
    anywhere: bool = False

    def __init__(self, *errors: str, anywhere: bool = False) -> None:
        object.__setattr__(self, "errors", errors)
        object.__setattr__(self, "anywhere", anywhere)


@slotted(frozen=True)
class Effects:
    """The flagged code runs when JAX traces, not when the compiled function is called.

    Seen from outside: output, value or error differ between a plain run and one under
    `jax.disable_jit()`.
    """


@slotted(frozen=True)
class Differs:
    """The program does something else under jit than without, and no single effect shows it: a
    question has another answer, or what is changed is a copy.

    Seen from outside as `Effects` are. No experiment on a trace alone can show it.
    """


@slotted(frozen=True)
class Freezes:
    """The flagged value becomes a constant of the traced program, whatever it is later.

    Seen from outside as `Effects` are. `is_meant_eagerly` tells whether the example computes
    without `jit` what its author meant, so that a fix may be compared with that.
    """

    is_meant_eagerly: bool = True


@slotted(frozen=True)
class Leaks:
    """A dead tracer is reachable after the run, or using it raised `UnexpectedTracerError`."""


@slotted(frozen=True)
class Recompiles:
    """Evaluating the example's last expression a second time compiles again."""


@slotted(frozen=True)
class Unrolls:
    """The traced program grows with the number of iterations of the flagged loop."""


@slotted(frozen=True)
class Donates:
    """The flagged value is used after its buffer was donated, and is deleted by then."""


@slotted(frozen=True)
class Fruitless:
    """The flagged statement raises one of these classes, there or when what it makes is used, or
    does nothing: without it the program runs alike."""

    errors: tuple[str, ...]

    def __init__(self, *errors: str) -> None:
        object.__setattr__(self, "errors", errors)


@slotted(frozen=True)
class ReusesKey:
    """JAX's own check for reused random keys objects."""


@slotted(frozen=True)
class Expects:
    """The example ends with what its author expects, an expression that is true of code without
    the hazard and false of code with it."""


@slotted(frozen=True)
class Warns:
    """JAX or Python warns with one of these classes while the example runs."""

    categories: tuple[str, ...]

    def __init__(self, *categories: str) -> None:
        object.__setattr__(self, "categories", categories)


Witness = (
    Raises
    | Effects
    | Differs
    | Freezes
    | Leaks
    | Recompiles
    | Unrolls
    | Donates
    | Fruitless
    | ReusesKey
    | Expects
    | Warns
)
