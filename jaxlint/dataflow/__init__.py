"""Syntactic data flow: what the lowered syntax alone says of names, loops, guards and dtypes.

Here belong pure questions about `ir` nodes, and their memo. What needs an abstract value, a frame
or a run belongs to the engine.
"""
