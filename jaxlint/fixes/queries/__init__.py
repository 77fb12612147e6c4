"""Questions that a fix asks of the code: scopes, uses, imports, types, transforms.

They answer from syntax and data flow, and write nothing.
"""
