"""Meshes of devices, the specifications that name their axes, and shardings.

Source: JAX documentation, `jax.sharding`.
"""

from __future__ import annotations

from jaxlint.engine.domain.values import Static, Value

Entry = tuple[str, ...] | None


class Layout(Static):
    """A mesh, a specification or a sharding: a Python value in every trace."""

    __slots__ = ()

    def key(self) -> tuple[object, ...]:
        """What tells it apart from others of its class."""
        raise NotImplementedError

    def merged(self, other: Value, depth: int) -> Value | None:
        if not isinstance(other, Layout):
            return super().merged(other, depth)
        is_same = type(other) is type(self) and other.key() == self.key()
        return self if is_same else None


class DeviceMesh(Layout):
    """A mesh with the names of its axes, and how long each is where that is known."""

    __slots__ = ("names", "sizes")

    def __init__(self, names: tuple[str, ...], sizes: tuple[int | None, ...]) -> None:
        super().__init__(kind="mesh")
        self.names, self.sizes = names, sizes

    def key(self) -> tuple[object, ...]:
        return self.names, self.sizes

    def parts(self, names: tuple[str, ...]) -> int | None:
        """Into how many parts a dimension is split that is laid out over these axes."""
        count = 1
        for name in names:
            size = dict(zip(self.names, self.sizes, strict=True)).get(name)
            if size is None:
                return None
            count *= size
        return count


class AxisSpec(Layout):
    """A `PartitionSpec`: for each dimension the mesh axes that it is split over, None where they
    are not known."""

    __slots__ = ("entries",)

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        super().__init__(kind="spec")
        self.entries = entries

    def key(self) -> tuple[object, ...]:
        return self.entries

    @property
    def names(self) -> list[str]:
        """The axes that it names, in order."""
        return [name for entry in self.entries for name in entry or ()]


class Placement(Layout):
    """A `NamedSharding`: a specification over a mesh, each None where it is not known."""

    __slots__ = ("mesh", "spec")

    def __init__(self, mesh: DeviceMesh | None, spec: AxisSpec | None) -> None:
        super().__init__(kind="sharding")
        self.mesh, self.spec = mesh, spec

    def key(self) -> tuple[object, ...]:
        return self.mesh and self.mesh.key(), self.spec and self.spec.key()
