"""What an array on a device has and a traced one has not.

Source: JAX documentation, `jax.Array`, and "Asynchronous dispatch".
"""

from __future__ import annotations

from typing import Final

from jaxlint.knowledge import lookup

# Methods and attributes of `jax.Array`, by the builtin class of the error that tracers raise.
HOST_METHODS: Final = {
    "addressable_data": "TypeError",
    "block_until_ready": "AttributeError",
    "copy_to_host_async": "AttributeError",
    "delete": "TypeError",
    "devices": "TypeError",
    "is_deleted": "TypeError",
    "is_ready": "AttributeError",
    "on_device_size_in_bytes": "TypeError",
    "unsafe_buffer_pointer": "TypeError",
}
HOST_ATTRIBUTES: Final = {
    "addressable_shards": "TypeError",
    "device": "AttributeError",
    "global_shards": "TypeError",
    "is_fully_addressable": "TypeError",
    "is_fully_replicated": "TypeError",
    "sharding": "AttributeError",
}
# What arrays have in some version beside what the other tables name.
OTHER_ATTRIBUTES: Final = frozenset(
    {
        *("clone", "committed", "device_buffer", "device_buffers", "flat", "format", "layout"),
        *("platform", "to_device", "traceback", "unsafe_raw_buffer"),
    }
)
# Functions that write the values of what they are given.
PICKLERS: Final = frozenset(
    {"cloudpickle.dump", "cloudpickle.dumps", "joblib.dump", "pickle.dump", "pickle.dumps"}
)


def lacks(name: str) -> bool:
    """Whether a traced array has no attribute of that name."""
    return "AttributeError" in (HOST_ATTRIBUTES.get(name), HOST_METHODS.get(name))


def is_of_arrays(name: str) -> bool:
    """Whether arrays, traced or not, have an attribute of that name."""
    tables = (HOST_ATTRIBUTES, HOST_METHODS, OTHER_ATTRIBUTES, lookup.CONCRETISING_METHODS)
    values = (lookup.STATIC_ATTRIBUTES, lookup.ARRAY_ATTRIBUTES, lookup.HOST_METHODS)
    known = name == "at" or lookup.method(name) is not None or name.startswith("__")
    return known or any(name in table for table in (*tables, *values))
