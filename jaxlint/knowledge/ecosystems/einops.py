"""What jaxlint knows of einops: functions that give arrays of the sort that they are given.

Source: the einops documentation, "API Reference"; `tests/frameworks/test_einops.py` observes it.
"""

from jaxlint.knowledge.models import Model

REARRANGING = frozenset({"einops.rearrange", "einops.repeat"})
"""What keeps the elements, so that the dtype stays."""
COMBINING = frozenset({"einops.reduce", "einops.einsum"})
PACK = "einops.pack"
UNPACK = "einops.unpack"
PARSE_SHAPE = "einops.parse_shape"

model = Model("einops")
