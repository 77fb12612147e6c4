"""The vocabulary that rules see: what the abstract tracer observed, and where.

`core` has what every fact is; the other modules have the facts of one subject each.
"""

import warnings
from typing import Any

from jaxlint.facts.ambient import Ambient as Ambient
from jaxlint.facts.call_sites import Refusal as Refusal
from jaxlint.facts.call_sites import Retraced as Retraced
from jaxlint.facts.call_sites import ShouldBeStatic as ShouldBeStatic
from jaxlint.facts.call_sites import Unhashable as Unhashable
from jaxlint.facts.callbacks import DebugFormat as DebugFormat
from jaxlint.facts.callbacks import HostCallback as HostCallback
from jaxlint.facts.conversions import ArrayMismatch as ArrayMismatch
from jaxlint.facts.conversions import Swallowed as Swallowed
from jaxlint.facts.core import Cause as Cause
from jaxlint.facts.core import Concretized as Concretized
from jaxlint.facts.core import ContractViolation as ContractViolation
from jaxlint.facts.core import Effect as Effect
from jaxlint.facts.core import EffectKind as EffectKind
from jaxlint.facts.core import Fact as Fact
from jaxlint.facts.core import FreshJit as FreshJit
from jaxlint.facts.core import Need as Need
from jaxlint.facts.core import Place as Place
from jaxlint.facts.core import ShapeNeeded as ShapeNeeded
from jaxlint.facts.core import Sink as Sink
from jaxlint.facts.custom_rules import CustomRuleClosure as CustomRuleClosure
from jaxlint.facts.donation import Donated as Donated
from jaxlint.facts.donation import UselessDonation as UselessDonation
from jaxlint.facts.eager_performance import ArrayIterated as ArrayIterated
from jaxlint.facts.eager_performance import ElementwiseLoop as ElementwiseLoop
from jaxlint.facts.eager_performance import ListArgument as ListArgument
from jaxlint.facts.eager_performance import LoopCost as LoopCost
from jaxlint.facts.eager_performance import Timed as Timed
from jaxlint.facts.eager_performance import Unrolled as Unrolled
from jaxlint.facts.randomness import KeyUsed as KeyUsed
from jaxlint.facts.recompilation import CacheCleared as CacheCleared
from jaxlint.facts.recompilation import FreshBody as FreshBody
from jaxlint.facts.refusals import Refused as Refused
from jaxlint.facts.state import Advanced as Advanced
from jaxlint.facts.state import StaleCapture as StaleCapture
from jaxlint.facts.state import Stored as Stored
from jaxlint.facts.static_arguments import StaticNeeded as StaticNeeded
from jaxlint.facts.transform_options import InvalidOption as InvalidOption
from jaxlint.facts.transform_options import UselessTransform as UselessTransform
from jaxlint.facts.versions import Outdated as Outdated

# Names of jaxlint 0.1, which go with the release after the next one.
_FORMER = {
    "Coerced": "Concretized",
    "Declared": "InvalidOption",
    "Discouraged": "UselessTransform",
    "Forgotten": "CacheCleared",
    "Frozen": "StaleCapture",
    "Kept": "UselessDonation",
    "Listed": "ListArgument",
    "Misused": "ContractViolation",
    "Piecemeal": "ElementwiseLoop",
    "Pythonic": "ShouldBeStatic",
    "Recompiled": "Retraced",
    "Recompiling": "FreshBody",
    "Rejitted": "FreshJit",
    "Repeated": "LoopCost",
    "RuleFed": "CustomRuleClosure",
    "Sliced": "ArrayIterated",
    "Unlike": "ArrayMismatch",
}


def __getattr__(name: str) -> Any:
    current = _FORMER.get(name)
    if current is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    message = f"jaxlint.api.facts.{name} is called {current} now"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return globals()[current]
