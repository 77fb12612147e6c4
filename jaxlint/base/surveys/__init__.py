"""Surveys as plain data: what traced code reaches, what else is written, and why tracing missed it.

The engine makes them; `report` tells of them. Findings are not here.
"""
