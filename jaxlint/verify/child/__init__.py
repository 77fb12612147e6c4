"""What runs inside the user's interpreter: the standard library, JAX and nothing else of ours
than `jaxlint.verify.protocol` and `jaxlint.knowledge.transforms`. Works on Python 3.10.
"""
