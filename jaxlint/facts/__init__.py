"""The vocabulary that rules see: what the abstract tracer observed, and where.

`core` has what every fact is; the other modules have the facts of one subject each.
"""

from jaxlint.facts.ambient import Ambient as Ambient
from jaxlint.facts.call_sites import Pythonic as Pythonic
from jaxlint.facts.call_sites import Recompiled as Recompiled
from jaxlint.facts.call_sites import Refusal as Refusal
from jaxlint.facts.call_sites import Unhashable as Unhashable
from jaxlint.facts.callbacks import DebugFormat as DebugFormat
from jaxlint.facts.callbacks import HostCallback as HostCallback
from jaxlint.facts.conversions import Swallowed as Swallowed
from jaxlint.facts.conversions import Unlike as Unlike
from jaxlint.facts.core import Advanced as Advanced
from jaxlint.facts.core import Cause as Cause
from jaxlint.facts.core import Coerced as Coerced
from jaxlint.facts.core import Effect as Effect
from jaxlint.facts.core import EffectKind as EffectKind
from jaxlint.facts.core import Fact as Fact
from jaxlint.facts.core import Frozen as Frozen
from jaxlint.facts.core import Misused as Misused
from jaxlint.facts.core import Need as Need
from jaxlint.facts.core import Place as Place
from jaxlint.facts.core import Rejitted as Rejitted
from jaxlint.facts.core import ShapeNeeded as ShapeNeeded
from jaxlint.facts.core import Sink as Sink
from jaxlint.facts.core import Stored as Stored
from jaxlint.facts.custom_rules import RuleFed as RuleFed
from jaxlint.facts.donation import Donated as Donated
from jaxlint.facts.donation import Kept as Kept
from jaxlint.facts.eager_performance import Listed as Listed
from jaxlint.facts.eager_performance import Piecemeal as Piecemeal
from jaxlint.facts.eager_performance import Repeated as Repeated
from jaxlint.facts.eager_performance import Sliced as Sliced
from jaxlint.facts.eager_performance import Timed as Timed
from jaxlint.facts.eager_performance import Unrolled as Unrolled
from jaxlint.facts.randomness import KeyUsed as KeyUsed
from jaxlint.facts.recompilation import Forgotten as Forgotten
from jaxlint.facts.recompilation import Recompiling as Recompiling
from jaxlint.facts.refusals import Refused as Refused
from jaxlint.facts.static_arguments import StaticNeeded as StaticNeeded
from jaxlint.facts.transform_options import Declared as Declared
from jaxlint.facts.transform_options import Discouraged as Discouraged
from jaxlint.facts.versions import Outdated as Outdated
