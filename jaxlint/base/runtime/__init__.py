"""The running process: unexpected exceptions, warnings, garbage, import path, depth of the stack.

Data that is passed between floors does not belong here: it is in `base` itself.
"""
