"""Models of functions: calls of JAX, NumPy and the standard library on abstract values.

Dispatch by name and what a call gives. Tables about names are in `knowledge`.
"""
