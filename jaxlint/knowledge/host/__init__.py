"""The host: effects, state of the process, costs, and what Python and NumPy do with tracers.

Tables and questions about names; no abstract value is known here.
"""
