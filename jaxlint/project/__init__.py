"""Floor 2: which files exist, and which of them are to be checked."""
