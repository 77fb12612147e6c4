"""Tracers where Python, NumPy or JAX needs a concrete value.

Checks of uses of one value. Shapes and lengths that recompile are in `recompilation`.
"""
