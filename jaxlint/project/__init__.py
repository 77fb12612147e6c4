"""Floor 2: which files exist, and which of them are to be checked.

How files are read and written is in `file_systems`.
"""
