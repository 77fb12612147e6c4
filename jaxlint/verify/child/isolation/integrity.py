"""Whether JAX is still as it was installed: user code may put its own functions in the place."""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any

import jax

_LIBRARIES = ("site-packages", "dist-packages")
_DISABLING = "jax_disable_jit"


class Integrity:
    """The public functions and classes of JAX at one moment.

    A library may replace some of them, as it does in the user's own runs.
    """

    def __init__(self) -> None:
        self._holders: dict[str, Any] = {
            name: module
            for name, module in list(sys.modules.items())
            if isinstance(module, types.ModuleType)
            and (name == "jax" or name.startswith("jax."))
            and "._" not in name
        }
        self._holders["jax.core.Tracer"] = jax.core.Tracer
        self._known = {
            name: {key: value for key, value in vars(holder).items() if callable(value)}
            for name, holder in self._holders.items()
        }

    def changes(self) -> list[str]:
        """The names that no longer mean what they did."""
        found = [
            f"{name}.{key}"
            for name, values in self._known.items()
            for key, value in values.items()
            if _is_foreign(vars(self._holders[name]).get(key), value)
        ]
        return found + [f"{_DISABLING}"] * _is_jit_disabled()

    def restore(self) -> None:
        """Puts everything back."""
        for name, values in self._known.items():
            for key, value in values.items():
                if vars(self._holders[name]).get(key) is not value:
                    setattr(self._holders[name], key, value)
        if _is_jit_disabled():
            jax.config.update(_DISABLING, False)


def _is_jit_disabled() -> bool:
    return bool(getattr(jax.config, _DISABLING, False))


def _is_foreign(new: Any, old: Any) -> bool:
    if new is old:
        return False
    code = getattr(inspect.unwrap(new) if callable(new) else new, "__code__", None)
    file = code.co_filename if code is not None else ""
    return not any(library in file for library in _LIBRARIES)
