"""Collects specifications: each block of a Markdown file is one test of the engine, and one of
real JAX, which have to agree with it on what is traced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jaxlint.testing.markers import PageError
from jaxlint.testing.reveal import Specification, mistakes, read_specifications


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SpecificationFile | None:
    if file_path.suffix != ".md":
        return None
    return SpecificationFile.from_parent(parent, path=file_path)


class SpecificationFile(pytest.File):
    """One Markdown file of specifications."""

    def collect(self) -> Iterator[pytest.Item]:
        for specification in read_specifications(self.path):
            for kind, half in ((EngineItem, "engine"), (JaxItem, "jax")):
                name = f"{self.path.stem}:{specification.line}[{half}]"
                yield kind.from_parent(self, name=name, specification=specification)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, PageError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class SpecificationItem(pytest.Item):
    """One block."""

    def __init__(self, *, specification: Specification, **options: Any) -> None:
        super().__init__(**options)
        self.specification = specification

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.specification.line - 1, self.name

    def compare(self, found: dict[int, str], *, by_jax: bool) -> None:
        if wrong := mistakes(self.specification, found, by_jax=by_jax):
            pytest.fail("\n".join(wrong), pytrace=False)


class EngineItem(SpecificationItem):
    """The engine reveals what is specified."""

    def runtest(self) -> None:
        from jaxlint.testing.lint import reveals

        found = reveals(self.specification.program, self.specification.path)
        self.compare(found, by_jax=False)


class JaxItem(SpecificationItem):
    """JAX reveals what is specified."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_marker("jax")

    def runtest(self) -> None:
        # A run with `-m "not jax"` works where JAX is not installed.
        from jaxlint.testing.oracle import reveals

        found = reveals(self.specification.program, self.specification.path)
        self.compare(found, by_jax=True)
