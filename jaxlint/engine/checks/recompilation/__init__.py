"""Compilations that repeat: fresh functions, statics and shapes at each call.

Checks of the calls of one transformed function, together.
"""
