"""In-place changes of what cannot be changed: arrays, views, references.

Checks of stores and of methods that change their object.
"""
