"""Pallas: kernels, their references and grids.

What is true of Pallas alone.
"""
