"""The names by which attrs makes classes and fields; `tests/knowledge/test_attrs.py` uses each."""

_PACKAGES = ("attr", "attrs")

DECORATORS: frozenset[str] = frozenset(
    {
        *("attr.s", "attr.attrs", "attr.attributes", "attr.dataclass"),
        *(f"{package}.{name}" for package in _PACKAGES for name in ("define", "frozen", "mutable")),
    }
)
FIELDS: frozenset[str] = frozenset(
    {"attr.ib", "attr.attrib", "attr.attr", "attr.field", "attrs.field"}
)
COPIES: frozenset[str] = frozenset({"attr.evolve", "attrs.evolve"})
FACTORY = "attr.Factory"
POST_INIT = "__attrs_post_init__"
