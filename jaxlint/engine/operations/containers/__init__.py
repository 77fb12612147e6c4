"""Operations on lists, tuples, sets, dicts and iterables: methods, operators, iteration.

Subscripts and stores are for every kind of value and do not belong here: they are in `operations`.
"""
