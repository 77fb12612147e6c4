"""Models of the frameworks on top of JAX, one module or room for each.

Each registers its hooks (`jaxlint.engine.domain.framework_values`). The interpreter knows none of
them by name.
"""
