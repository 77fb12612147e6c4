"""Parameters that go by the name of the class of what they are given: nothing else tells it."""

from __future__ import annotations

import pytest

from jaxlint.base.finding import Severity
from jaxlint.project.file_systems.files import Memory
from jaxlint.session.session import Session

GRAPH = """\
import jax


@jax.tree_util.register_pytree_node_class
class Graph:
    def __init__(self, nodes, labels, size):
        self.nodes = nodes
        self.labels = labels
        self.size = size

    def tree_flatten(self):
        return (self.nodes, self.labels), self.size

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, aux)


@jax.tree_util.register_pytree_node_class
class Table:
    def __init__(self, rows, labels):
        self.rows = rows
        self.labels = labels

    def tree_flatten(self):
        return (self.rows,), self.labels

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children, aux)
"""
RUN = """\
import jax
import jax.numpy as jnp


def present(graph):
    return jnp.unique(graph.labels)


@jax.jit
def weights(graph):
    return jnp.ones(3) / present(graph).size
"""


def found(run: str) -> list[tuple[int, Severity]]:
    """What is found in the code that is given an object."""
    files = {"pyproject.toml": "", "lib/__init__.py": "", "lib/graphs.py": GRAPH, "lib/run.py": run}
    findings = Session(files=Memory(files)).check("lib/run.py").findings
    return [(one.span.line, one.severity) for one in findings]


def test_a_name_tells_the_class() -> None:
    assert found(RUN) == [(6, Severity.WARNING)]


@pytest.mark.parametrize("name", ["table", "data", "g"])
def test_static_fields_and_other_names(name: str) -> None:
    assert found(RUN.replace("graph", name)) == []


def test_an_attribute_that_the_class_lacks() -> None:
    more = RUN.replace("graph.labels)", "graph.labels) + graph.weights")
    assert found(more) == []


def test_an_annotation_speaks_first() -> None:
    more = RUN.replace("present(graph):", "present(graph: Table):")
    assert found(f"from lib.graphs import Table\n{more}") == []
