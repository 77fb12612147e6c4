"""Changes of text inside one statement: arguments, literals, blocks, indentation.

Pure functions from nodes and source to edits. What is asked of the code around is in `queries`.
"""
