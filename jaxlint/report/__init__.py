"""Floor 7: from findings to text, in pure functions."""
