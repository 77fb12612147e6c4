"""Host code that drives JAX slowly: loops over elements, clocks, long lists.

Checks of what runs outside compiled code.
"""
