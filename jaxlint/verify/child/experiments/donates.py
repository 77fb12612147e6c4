"""Whether the flagged value is used after its buffer was donated. Runs the compiled program."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.verify.child.experiments.evidence.subject import Subject, first_line, place_of
from jaxlint.verify.child.experiments.evidence.watch import Watch
from jaxlint.verify.protocol import Target

_SPENT = re.compile("deleted|donated")


class _Deleted(Watch):
    """Notes the targets whose value holds an array without a buffer, in code that is not staged."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.deleted: set[int] = set()
        self.alive: set[int] = set()

    def value(self, target: int, value: Any) -> Any:
        arrays = [leaf for leaf in jax.tree_util.tree_leaves(value) if is_array(leaf)]
        if any(array.is_deleted() for array in arrays):
            self.deleted.add(target)
        elif arrays:
            self.alive.add(target)
        return super().value(target, value)


def native(subject: Subject) -> None:
    """Runs the function with arrays of zeros."""
    targets = subject.of("donates")
    if not targets or not subject.config.execute:
        return
    watch = _Deleted(subject.files)
    args, kwargs = jax.tree_util.tree_map(_zeros, (subject.call.args, subject.call.kwargs))
    trace = subject.run(lambda: subject.call.fn(*args, **kwargs), watch)
    error = trace.error
    spent = error is not None and _SPENT.search(str(error)) is not None
    failing: list[Target] = subject.matcher.match(trace.places[-1]) if trace.places else []
    for target in targets:
        evidence: dict[str, Any] = {"deleted": subject.syntax(target).text(target)}
        if error is not None and spent and target in failing:
            evidence.update(
                error=type(error).__name__,
                message=first_line(error),
                place=place_of(trace.places[-1]),
            )
            subject.observe(target, "shown", **evidence)
        elif target.id in watch.deleted:
            subject.observe(target, "shown", **evidence)
        elif target.id in watch.alive:
            subject.observe(target, "absent")


def is_array(leaf: Any) -> bool:
    """Whether a value has a buffer that can be donated."""
    return isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer)


def _zeros(leaf: Any) -> Any:
    if not isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jnp.broadcast_to(jax.random.key(0), leaf.shape)
    return jnp.zeros(leaf.shape, leaf.dtype)
