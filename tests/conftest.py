"""Shared by all tests."""

import os

pytest_plugins = ["pytester"]

# Compiling is much of the time that JAX takes here, and what it compiles runs once.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
