"""Files that hold more than Python: notebooks and Markdown, read and written back.

Whoever reads source asks `documents`.
"""
