"""The vocabulary that rules see: what the abstract tracer observed, and where.

`core` has what every fact is; the other modules have the facts of one subject each.
"""

from jaxlint.engine.facts.ambient import Ambient as Ambient
from jaxlint.engine.facts.bodies import Refused as Refused
from jaxlint.engine.facts.callsites import Pythonic as Pythonic
from jaxlint.engine.facts.callsites import Recompiled as Recompiled
from jaxlint.engine.facts.callsites import Refusal as Refusal
from jaxlint.engine.facts.callsites import Unhashable as Unhashable
from jaxlint.engine.facts.closures import RuleFed as RuleFed
from jaxlint.engine.facts.conversions import Swallowed as Swallowed
from jaxlint.engine.facts.conversions import Unlike as Unlike
from jaxlint.engine.facts.core import Advanced as Advanced
from jaxlint.engine.facts.core import Cause as Cause
from jaxlint.engine.facts.core import Coerced as Coerced
from jaxlint.engine.facts.core import Effect as Effect
from jaxlint.engine.facts.core import EffectKind as EffectKind
from jaxlint.engine.facts.core import Fact as Fact
from jaxlint.engine.facts.core import Frozen as Frozen
from jaxlint.engine.facts.core import Misused as Misused
from jaxlint.engine.facts.core import Need as Need
from jaxlint.engine.facts.core import Place as Place
from jaxlint.engine.facts.core import Rejitted as Rejitted
from jaxlint.engine.facts.core import ShapeNeeded as ShapeNeeded
from jaxlint.engine.facts.core import Sink as Sink
from jaxlint.engine.facts.core import Stored as Stored
from jaxlint.engine.facts.declarations import Declared as Declared
from jaxlint.engine.facts.declarations import Discouraged as Discouraged
from jaxlint.engine.facts.donation import Donated as Donated
from jaxlint.engine.facts.donation import Kept as Kept
from jaxlint.engine.facts.eager import Forgotten as Forgotten
from jaxlint.engine.facts.eager import Recompiling as Recompiling
from jaxlint.engine.facts.hostcalls import DebugFormat as DebugFormat
from jaxlint.engine.facts.hostcalls import HostCallback as HostCallback
from jaxlint.engine.facts.operations import StaticNeeded as StaticNeeded
from jaxlint.engine.facts.performance import Listed as Listed
from jaxlint.engine.facts.performance import Piecemeal as Piecemeal
from jaxlint.engine.facts.performance import Repeated as Repeated
from jaxlint.engine.facts.performance import Sliced as Sliced
from jaxlint.engine.facts.performance import Timed as Timed
from jaxlint.engine.facts.performance import Unrolled as Unrolled
from jaxlint.engine.facts.randomness import KeyUsed as KeyUsed
from jaxlint.engine.facts.versions import Outdated as Outdated
