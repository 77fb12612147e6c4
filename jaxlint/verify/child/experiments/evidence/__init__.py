"""What experiments share: their subject, what was written, reached, watched and compared.

One experiment for one kind of hazard stands one floor up.
"""
