"""What was found, as plain data: findings of several runs merged, reports, fingerprints.

Nothing here runs anything or prints anything.
"""
