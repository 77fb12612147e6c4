"""Sources that the tests of this folder share, and the walk over all nodes of a module."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from jaxlint.syntax import ir
from jaxlint.syntax.parse import parse

HERE = Path(__file__).parent
NASTY = (HERE / "nasty.py.txt").read_text(encoding="utf-8")
NEWER = (HERE / "newer.py.txt").read_text(encoding="utf-8")
LINE_ENDS = {"newlines": "\n", "carriage returns": "\r", "both": "\r\n"}


def installed(name: str) -> str:
    """The source of an installed module, which is not imported."""
    spec = importlib.util.find_spec(name.partition(".")[0])
    assert spec is not None and spec.origin is not None
    path = Path(spec.origin).parent.joinpath(*name.split(".")[1:])
    return path.with_suffix(".py").read_text(encoding="utf-8")


def module_of(source: bytes | str) -> ir.Module:
    module = parse(source, "file.py")
    assert isinstance(module, ir.Module), module
    return module


def nodes(module: ir.Module) -> Iterator[Any]:
    """All nodes and parameters of a module."""
    pending: list[Any] = [module.body]
    while pending:
        one = pending.pop()
        if isinstance(one, tuple):
            pending += one
        elif is_dataclass(one):
            if isinstance(one, (ir.Node, ir.Param)):
                yield one
            pending += [getattr(one, f.name) for f in fields(one) if f.name != "origin"]
