"""Record mode: the user's own program runs, and what it traces is observed and studied.

The budget of it is here too: a recorded run must cost little more than another.
"""
