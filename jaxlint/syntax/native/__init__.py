"""Python's own syntax tree -> IR: the cheap way to all that is not said about a place.

`ast.parse` costs a tenth of LibCST's parser, and lowering its tree as little as lowering LibCST's.
What it lacks are comments, parentheses and some places. So the analysis reads every file through
`ast`. Statements that something is said about are read once more, and become a CST only where
Python's tree does not tell the place (see `places`): `syntax.places` parses those with LibCST and
lowers them again. For that both ways number the nodes of a statement alike, and give the same IR;
the tests hold one against the other on every construct and on whole libraries. What `ast` of the
running Python does not take, such as newer syntax, is read through LibCST.
"""
