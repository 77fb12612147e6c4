"""Functions that a module registers with another one, whose reader imports the registry alone."""

from __future__ import annotations

import pytest
from test_presumed_objects import PARTS, RUN, findings

from jaxlint.base.finding import Severity

REGISTRY = """\
class Registry:
    def __init__(self, kind):
        self.kind = kind
        self._entries = {}

    def register(self, name):
        def decorate(function):
            self._entries[name] = function
            return function

        return decorate

    def __getitem__(self, name):
        if name not in self._entries:
            raise ValueError(f"unknown {self.kind}")
        return self._entries[name]


LOSSES = Registry("loss")
METRICS = Registry("metric")
"""
FUNCTIONS = """\
import jax.numpy as jnp

from lib.registry import LOSSES, METRICS


@LOSSES.register("mean")
def mean(error):
    return jnp.mean(error)


@LOSSES.register("scaled")
def scaled(error):
    scale = jnp.mean(error)
    return error / scale if scale > 0 else error


@METRICS.register("worst")
def worst(error):
    return max(error.max(), 1.0)
"""
COMPILED = """\
from functools import partial

import jax

from lib.registry import LOSSES


@partial(jax.jit, static_argnames="name")
def evaluate(error, name):
    return LOSSES[name](error)
"""
CAPTURED = """\
import jax

from lib.registry import LOSSES


def compiled(config):
    loss = LOSSES[config.loss]

    @jax.jit
    def step(error):
        return loss(error)

    return step
"""
DICT = """\
LOSSES = {}


def register_loss(function):
    LOSSES[function.__name__] = function
    return function


def loss_of(name):
    return LOSSES[name]
"""
IN_DICT = """\
import jax.numpy as jnp

from lib.registry import register_loss


@register_loss
def mean(error):
    return jnp.mean(error)


@register_loss
def scaled(error):
    scale = jnp.mean(error)
    return error / scale if scale > 0 else error
"""
BY_FUNCTION = """\
from functools import partial

import jax

from lib.registry import loss_of


@partial(jax.jit, static_argnames="name")
def evaluate(error, name):
    return loss_of(name)(error)
"""
PAIRS = """\
LOSSES = {}


def register_loss(function, has_aux=False):
    LOSSES[function.__name__] = (function, has_aux)
    return function


def loss_of(name):
    function, has_aux = LOSSES[name]
    return function if not has_aux else lambda error: function(error)[0]
"""
SHORT = """\
LOSSES: dict[str, object] = {}


def loss(name=None):
    def keep(function):
        LOSSES[name or function.__name__] = function
        return function

    return keep


def loss_of(name):
    return LOSSES[name]
"""
BY_SHORT = """\
import jax.numpy as jnp

from lib.registry import loss


@loss()
def mean(error):
    return jnp.mean(error)


@loss("scaled")
def scaled(error):
    scale = jnp.mean(error)
    return error / scale if scale > 0 else error
"""
HOOK = """\
LOSSES = {}


class Loss:
    name = ""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if cls.name:
            LOSSES[cls.name] = cls

    def __call__(self, error):
        raise NotImplementedError


def loss_of(name):
    return LOSSES[name]()
"""
HEIRS = """\
import jax.numpy as jnp

from lib.registry import Loss


class Mean(Loss):
    name = "mean"

    def __call__(self, error):
        return jnp.mean(error)
class Scaled(Loss):
    name = "scaled"
    def __call__(self, error):
        return error if error.min() > 0 else -error
"""
BY_INDEX = PAIRS.replace("function, has_aux = LOSSES[name]", "entry = LOSSES[name]").replace(
    "function if not has_aux else lambda error: function(error)[0]", "entry[0]"
)
CASES = {
    "decorators": (REGISTRY, FUNCTIONS, COMPILED, 14),
    "what host code looks up": (REGISTRY, FUNCTIONS, CAPTURED, 14),
    "a dict": (DICT, IN_DICT, BY_FUNCTION, 14),
    "a dict of tuples": (PAIRS, IN_DICT, BY_FUNCTION, 14),
    "a dict of tuples, by index": (BY_INDEX, IN_DICT, BY_FUNCTION, 14),
    "a decorator of another name": (SHORT, BY_SHORT, BY_FUNCTION, 14),
    "classes that derive from one with a hook": (HOOK, HEIRS, BY_FUNCTION, 14),
}


@pytest.mark.parametrize("name", CASES)
def test_all_that_is_registered_may_be_meant(name: str) -> None:
    registry, parts, run, line = CASES[name]
    warned = [(PARTS, line, Severity.WARNING)]
    assert warned == findings(parts, run, RUN, PARTS, registry=registry)


@pytest.mark.parametrize("name", CASES)
def test_a_file_alone_hears_of_who_reads_the_registry(name: str) -> None:
    registry, parts, run, line = CASES[name]
    assert [(PARTS, line, Severity.WARNING)] == findings(parts, run, PARTS, registry=registry)


def test_a_name_that_is_known_leaves_no_doubt() -> None:
    run = COMPILED.replace("LOSSES[name]", "LOSSES['scaled']")
    assert [(PARTS, 14, Severity.ERROR)] == findings(FUNCTIONS, run, RUN, PARTS, registry=REGISTRY)


CHOSEN = {
    "a function": """\
import jax

from lib.registry import loss_of


class Trainer:
    def __init__(self, name):
        self.loss = loss_of(name)
        self.step = jax.jit(self._step)

    def _step(self, error):
        return self.loss(error)


def main(errors):
    return Trainer("mean").step(errors)
""",
    "a default": """\
import jax

from lib.registry import loss_of


def compiled(name="mean"):
    loss = loss_of(name)

    @jax.jit
    def step(error):
        return loss(error)

    return step


step = compiled()
""",
}


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("kind", ["a dict", "classes that derive from one with a hook"])
def test_what_another_name_would_choose_is_followed_with_a_warning(name: str, kind: str) -> None:
    registry, parts, _, line = CASES[kind]
    warned = [(PARTS, line, Severity.WARNING)]
    assert warned == findings(parts, CHOSEN[name], RUN, PARTS, registry=registry)


def test_what_takes_other_arguments_is_not_meant() -> None:
    parts = IN_DICT.replace("def scaled(error)", "def scaled(error, scale)")
    assert [] == findings(parts, CHOSEN["a function"], RUN, PARTS, registry=DICT)


def test_what_only_another_registry_has_is_not_meant() -> None:
    run = COMPILED.replace("LOSSES", "METRICS").replace("METRICS[name]", "METRICS['scaled']")
    assert [] == findings(FUNCTIONS, run, RUN, PARTS, registry=REGISTRY)
