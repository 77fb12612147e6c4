"""Which reads of captured things are stale.

All changes of one captured thing stay, those of the others go. A read is stale if the results of
calls that reach it differ from those under `jax.disable_jit()`, and for a loop variable also if
they differ from what its value in the iteration would give.
"""

from __future__ import annotations

import ast
import re
import sys
import types
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from jaxlint.verify.child.internals import staged
from small.capture_programs import generate, write
from small.staging import MODULE, line_of, unjitted
from small.truth import Claim, Family, Specimen, Truth

__all__ = ["FAMILY", "generate", "observe", "write"]

FAMILY = Family(
    "captures",
    {code: frozenset({"stale"}) for code in ("JAX205", "JAX206", "JAX207", "JAX208", "JAX209")},
    {"stale body": "JAX remembers the bodies of scans outside jit too; no rule follows these"},
)


@dataclass
class _Calls:
    """The result of each call, the lines that ran for it, those that JAX traced, all that it
    traced for `jit`, and before which calls the caches were cleared."""

    results: list[Any]
    lines: defaultdict[int, set[int]]
    traced: defaultdict[int, set[int]]
    cleared: set[int]
    jitted: set[int]

    def is_latent(self, line: int) -> bool:
        """Whether JAX traced a line again for another signature: nobody used what was compiled
        before, so nothing is known of it."""
        at = [call for call, lines in sorted(self.traced.items()) if line in lines]
        return any(
            not any(one < cut <= other for cut in self.cleared) for one, other in pairwise(at)
        )


def observe(specimen: Specimen) -> Truth:
    reads = specimen.marked("read")
    hazards: set[Claim] = set()
    harmless: set[Claim] = set()
    for token in sorted({mark.subject for mark in reads}):
        source = _with_changes_of(specimen, token)
        try:
            plain, eager = _run(source, eager=False), _run(source, eager=True)
        except _NoRunError as error:
            return Truth(failure=str(error))
        if len(plain.results) != len(eager.results):
            return Truth(failure="the runs called differently often")
        pairs = zip(plain.results, eager.results, strict=True)
        stale = {at for at, (one, other) in enumerate(pairs) if not _same(one, other)}
        stale |= _late(specimen, token, plain)
        for line in (mark.line for mark in reads if mark.subject == token):
            reached = {at for at, lines in eager.lines.items() if line in lines}
            if reached & stale:
                hazards.add((line, "stale" if line in plain.jitted else "stale body"))
            elif reached and not plain.is_latent(line):
                harmless.add((line, "stale"))
    return Truth(frozenset(hazards), frozenset(harmless))


def _late(specimen: Specimen, token: str, plain: _Calls) -> set[int]:
    """The calls that would differ if lambdas took the loop variable when they are made."""
    source = specimen.source.replace(
        "lambda x: x * " + token, f"lambda x, {token}={token}: x * {token}"
    )
    if source == specimen.source:
        return set()
    pairs = zip(plain.results, _run(source, eager=False).results, strict=True)
    return {at for at, (one, other) in enumerate(pairs) if not _same(one, other)}


def _with_changes_of(specimen: Specimen, token: str) -> str:
    lines = specimen.source.splitlines()
    for mark in specimen.marked("change"):
        if mark.subject != token and not lines[mark.line - 1].endswith(":"):
            indent = re.match(" *", lines[mark.line - 1])
            lines[mark.line - 1] = f"{indent[0] if indent else ''}pass"
    return "\n".join(lines) + "\n"


def _same(one: Any, other: Any) -> bool:
    return np.shape(one) == np.shape(other) and bool(np.allclose(one, other, rtol=1e-3))


def _is_in_jit(frame: types.FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.endswith("pjit.py"):
            return True
        frame = frame.f_back
    return False


class _NoRunError(Exception):
    """The module does not run to its end."""


def _run(source: str, eager: bool) -> _Calls:
    path = "small_module.py"
    module = types.ModuleType(MODULE)
    calls = _Calls([], defaultdict(set), defaultdict(set), set(), set())
    clearing = {
        number for number, line in enumerate(source.splitlines(), 1) if "clear_caches" in line
    }

    def trace(frame: types.FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != path:
            return None
        if event == "line":
            made = len(vars(module).get("results", ()))
            calls.lines[made].add(frame.f_lineno)
            if staged():
                calls.traced[made].add(frame.f_lineno)
                if _is_in_jit(frame):
                    calls.jitted.add(frame.f_lineno)
            if frame.f_lineno in clearing:
                calls.cleared.add(made)
        return trace

    sys.modules[MODULE] = module
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with unjitted(eager):
            exec(compile(ast.parse(source), path, "exec"), vars(module))
    except Exception as error:
        sys.settrace(before)
        raise _NoRunError(f"line {line_of(error, path)}: {error!r}"[:300]) from error
    finally:
        sys.settrace(before)
        del sys.modules[MODULE]
    calls.results = [np.asarray(each) for each in vars(module)["results"]]
    return calls
