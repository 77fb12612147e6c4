"""Stands for JAX in the processes that tests start in a run without JAX."""

raise ImportError("a run without JAX imports it: the test needs the mark `jax`")
