"""What real JAX said about a finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from jaxlint.base.dataclass import slotted


class Status(StrEnum):
    """How sure a verdict is, from the strongest down.

    `CONFIRMED`: the hazard was seen at the flagged expression, with arguments from the user's
    own code. `CONFIRMED_NEXT`: it was seen behind an earlier one, as if that were fixed.
    `CONFIRMED_IF`: it was seen with invented arguments. `REFUTED_FOR`: the flagged expression
    ran under staging and the hazard did not show, for the signatures that are listed.
    `EAGER_ONLY`: it ran, never under staging. `NOT_REACHED`: it did not run. `INCONCLUSIVE`:
    this JAX cannot be observed, so nothing is said.
    """

    CONFIRMED = "confirmed"
    CONFIRMED_NEXT = "confirmed-next"
    CONFIRMED_IF = "confirmed-if"
    REFUTED_FOR = "refuted-for"
    EAGER_ONLY = "eager-only"
    NOT_REACHED = "not-reached"
    INCONCLUSIVE = "inconclusive"


@slotted(frozen=True)
class Verdict:
    """The outcome of putting one finding to real JAX.

    `summary` is one sentence: what was seen, or why nothing was. `assumption` says what has to
    hold for an invented confirmation ("`n` is a traced i32[]"). `signatures` are the abstract
    arguments that the verdict rests on, each with its source ("x: f32[4], n=2 (recorded)").
    `evidence` holds the observation in full, as JSON values; `jaxlint.verify.protocol` names its
    keys. `is_invented` tells that every signature was made up.
    """

    status: Status
    summary: str
    assumption: str = ""
    signatures: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    is_invented: bool = False
