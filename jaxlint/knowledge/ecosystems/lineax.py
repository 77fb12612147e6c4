"""What jaxlint knows of lineax: `linear_solve` gives a solution whose `value` holds arrays.

Source: the lineax documentation, "linear_solve" and "Linear operators".
"""

from __future__ import annotations

from jaxlint.knowledge.functions import FunctionSpec
from jaxlint.knowledge.models import Model

SOLVE = "lineax.linear_solve"
JACOBIAN = "lineax.JacobianLinearOperator"
OPERATORS = frozenset({"lineax.FunctionLinearOperator", JACOBIAN})
"""Operators that trace the function that they are made of."""

# Solvers, and operators that hold what they are given: objects that run nothing when made.
_OBJECTS = (
    "AutoLinearSolver", "BiCGStab", "CG", "Cholesky", "Diagonal", "DiagonalLinearOperator",
    "GMRES", "IdentityLinearOperator", "LU", "MatrixLinearOperator", "QR", "SVD", "Triangular",
    "Tridiagonal", "TridiagonalLinearOperator",
)  # fmt: skip

model = Model(
    "lineax",
    functions={f"lineax.{name}": FunctionSpec("object") for name in _OBJECTS},
    is_summary=True,
)
