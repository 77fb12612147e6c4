"""Runs of the commands: `check`, `graph`, `why`, `record` and what belongs to them.

What the command line accepts is in `cli`. To find anything is the task of `session`.
"""
