"""The machine that runs a file abstractly.

Each of its bases adds one part: the dynamic context (`summaries.dynamic_context`), the state
(`state`), dispatch to the transfer functions (`dispatch`), facts and events (`emission`), names
(`names`) and runs of functions (`activation`). The meaning of syntax is handed over (`semantics`).
"""

from __future__ import annotations

from jaxlint.engine.machine.activation import Activation


class Machine(Activation):
    """Runs one module."""
