"""Data written by scripts/generate_knowledge.py; never edited by hand."""
