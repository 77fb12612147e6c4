"""Methods that code gives to a transform without calling them: `jax.vmap(model.score)`."""

from __future__ import annotations

import re

from jaxlint.knowledge.transforms import WRAPPERS

_NAMES = "|".join(sorted({name.rpartition(".")[2] for name in WRAPPERS}))
# The object, and the name of the method.
_GIVEN = rf"\b(?:{_NAMES})\([ \t\n]*([^\W\d][\w.]*?)\.([^\W\d]\w*+)[ \t\n]*[,)]"
IN_TEXT = re.compile(_GIVEN)
IN_BYTES = re.compile(_GIVEN.encode())
