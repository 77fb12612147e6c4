"""The transfer functions of statements, expressions, loops, patterns and calls.

It follows the syntax and asks the rooms below what happens to the values.
"""
