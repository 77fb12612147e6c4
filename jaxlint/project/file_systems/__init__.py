"""Where source comes from and goes to: the disk, its snapshot, drafts over it, safe writing.

Which files are checked, and which modules they are, does not belong here: it is in `project`.
"""
