"""Emitting facts of the kinds that many checks share: contracts that JAX refuses, violations with a
kind of their own, facts about host code that hold unless it is traced. The checks decide when to
emit them.
"""
