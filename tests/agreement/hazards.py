"""The hazards that `plant.py` inserts: templates, the values that they need, and the codes that
count as found.

Hazards of code that runs outside traces are not among them, such as a buffer that is used after
its donation, or a fresh function that is compiled in each call: a place where a name held a tracer
says nothing about them. A test of a type is a hazard of parameters alone: what is computed from
arrays is an array without a trace too.
"""

from __future__ import annotations

import re
import string
from collections.abc import Set
from dataclasses import dataclass

CONVERSION = ("ConcretizationTypeError", "TracerArrayConversionError")
_INDEX = ("NonConcreteBooleanIndexError", "TracerIntegerConversionError", "TypeError")
_WRONG_NAME = ("NameError", "AttributeError", "SyntaxError")

STATIC = ("JAX606", "JAX412")
"""What says of any conversion that the value should have been a Python value."""

MODULES = {
    "jax": "jax",
    "jnp": "jax.numpy",
    "np": "numpy",
    "math": "math",
    "time": "time",
    "random": "random",
    "logging": "logging",
    "os": "os",
}
"""The modules that a template may name with `$`, by that name."""

_KEY_NAME = re.compile(r"(^|_)(key|rng)|key$|rng$|prng", re.IGNORECASE)


@dataclass(frozen=True)
class Kind:
    """One kind of hazard.

    `lines` is a template: `$x` stands for the name that held a tracer, `$bin` for a list of the
    module, and the names in `MODULES` for these modules. `codes` are the rules that count as
    found. `dtypes` and `least` say which tracers fit: letters of dtypes in the form of the
    observer, and the least number of dimensions. `raises` are the errors of which JAX raises one,
    none for an effect that happens once per trace. `tried` is what runs instead where the label is
    checked, if the hazard itself would say nothing or harm the run. `needs_key` asks for a random
    key, `needs_name` is false where any traced statement fits.
    """

    name: str
    codes: tuple[str, ...]
    lines: tuple[str, ...]
    dtypes: str = "fiub"
    least: int = 0
    raises: tuple[str, ...] = CONVERSION
    tried: tuple[str, ...] = ()
    needs_key: bool = False
    needs_name: bool = True

    def fits(self, name: str, forms: Set[str]) -> bool:
        """Whether a name that held tracers of these forms will do. Where the forms were not
        observed, its name tells keys from other arrays."""
        is_named_key = _KEY_NAME.search(name.rpartition(".")[2]) is not None
        if self.needs_key:
            return bool(forms) and is_named_key and forms <= {"k0", "u1"} and len(forms) == 1
        if not forms:
            return not is_named_key and not self.least and self.dtypes == "fiub"
        if is_named_key and any(form.startswith("u") for form in forms):
            return False
        return all(self._takes(form) for form in forms)

    def _takes(self, form: str) -> bool:
        letter, rank = form[0], form[1:]
        return letter in self.dtypes and rank.isdigit() and int(rank) >= self.least

    def text(self, name: str, modules: dict[str, str], tried: bool = False) -> list[str]:
        """The lines for one name. `modules` gives what the file calls each module and the list."""
        chosen = self.tried if tried and self.tried else self.lines
        return [string.Template(line).substitute(modules, x=name) for line in chosen]

    @property
    def modules(self) -> set[str]:
        """The modules that the template names."""
        named = re.findall(r"\$\{?(\w+)", "\n".join((*self.lines, *self.tried)))
        return set(named) & {*MODULES, "bin"}

    def holds(self, error: tuple[str, ...]) -> bool:
        """Whether the hazard showed: `error` names the classes of what was raised, the most
        special first, nothing where nothing was raised."""
        if not self.raises:
            return not error
        return bool(set(error) & set(self.raises)) and not set(error) & set(_WRONG_NAME)


def _kind(name: str, codes: str, *lines: str, **more: object) -> Kind:
    return Kind(name, (*codes.split(), *STATIC), lines, **more)  # type: ignore[arg-type]


def _effect(name: str, codes: str, *lines: str, **more: object) -> Kind:
    return Kind(name, tuple(codes.split()), lines, raises=(), **more)  # type: ignore[arg-type]


_ITSELF = ("planted = $x",)

