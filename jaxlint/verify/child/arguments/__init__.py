"""Arguments of the calls that are studied: recorded, invented, described, staged.

Nothing here runs a flagged function: that is the task of `study` and `recording`.
"""
