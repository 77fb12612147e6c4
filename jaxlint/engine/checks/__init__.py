"""Detection: what is wrong with what a run shows.

One room for one family of hazards, one module for one check. Checks emit facts, rules word them.
"""
