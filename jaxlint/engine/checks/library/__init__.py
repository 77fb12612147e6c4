"""Uses of the library itself: removed names, options, leftovers of debugging.

Checks of a call of JAX by its name and arguments.
"""
