"""The output formats of findings, one module for each.

`table` names them. What several formats share stands one floor up.
"""
