"""Equinox: modules, filtered transforms, layers, changes of trees.

What is true of Equinox alone.
"""
