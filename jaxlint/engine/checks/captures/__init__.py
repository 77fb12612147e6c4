"""What compiled code takes from around it: stale values, large constants, outer tracers.

Checks of names and attributes that a trace reads and that are no arguments.
"""
