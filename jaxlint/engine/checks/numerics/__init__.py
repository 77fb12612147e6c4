"""Numbers that come out wrong: NaN gradients, lost precision, indices out of bounds.

Checks of array operations whose result is defined and not meant.
"""
