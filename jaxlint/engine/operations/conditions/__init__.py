"""Truth of values: tests and comparisons, short circuits, and what an outcome tells of values.

Which branches run does not belong here: it is decided in `interpreter`.
"""
