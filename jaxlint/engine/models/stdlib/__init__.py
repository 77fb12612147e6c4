"""Models of Python's builtins and standard library.

One module for one part of the library. What JAX makes of the results is not asked here.
"""
