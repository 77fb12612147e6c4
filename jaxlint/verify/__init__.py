"""Floor 7: findings put to real JAX, in child processes."""
