"""One experiment per kind of hazard."""
