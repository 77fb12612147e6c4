"""Fixes of findings, carried out on source text and on files."""
