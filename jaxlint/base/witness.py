"""What real JAX must show for a hazard to be real: declarations only, judged in `testing`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Raises:
    """Running the example raises one of these classes, at the marked line unless `anywhere`."""

    errors: tuple[str, ...]
    anywhere: bool = False

    def __init__(self, *errors: str, anywhere: bool = False) -> None:
        object.__setattr__(self, "errors", errors)
        object.__setattr__(self, "anywhere", anywhere)


@dataclass(frozen=True, slots=True)
class Differs:
    """Output, value or error differ between a plain run and one under `jax.disable_jit()`.

    This is the witness of whatever happens once per trace instead of once per call: effects
    and frozen values.
    """


@dataclass(frozen=True, slots=True)
class Leaks:
    """A dead tracer is reachable after the run, or using it raised `UnexpectedTracerError`."""


@dataclass(frozen=True, slots=True)
class Recompiles:
    """Evaluating the example's last expression a second time compiles again."""


Witness = Raises | Differs | Leaks | Recompiles
