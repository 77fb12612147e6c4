"""Over which axes of a mesh of devices a value differs from one device to the next."""

from __future__ import annotations

from typing import Final

from jaxlint.base.dataclass import slotted


@slotted(frozen=True)
class Spread:
    """The axes over which a value in `shard_map` varies for certain, as JAX counts it: an operation
    varies over all that its operands vary over. `exact` tells that it varies over no other."""

    over: frozenset[str]
    exact: bool

    def __or__(self, other: Spread) -> Spread:
        """That of what is computed from both."""
        return Spread(self.over | other.over, self.exact and other.exact)

    def __and__(self, other: Spread) -> Spread:
        """What holds of either."""
        return Spread(self.over & other.over, self.exact and self == other)

    def without(self, names: frozenset[str]) -> Spread:
        """That of what is the same all along some axes."""
        return Spread(self.over - names, self.exact)

    @property
    def is_even(self) -> bool:
        """Whether the value is certainly the same everywhere."""
        return self.exact and not self.over


EVEN: Final = Spread(frozenset(), True)
UNTOLD: Final = Spread(frozenset(), False)
