"""Abstract values and what holds them: environments, frames, traces, call arguments.

Pure data with its own operations; what compares two values is in `relations`, what runs code
above.
"""
