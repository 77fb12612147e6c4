"""Donated buffers: used again, or donated for nothing.

Typestate of the arguments of compiled calls.
"""
