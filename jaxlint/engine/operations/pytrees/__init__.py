"""`jax.tree` functions on abstract pytrees.

Walks over the leaves of values do not belong here: they are in `domain.pytrees`.
"""