KINDS: tuple[Kind, ...] = (
    # Control flow and conversions.
    _kind("branch", "JAX301", "if $x.sum() > 0:", "    planted = 1"),
    _kind("branch-any", "JAX301", "if ($x > 0).any():", "    planted = 1"),
    _kind("conditional", "JAX301", "planted = 1 if $jnp.max($x) > 0 else 2"),
    _kind("while", "JAX302", "while $x.sum() > 0:", "    break"),
    _kind("assert", "JAX303", "assert $jnp.all($x >= 0)"),
    _kind("not", "JAX304", "planted = not ($x > 0).all()"),
    _kind("and", "JAX304", "planted = ($x.sum() > 0) and ($x.min() < 1)"),
    _kind("chained", "JAX305 JAX304", "planted = 0 < $x.sum() < 1"),
    _kind("filter", "JAX306", "planted = [one for one in $x.ravel() if one > 0]"),
    _kind("membership", "JAX307", "planted = $x.sum() in [0, 1]"),
    _kind("max", "JAX308", "planted = max($x.min(), $x.sum())"),
    _kind(
        "range", "JAX309", "for planted in range($x.sum().astype(int)):", "    pass", raises=_INDEX
    ),
    _kind("float", "JAX310 JAX312", "planted = float($x.sum())"),
    _kind("int", "JAX310 JAX312", "planted = int($x.max())"),
    _kind("item", "JAX311 JAX312", "planted = $x.sum().item()"),
    _kind("tolist", "JAX311 JAX312", "planted = $x.tolist()"),
    _kind("math", "JAX313", "planted = $math.sqrt($x.sum())"),
    _kind("numpy", "JAX314", "planted = $np.maximum($x, 0)"),
    _kind("asarray", "JAX314", "planted = $np.asarray($x)"),
    _kind("list-index", "JAX317", "planted = [1, 2, 3][$x.argmax()]", raises=_INDEX),
    _kind("dict-key", "JAX318", "planted = {$x: 0}", raises=("TypeError",)),
    _kind("format", "JAX319", 'planted = f"{$x.sum():.3f}"', raises=("TypeError",)),
    Kind(
        "swallowed",
        ("JAX321", "JAX310", "JAX312", *STATIC),
        ("try:", "    planted = float($x.sum())", "except TypeError:", "    planted = 0.0"),
        tried=("planted = float($x.sum())",),
    ),
    # Shapes.
    _kind("mask", "JAX401", "planted = $x[$x > 0]", least=1, raises=_INDEX),
    _kind("nonzero", "JAX403", "planted = $jnp.nonzero($x)", least=1),
    _kind("unique", "JAX404", "planted = $jnp.unique($x)"),
    _kind("repeat", "JAX406", "planted = $jnp.repeat($x, $x.sum().astype(int))"),
    _kind("shape", "JAX408", "planted = $jnp.zeros($x.sum().astype(int))", raises=_INDEX),
    _kind("arange", "JAX408", "planted = $jnp.arange($x.sum())"),
    _kind("reshape", "JAX409", "planted = $x.reshape(-1, $x.size + $x.argmax())", raises=_INDEX),
    _kind(
        "slice", "JAX410", "planted = $x[: $x.argmax()]", least=1, raises=("IndexError", *_INDEX)
    ),
    _kind("axis", "JAX411", "planted = $jnp.sum($x, axis=$x.argmax())", raises=_INDEX),
    # Arrays do not change.
    _kind("item-store", "JAX151", "$x[0] = 0", least=1, raises=("TypeError",)),
    # Control flow of `lax`.
    _kind(
        "carry-dtype",
        "JAX326",
        "def planted_body(planted_total, planted_step):",
        "    return planted_total + 0.5 * $x.sum(), None",
        "planted, _ = $jax.lax.scan(planted_body, $jnp.int32(0), None, length=2)",
        raises=("TypeError",),
    ),
    _kind(
        "carry-dtype-of-value",
        "JAX326",
        "def planted_body(planted_total, planted_step):",
        "    return planted_total + $x.sum(), None",
        "planted, _ = $jax.lax.scan(planted_body, $jnp.int32(0), None, length=2)",
        dtypes="f",
        raises=("TypeError",),
    ),
    _kind(
        "carry-shape",
        "JAX326",
        "planted = $jax.lax.fori_loop(0, 3, lambda i, c: $jnp.append(c, 1), $x)",
        least=1,
        raises=("TypeError",),
    ),
    _kind(
        "branches-differ",
        "JAX326",
        "planted = $jax.lax.cond($x.sum() > 0, lambda v: v, lambda v: (v, v), $x)",
        raises=("TypeError",),
    ),
    # Effects.
    _effect("print", "JAX101", "print($x)", tried=_ITSELF),
    _effect("logging", "JAX103", '$logging.info("%s", $x)', tried=_ITSELF),
    _effect("append", "JAX203 JAX106", "$bin.append($x)", tried=_ITSELF),
    _effect("global", "JAX201 JAX105", "global planted_last", "planted_last = $x", tried=_ITSELF),
    _effect("host-rng", "JAX111", "planted = $x * $np.random.rand()"),
    _effect("python-rng", "JAX111", "planted = $x + $random.random()"),
    _effect("clock", "JAX110", "planted = $x * $time.time()"),
    _effect("environment", "JAX112", 'planted = $os.environ.get("PLANTED")', needs_name=False),
    _effect(
        "key-reuse",
        "JAX801 JAX806",
        "planted = $jax.random.normal($x)",
        "planted_again = $jax.random.uniform($x)",
        needs_key=True,
    ),
)

BY_NAME = {kind.name: kind for kind in KINDS}


def codes(kinds: tuple[Kind, ...]) -> tuple[str, ...]:
    """All rules that count as found for some of these kinds."""
    return tuple(sorted({code for kind in kinds for code in kind.codes}))
