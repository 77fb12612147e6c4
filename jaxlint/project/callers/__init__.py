"""Which files may call into which, by the names that their statements define and mention.

Imports alone say little: where the package's `__init__.py` imports everything, every file does. A
file is reached from another one through a chain of statements, each of which mentions what the
next one defines. That is read from the text of the files, without parsing them. A name that is
mentioned counts as used, whatever becomes of it. What names do not show is not found: modules
imported by a name that is computed, and what one function both puts into a registry and takes out
of it.
"""
