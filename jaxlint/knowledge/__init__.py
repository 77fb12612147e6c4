"""What JAX and NumPy are, as tables; nothing here imports jax or numpy."""
