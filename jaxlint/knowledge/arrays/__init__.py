"""Arrays and their functions: attributes, ranks, sizes, operands, where derivatives end.

Tables and questions about names; no abstract value is known here.
"""
