"""Haiku: transformed functions, modules and the scope of parameters.

What is true of Haiku alone.
"""
