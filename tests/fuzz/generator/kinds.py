"""Kinds of values: the class, the dtype and the shape that an expression is known to have.

A kind is a string, one letter for most. A capital letter is a JAX array for sure; its small
letter may also be a NumPy array or a Python number. No kind says whether a value is traced.

    f F p   a float scalar; p is a Python float        s     a string, one of `MODES`
    i I n   an int scalar; n is small, 0 to 4          k     a key of `jax.random`
    b B     a bool scalar                              g     a function of an array
    v V     a float vector of three                    h     the shape of a vector
    m M     a float matrix of three by three           z     a set of ints
    a A     a mask of three                            L l   one to four floats; l is a list
    q Q     an int vector of three                     d     a dict with `KEYS`, of floats
    P       a dict {"w": m, "b": v}                    T     a tuple of a float and a vector
    ?f ?v   None, or an f or a v                       W     one to three vectors

A structure that a program defines has the name of its class as its kind.
"""

from __future__ import annotations

from collections.abc import Iterable

MODES = ("mean", "sum", "max")
KEYS = ("scale", "shift")

NARROWER = {
    "f": "fFp",
    "i": "inI",
    "b": "bB",
    "v": "vV",
    "m": "mM",
    "a": "aA",
    "q": "qQ",
    "L": "Ll",
}
"""The kinds that serve where a kind is asked for, other than itself."""

NUMERIC = frozenset("fFpiInbBvVmMaAqQ")
"""Kinds that JAX takes as one array."""

DATA = NUMERIC | frozenset("PTdLlkW")
"""Kinds that JAX takes as an argument and gives as a result."""

LITERALS = {
    "f": ("0.5", "2.0", "1.5"),
    "p": ("0.1", "1.0"),
    "i": ("1", "2"),
    "n": ("1", "2", "3"),
    "b": ("True", "False"),
    "v": ("np.ones(3)", "np.array([0.5, -1.0, 2.0])"),
    "V": ("jnp.ones(3)", "jnp.zeros(3)", "jnp.arange(3.0)"),
    "m": ("np.eye(3)",),
    "M": ("jnp.eye(3)", "jnp.ones((3, 3))"),
    "a": ("np.array([True, False, True])",),
    "A": ("(jnp.arange(3) > 1)",),
    "q": ("np.arange(3)",),
    "Q": ("jnp.arange(3)",),
    "F": ("jnp.float32(0.5)", "jnp.asarray(2.0)"),
    "I": ("jnp.int32(1)",),
    "B": ("jnp.bool_(True)",),
    "s": tuple(repr(mode) for mode in MODES),
    "k": ("jax.random.PRNGKey(0)", "jax.random.PRNGKey(1)"),
    "g": ("jnp.tanh", "jax.nn.relu", "jnp.sin", "jnp.abs"),
    "h": ("(3,)",),
    "z": ("{1, 2}", "{0, 3}"),
    "L": ("(0.5, 1.5)", "[1.0, 2.0]"),
    "l": ("[1.0, 2.0]", "[0.5]"),
    "d": ("{'scale': 2.0, 'shift': 0.5}",),
    "P": ("{'w': np.eye(3), 'b': np.ones(3)}",),
    "T": ("(0.5, np.ones(3))",),
    "W": ("[np.ones(3), np.zeros(3)]",),
    "?f": ("None", "0.5"),
    "?v": ("None", "np.ones(3)"),
    "literal": ("1", "2"),
}
"""Expressions without parts, for each kind."""

ARGUMENTS = {
    "f": ("1.5", "np.float32(0.5)", "jnp.float32(2.0)", "-0.25"),
    "F": ("jnp.float32(1.5)",),
    "p": ("0.5", "2.0"),
    "i": ("1", "np.int32(2)", "5"),
    "I": ("jnp.int32(2)",),
    "n": ("1", "2", "3"),
    "b": ("True", "False"),
    "B": ("jnp.bool_(True)",),
    "v": ("np.array([0.5, -1.0, 2.0], np.float32)", "np.ones(3, np.float32)"),
    "V": ("jnp.array([0.5, -1.0, 2.0])",),
    "m": ("np.eye(3, dtype=np.float32)", "np.ones((3, 3), np.float32)"),
    "M": ("jnp.array(np.eye(3))",),
    "a": ("np.array([True, False, True])",),
    "A": ("jnp.array([True, False, True])",),
    "q": ("np.array([2, 0, 1])",),
    "Q": ("jnp.array([2, 0, 1])",),
    "k": ("jax.random.PRNGKey(0)",),
    "s": tuple(repr(mode) for mode in MODES),
    "L": ("[0.5, 1.5]", "(1.0, 2.0, 3.0)"),
    "l": ("[0.5, 1.5]",),
    "d": ("{'scale': 0.5, 'shift': 1.0}",),
    "P": ("{'w': np.eye(3, dtype=np.float32), 'b': np.ones(3, np.float32)}",),
    "T": ("(0.5, np.ones(3, np.float32))",),
    "W": ("[np.ones(3, np.float32), np.zeros(3, np.float32)]",),
    "?f": ("None", "0.5", "None"),
    "?v": ("None", "np.ones(3, np.float32)"),
}
"""What a module passes to its entry points; other kinds take a literal. Cheap to run eagerly."""


def narrower(kind: str) -> Iterable[str]:
    """The kinds that serve as one."""
    return NARROWER.get(kind, (kind,))


def parts(kind: str, text: str) -> list[tuple[str, str]]:
    """What can be reached in a value of a builtin kind: expressions with their kinds."""
    found = {
        "T": [(f"{text}[0]", "f"), (f"{text}[1]", "v")],
        "P": [(f"{text}['w']", "m"), (f"{text}['b']", "v")],
        "d": [(f"{text}['{key}']", "f") for key in KEYS],
        "L": [(f"{text}[0]", "f"), (f"{text}[-1]", "f")],
        "l": [(f"{text}[0]", "f")],
        "W": [(f"{text}[0]", "v")],
        "m": [(f"{text}[0]", "v")],
        "M": [(f"{text}[0]", "V")],
    }
    return found.get(kind, [])
