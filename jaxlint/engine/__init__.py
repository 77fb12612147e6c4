"""The abstract tracer: does to source what JAX's tracing does to a running function.

It takes lowered syntax and gives facts. Its rooms, from the lowest: `domain`, `relations`,
`summaries`, `machine`, `inference`, `checks`, `operations`, `transforms`, `models`, then
`interpreter` and `frameworks`, and `queries` on top. A room imports from lower ones only.
"""
