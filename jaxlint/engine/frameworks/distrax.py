"""distrax: distributions."""

from __future__ import annotations

from jaxlint.engine.domain.framework_values import Hooks
from jaxlint.engine.frameworks import distributions
from jaxlint.knowledge.ecosystems.distrax import DISTRIBUTIONS

HOOKS = Hooks(
    library="distrax",
    call=distributions.making(DISTRIBUTIONS),
    attribute=distributions.attribute,
    method=distributions.method,
    enter=distributions.enter,
    leave=distributions.leave,
)
