"""Whole modules: imports, constants, definitions, entry points, and calls of them."""

from __future__ import annotations

import itertools
import random
import re

from generator import (
    classes,
    effects,
    entries,
    factories,
    flow,
    functions,
    idioms,
    records,
    transforms,
)
from generator.scope import Scope
from generator.writer import Writer

_IMPORTS = """\
import collections
import contextlib
import dataclasses
import functools
import itertools
import logging
import math
import operator
import random
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
"""

_CONSTANTS = """\
logger = logging.getLogger(__name__)
SCALE = 1.5
TABLE = np.array([0.5, -1.0, 2.0])
OFFSETS = [0.25, 0.75, 1.5]
MODES = ("mean", "sum", "max")
HISTORY = []
CACHE = {}
SEEN = set()
CALLS = 0
"""

_GLOBALS = (("SCALE", "p"), ("TABLE", "v"), ("OFFSETS", "l"))
_TAKEN = (
    "SCALE TABLE OFFSETS MODES HISTORY CACHE SEEN CALLS logger value row leaf first second others"
)

STATEMENTS = (
    *flow.STATEMENTS,
    *idioms.STATEMENTS,
    *records.STATEMENTS,
    *functions.STATEMENTS,
    *transforms.STATEMENTS,
    *effects.STATEMENTS,
)


def module(rng: random.Random) -> str:
    """The source of a module."""
    w = Writer(rng, STATEMENTS)
    scope = Scope(list(_GLOBALS), [], set(_TAKEN.split()))
    if w.chance(0.5):
        classes.structure(w, scope)
    if w.chance(0.35):
        classes.config(w, scope)
    for _ in range(rng.randint(1, 2)):
        functions.helper(w, scope)
    for _ in range(w.choice([0, 0, 0, 1, 1, 2])):
        w.choice(factories.MAKERS)(w, scope)
    methods = classes.model(w, scope) if w.chance(0.3) else []
    calls: list[str] = []
    for _ in range(w.choice([1, 1, 2])):
        calls += entries.entry(w, scope)
    for how, method in methods:
        static = [] if how == "jit" else entries.static_names(w, method.parameters)
        text = f"jax.jit({method.text}{entries.options(w, method, static)})"
        text = method.text if how == "jit" else text
        calls += entries.calls(w, text, method.parameters, static)
    w.emit("", "", *calls)
    return _complete("\n".join(w.lines) + "\n")


def _complete(text: str) -> str:
    """A module with the imports and the constants that it uses."""
    used = set(re.findall(r"\w+", text))
    constants = [each for each in _CONSTANTS.splitlines() if each.split()[0] in used]
    used.update(re.findall(r"\w+", "\n".join(constants)))
    imports = [each for each in _IMPORTS.splitlines() if not each or each.split()[-1] in used]
    return "\n".join(itertools.chain(imports, [""] if constants else (), constants, [text]))
