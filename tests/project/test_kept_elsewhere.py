"""Arrays that a hook keeps of the object that it is given, which another file gives away."""

from __future__ import annotations

from jaxlint.base.finding import Severity
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

TRAINER = """\
import jax


class Trainer:
    def __init__(self, model, hooks):
        self.params = model.init()
        self.rate = model.rate
        self.hooks = hooks
        self._step = jax.jit(self._update, donate_argnums=(0,))

    def _update(self, params, rate):
        return jax.tree.map(lambda p: p - rate * p, params)

    def fit(self, count):
        for _ in range(count):
            self.params = self._step(self.params, self.rate)
            for hook in self.hooks:
                hook.on_step(self)
"""
HOOK = """\
import jax
import jax.numpy as jnp


class Last:
    def __init__(self):
        self.params = None

    def on_step(self, trainer):
        if self.params is not None:
            print(jnp.abs(trainer.params - self.params).max())
        self.params = trainer.params
"""


def kept(hook: str) -> list[tuple[int, Severity]]:
    """The lines of the hook where something is kept that is given away."""
    files = {"pyproject.toml": "", "lib/__init__.py": "", "lib/train.py": TRAINER}
    session = Session(files=Memory(files | {"lib/hooks.py": hook}))
    session.ask(["lib/hooks.py", "lib/train.py"])
    found = session.check("lib/hooks.py").findings
    return [(one.span.line, one.severity) for one in found if one.code == "JAX611"]


def test_what_a_hook_keeps_is_given_away() -> None:
    assert kept(HOOK) == [(12, Severity.WARNING)]


def test_a_class_that_is_named_tells() -> None:
    named = HOOK.replace("trainer", "owner").replace("self, owner", "self, owner: Trainer")
    text = named.replace("import jax\n", "import jax\nfrom lib.train import Trainer\n", 1)
    assert kept(text) == [(13, Severity.WARNING)]


def test_a_copy_stays() -> None:
    assert kept(HOOK.replace("= trainer.params", "= jax.tree.map(jnp.copy, trainer.params)")) == []


def test_what_the_class_does_not_give_away_stays() -> None:
    assert kept(HOOK.replace("trainer.params", "trainer.rate")) == []


def test_another_object_keeps_its_own() -> None:
    assert kept(HOOK.replace("trainer", "model")) == []
