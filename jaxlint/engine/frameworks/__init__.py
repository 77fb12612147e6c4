"""What the frameworks on top of JAX do, one module for each: see `jaxlint.engine.hooks`."""
