"""What jaxlint knows of diffrax.

Source: the diffrax documentation, "Basic API", "Terms" and "Saving": `diffeqsolve` evaluates
`vector_field(t, y, args)` while it is traced, with `t` and `y` as arrays.
"""

from __future__ import annotations

from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.models import Model

TERMS = frozenset({"diffrax.ODETerm", "diffrax.ControlTerm", "diffrax.WeaklyDiagonalControlTerm"})
"""Terms whose first argument is a vector field."""

INTERPOLATIONS = frozenset(
    {"diffrax.LinearInterpolation", "diffrax.CubicInterpolation", "diffrax.VirtualBrownianTree",
     "diffrax.UnsafeBrownianPath"}
)  # fmt: skip
"""Paths: `evaluate` and `derivative` give arrays."""

ABSTRACT = (
    "AbstractAdaptiveSolver", "AbstractAdaptiveStepSizeController", "AbstractAdjoint",
    "AbstractBrownianPath", "AbstractERK", "AbstractGlobalInterpolation",
    "AbstractImplicitSolver", "AbstractItoSolver", "AbstractLocalInterpolation", "AbstractPath",
    "AbstractRungeKutta", "AbstractSolver", "AbstractStepSizeController",
    "AbstractStratonovichSolver", "AbstractTerm", "AbstractWrappedSolver",
)  # fmt: skip
_BASES = frozenset(f"diffrax.{name}" for name in ABSTRACT)

# Solvers, step size controllers, adjoints and progress meters: objects that run nothing when made.
_OBJECTS = (
    "BacksolveAdjoint", "Bosh3", "ClipStepSizeController", "ConstantStepSize", "DirectAdjoint",
    "Dopri5", "Dopri8", "Euler", "EulerHeun", "ForwardMode", "GeneralShARK", "HalfSolver", "Heun",
    "ImplicitAdjoint", "ImplicitEuler", "ItoMilstein", "KenCarp3", "KenCarp4", "KenCarp5",
    "Kvaerno3", "Kvaerno4", "Kvaerno5", "LeapfrogMidpoint", "Midpoint", "NoProgressMeter",
    "PIDController", "Ralston", "RecursiveCheckpointAdjoint", "ReversibleHeun", "SEA", "SPaRK",
    "SRA1", "SemiImplicitEuler", "ShARK", "ShOULD", "Sil3", "SlowRK", "StepTo",
    "StratonovichMilstein", "TextProgressMeter", "TqdmProgressMeter", "Tsit5",
)  # fmt: skip

model = Model(
    "diffrax",
    functions={
        **{f"diffrax.{name}": FunctionSpec("object") for name in _OBJECTS},
        "diffrax.backward_hermite_coefficients": FunctionSpec("tuple"),
        "diffrax.linear_interpolation": FunctionSpec("array"),
    },
    pytree_bases=_BASES,
    plain_bases=_BASES,
    is_summary=True,
)
