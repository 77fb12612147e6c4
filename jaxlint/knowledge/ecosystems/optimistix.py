"""What jaxlint knows of optimistix.

Source: the optimistix documentation, "Root finding", "Minimisation", "Least squares" and "Fixed
points": each traces `fn(y, args)`, with `y` as arrays.
"""

from __future__ import annotations

from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.models import Model

SOLVES = frozenset(
    {
        "optimistix.fixed_point",
        "optimistix.least_squares",
        "optimistix.minimise",
        "optimistix.root_find",
    }
)

# Those whose solvers take derivatives of the function, all but a few of them.
DIFFERENTIATES = SOLVES - {"optimistix.fixed_point"}

# The option of these, and of `diffeqsolve`, that has to be a Python integer, or None.
LIMIT = "max_steps"
LIMITED: frozenset[str] = SOLVES | {"diffrax.diffeqsolve"}

# Solvers, and the parts that they are made of: objects that run nothing when made.
_OBJECTS = (
    "BFGS", "BacktrackingArmijo", "BestSoFarFixedPoint", "BestSoFarLeastSquares",
    "BestSoFarMinimiser", "BestSoFarRootFinder", "Bisection", "Chord", "ClassicalTrustRegion",
    "DampedNewtonDescent", "Dogleg", "DoglegDescent", "FixedPointIteration", "GaussNewton",
    "GradientDescent", "ImplicitAdjoint", "IndirectDampedNewtonDescent",
    "IndirectLevenbergMarquardt", "LBFGS", "LearningRate", "LevenbergMarquardt",
    "LinearTrustRegion", "NelderMead", "Newton", "NewtonDescent", "NonlinearCG",
    "NonlinearCGDescent", "OptaxMinimiser", "RecursiveCheckpointAdjoint", "SteepestDescent",
)  # fmt: skip

model = Model(
    "optimistix",
    functions={f"optimistix.{name}": FunctionSpec("object") for name in _OBJECTS},
    is_summary=True,
)
