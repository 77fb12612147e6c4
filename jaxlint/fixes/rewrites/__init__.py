"""Whole rewrites that several rules share: `where`, hoisting, one compilation.

One module for one rewrite, which gives a fix or None where it cannot be written.
"""
