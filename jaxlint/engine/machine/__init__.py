"""The abstract machine: looks up names, activates functions, keeps what is emitted.

It knows no syntax by itself: transfer functions are handed in. It names no check.
"""
