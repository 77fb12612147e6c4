"""Which files may call into which, by the names that their statements define and mention.

Imports alone say little: where the package's `__init__.py` imports everything, every file does. A
file is reached from another one through a chain of statements, each of which mentions what the
next one defines. That is read from the text of the files, without parsing them: of a name that is
mentioned, more may be assumed than happens, never less.
"""
