"""All that a rule may import of jaxlint: stable, versioned, typed."""

from jaxlint.base.finding import Finding as Finding
from jaxlint.base.finding import Severity as Severity
from jaxlint.base.witness import Differs as Differs
from jaxlint.base.witness import Leaks as Leaks
from jaxlint.base.witness import Raises as Raises
from jaxlint.base.witness import Recompiles as Recompiles
from jaxlint.engine import facts as facts
from jaxlint.rule import Rule as Rule
