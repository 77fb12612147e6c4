"""LibCST trees -> IR, and what both parsers' trees share on that way.

Where nodes stand in a file is not known here: see `positions`.
"""
