"""Floor 8: the ways to run jaxlint."""
