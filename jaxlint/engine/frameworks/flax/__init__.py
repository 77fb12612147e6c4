"""Flax: Linen modules and their scopes, NNX objects and their state.

What is true of Flax alone. What several frameworks share stands one floor up.
"""
