"""Annotations of libraries added to a source: parameters, results and fields, which are used."""

from __future__ import annotations

import random
import re

from vocabulary import FORMS, LENIENT, members, names, transforms

HEADER = (
    "import chex, diffrax, distrax, equinox, flax, flax.linen, flax.nnx, haiku, jaxtyping, lineax\n"
    "import numpyro, numpyro.distributions, optax, optimistix\nfrom typing import *\n"
)
# A function whose body begins on the next line, with the indentation of the body.
_FUNCTION = re.compile(
    r"(?m)^([ \t]*)((?:async )?def \w+)\(([^()]*)\)(?: *->[^:\n]*)?:[ \t]*\n((?:[ \t]*\n)*[ \t]+)"
)
_PARAMETER = re.compile(r"((?:^|,)\s*\*{0,2})([A-Za-z_]\w*)(\s*:[^,=\[\]]*)?(?=\s*(?:,|=|$))")
_CLASS = re.compile(r"(?m)^[ \t]*class \w+.*:[ \t]*\n([ \t]+)")


def annotated(rng: random.Random, text: str) -> str:
    """A source with annotations of libraries at random places; some functions are transformed."""

    def function(found: re.Match[str]) -> str:
        used: list[str] = []
        params = _PARAMETER.sub(lambda one: _parameter(rng, one, used), found[3])
        result = f" -> {_form(rng, _name(rng))}" if rng.random() < 0.5 else ""
        applied = rng.choice((*LENIENT, *transforms()))
        above = f"{found[1]}@{applied}\n" if rng.random() < 0.4 else ""
        inner = found[4].rpartition("\n")[2]
        body = f"{inner}{'; '.join(used)}\n{inner}" if used else found[4]
        return f"{above}{found[1]}{found[2]}({params}){result}:\n{body}"

    def fields(found: re.Match[str]) -> str:
        kinds = [_form(rng, _name(rng)) for _ in range(rng.randint(0, 3))]
        return found[0] + "".join(f"part{at}: {kind}\n{found[1]}" for at, kind in enumerate(kinds))

    return HEADER + _CLASS.sub(fields, _FUNCTION.sub(function, text))


def _parameter(rng: random.Random, found: re.Match[str], used: list[str]) -> str:
    name = found[2]
    if rng.random() < 0.4 or name in ("self", "cls"):
        return found[0]
    chosen = _name(rng)
    known = members(chosen.partition(".")[0])
    if known:
        used.append(f"{name}.{rng.choice(known)}({name}, {name}); {name}({name})")
    return f"{found[1]}{name}: {_form(rng, chosen)}"


def _name(rng: random.Random) -> str:
    return rng.choice(names()[rng.choice([one for one in names() if one != "builtins"])])


def _form(rng: random.Random, name: str) -> str:
    return name if rng.random() < 0.6 else rng.choice(FORMS).format(name)
