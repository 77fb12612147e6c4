"""Functions of SciPy that call a function of Python and compute with the numbers that it returns.

Source: SciPy documentation, `scipy.optimize` and `scipy.integrate`. What they are given as
data, and what the function returns, they convert to arrays of NumPy.
"""

from __future__ import annotations

from jaxlint.base.dataclass import slotted


@slotted(frozen=True)
class Solver:
    """The parameter that takes the `function`, how many arguments that is called with besides the
    solver's `args`, and the parameters that take numbers, each with its position."""

    function: tuple[str, int]
    calls_with: int
    data: tuple[tuple[str, int], ...]


_MINIMISED = Solver(("fun", 0), 1, (("x0", 1),))
_OLD_MINIMISED = Solver(("func", 0), 1, (("x0", 1),))
_BRACKETED = Solver(("f", 0), 1, (("a", 1), ("b", 2)))
_BOUNDED = Solver(("func", 0), 1, (("bounds", 1),))

SOLVERS: dict[str, Solver] = {
    "scipy.optimize.minimize": _MINIMISED,
    "scipy.optimize.minimize_scalar": Solver(("fun", 0), 1, (("bracket", 1),)),
    "scipy.optimize.root": _MINIMISED,
    "scipy.optimize.root_scalar": Solver(("f", 0), 1, ()),
    "scipy.optimize.least_squares": _MINIMISED,
    "scipy.optimize.basinhopping": _OLD_MINIMISED,
    "scipy.optimize.fmin": _OLD_MINIMISED,
    "scipy.optimize.fmin_bfgs": Solver(("f", 0), 1, (("x0", 1),)),
    "scipy.optimize.fmin_l_bfgs_b": _OLD_MINIMISED,
    "scipy.optimize.fsolve": _OLD_MINIMISED,
    "scipy.optimize.leastsq": _OLD_MINIMISED,
    "scipy.optimize.fixed_point": _OLD_MINIMISED,
    "scipy.optimize.bisect": _BRACKETED,
    "scipy.optimize.brenth": _BRACKETED,
    "scipy.optimize.brentq": _BRACKETED,
    "scipy.optimize.ridder": _BRACKETED,
    "scipy.optimize.curve_fit": Solver(("f", 0), 2, (("xdata", 1), ("ydata", 2))),
    "scipy.optimize.differential_evolution": _BOUNDED,
    "scipy.optimize.dual_annealing": _BOUNDED,
    "scipy.optimize.shgo": _BOUNDED,
    "scipy.integrate.quad": Solver(("func", 0), 1, (("a", 1), ("b", 2))),
    "scipy.integrate.odeint": Solver(("func", 0), 2, (("y0", 1), ("t", 2))),
    "scipy.integrate.solve_ivp": Solver(("fun", 0), 2, (("t_span", 1), ("y0", 2))),
}
