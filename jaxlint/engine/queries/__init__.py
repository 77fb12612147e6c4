"""Questions put to a whole file: its facts, why a value is traced, hints, coverage.

Each runs the interpreter once in its own way. Nothing below imports them.
"""
