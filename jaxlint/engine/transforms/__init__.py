"""What JAX's transforms do: entering and leaving a trace, bodies of control flow, derivatives.

Here belongs what runs a function as JAX would trace it. Findings about it are in `checks`.
"""
