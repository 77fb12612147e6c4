"""What jaxlint costs: `python benchmarks/run.py` prints every figure of `docs/performance.md`."""
