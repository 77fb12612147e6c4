"""All that a rule, or the model of a library, may import of jaxlint: stable, versioned, typed."""

from typing import Any

from jaxlint import facts as facts
from jaxlint import fixes as fixes
from jaxlint.base.edit import Edit as Edit
from jaxlint.base.finding import Applicability as Applicability
from jaxlint.base.finding import Confidence as Confidence
from jaxlint.base.finding import Finding as Finding
from jaxlint.base.finding import Fix as Fix
from jaxlint.base.finding import Severity as Severity
from jaxlint.base.finding import Tag as Tag
from jaxlint.base.runtime.deprecation import warn_renamed
from jaxlint.base.text import Span as Span
from jaxlint.base.witness import Differs as Differs
from jaxlint.base.witness import Donates as Donates
from jaxlint.base.witness import Effects as Effects
from jaxlint.base.witness import Expects as Expects
from jaxlint.base.witness import Freezes as Freezes
from jaxlint.base.witness import Fruitless as Fruitless
from jaxlint.base.witness import Leaks as Leaks
from jaxlint.base.witness import Raises as Raises
from jaxlint.base.witness import Recompiles as Recompiles
from jaxlint.base.witness import ReusesKey as ReusesKey
from jaxlint.base.witness import Unrolls as Unrolls
from jaxlint.base.witness import Warns as Warns
from jaxlint.facts.check import Call as Call
from jaxlint.facts.check import Check as Check
from jaxlint.facts.check import Event as Event
from jaxlint.facts.check import Operand as Operand
from jaxlint.facts.check import Operation as Operation
from jaxlint.facts.check import TraceEnd as TraceEnd
from jaxlint.fixes.source import Code as Code
from jaxlint.knowledge.functions import FunctionSpec as FunctionSpec
from jaxlint.knowledge.models import Model as Model
from jaxlint.knowledge.transforms import Wrapper as Wrapper
from jaxlint.rule import Rule as Rule
from jaxlint.syntax import ir as ir


def __getattr__(name: str) -> Any:
    if name == "Repair":
        warn_renamed("jaxlint.api.Repair", "Fix")
        return Fix
    if name == "mends":
        from jaxlint.fixes import former

        warn_renamed("jaxlint.api.mends", "jaxlint.api.fixes")
        return former
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
