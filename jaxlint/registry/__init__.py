"""Which rules there are: those of jaxlint, those of plugins, and the codes of jaxlint itself.

To load them and to select among them belongs here; to run them is the task of `session`.
"""
