"""What holds between a value and another one, a type or a trace.

Pure functions of values, which give "yes", "no" or "not known". No machine, no evaluation.
"""
