"""Side effects under a trace, and results that nobody takes.

What traced code reads from or writes to the world around it.
"""
