"""The child process itself: its line to the parent, its jobs, the modules that it loads.

What a job finds out is the task of `study`.
"""
