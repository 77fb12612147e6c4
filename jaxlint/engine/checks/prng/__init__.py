"""Keys of random numbers: consumed twice, made anew, never used.

Typestate of keys and what calls do to them.
"""
