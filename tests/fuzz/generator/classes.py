"""Classes of a module: structures that JAX takes apart, settings, objects with methods."""

from __future__ import annotations

from generator.functions import body, enter, signature, written
from generator.kinds import ARGUMENTS, LITERALS
from generator.names import CLASSES, CONFIGS, FUNCTIONS, MEMBERS, STRUCTURES
from generator.scope import Function, Parameter, Scope, Structure
from generator.writer import Writer


def structure(w: Writer, scope: Scope) -> None:
    """A class of arrays that JAX takes apart: most often: a plain dataclass is no tree."""
    name = w.fresh(scope, "", STRUCTURES)
    flavour = w.choice(["tuple", "tuple", "data", "node", "plain"])
    fields = _fields(w, [w.choice("fvvmi") for _ in range(w.rng.randint(2, 3))])
    head = {
        "tuple": [f"class {name}(NamedTuple):"],
        "data": ["@dataclasses.dataclass", f"class {name}:"],
        "plain": ["@dataclasses.dataclass", f"class {name}:"],
        "node": [
            "@jax.tree_util.register_pytree_node_class",
            "@dataclasses.dataclass",
            f"class {name}:",
        ],
    }[flavour]
    w.emit("", "", *head)
    _declare(w, fields, {})
    if flavour == "node":
        listed = ", ".join(f"self.{each}" for each, _ in fields)
        w.emit("", "    def tree_flatten(self):", f"        return ({listed}), None")
        w.emit("", "    @classmethod", "    def tree_unflatten(cls, aux, children):")
        w.emit("        return cls(*children)")
    members = _members(w, scope, fields, "fv") if w.chance(0.5) else ()
    w.structures[name] = Structure(name, fields, flavour, members)
    if flavour == "data":
        w.emit("", "", "jax.tree_util.register_dataclass(")
        w.emit(f"    {name}, data_fields={[each for each, _ in fields]}, meta_fields=[]", ")")


def config(w: Writer, scope: Scope) -> None:
    """A frozen dataclass of settings, and one of them for all to see."""
    name = w.fresh(scope, "", CONFIGS)
    fields = _fields(w, [w.choice("fnbs") for _ in range(w.rng.randint(2, 4))])
    w.emit("", "", "@dataclasses.dataclass(frozen=True)", f"class {name}:")
    _declare(w, fields, {each: w.choice(LITERALS[kind]) for each, kind in fields})
    members = _members(w, scope, fields, "fnb") if w.chance(0.5) else ()
    w.structures[name] = Structure(name, fields, "frozen", members)
    constant = w.fresh(scope, "", "DEFAULTS CONFIG SETTINGS")
    given = ", ".join(f"{each}={w.choice(LITERALS[kind])}" for each, kind in fields)
    w.emit("", "", f"{constant} = {name}({given})")
    w.bind(scope, constant, name, own=False)


def _members(
    w: Writer, scope: Scope, fields: tuple[tuple[str, str], ...], kinds: str
) -> tuple[tuple[str, str], ...]:
    """A property or a method of a structure, made of its fields."""
    inner = scope.nested()
    inner.taken.update(each for each, _ in fields)
    inner.values += [(f"self.{each}", kind) for each, kind in fields]
    kind = w.choice(kinds)
    name = w.fresh(inner, "", "combined derived overall summary")
    if w.chance(0.5):
        w.emit("", "    @property", f"    def {name}(self):")
        w.emit(f"        return {w.value(kind, inner)}")
        return ((name, kind),)
    w.emit("", f"    def {name}(self, factor=1.0):")
    w.bind(inner, "factor", "f")
    w.indent += 2
    w.block(inner, 2, w.rng.randint(0, 1))
    w.indent -= 2
    w.emit(f"        return {w.value(kind, inner)}")
    return ((f"{name}()", kind), (f"{name}(2.0)", kind), (f"{name}(factor=0.5)", kind))


def _fields(w: Writer, kinds: list[str]) -> tuple[tuple[str, str], ...]:
    inner = Scope()
    return tuple((w.fresh(inner, kind, MEMBERS[kind]), kind) for kind in kinds)


_ANNOTATIONS = {"f": "float", "n": "int", "i": "int", "b": "bool", "s": "str"}


def _declare(w: Writer, fields: tuple[tuple[str, str], ...], defaults: dict[str, str]) -> None:
    for name, kind in fields:
        usual = f" = {defaults[name]}" if name in defaults else ""
        annotation = _ANNOTATIONS.get(kind, "jax.Array") if defaults else "jax.Array"
        w.emit(f"    {name}: {annotation}{usual}")


def model(w: Writer, scope: Scope) -> list[tuple[str, Function]]:
    """A class with settings of its own; its methods, by the text that calls them.

    The kind of method: "jit" if it is jitted with a static `self`, else "plain".
    """
    name = w.fresh(scope, "", CLASSES)
    inherited = _base(w, scope) if w.chance(0.35) else ()
    fields = _fields(w, [w.choice("ffvns") for _ in range(w.rng.randint(2, 3))])
    w.emit("", "", f"class {name}{'(Base)' if inherited else ''}:")
    w.indent += 1
    w.emit(f"def __init__(self, {', '.join(each for each, _ in fields)}):")
    w.emit(*(["    super().__init__(0.5)"] if inherited else []))
    w.emit(*(f"    self.{each} = {each}" for each, _ in fields), "    self.calls = 0")
    methods: list[tuple[str, Function]] = []
    inner = scope.nested()
    inner.values += [(f"self.{each}", kind) for each, kind in fields]
    inner.functions += inherited
    inner.values += [("self.slope", "f")] if inherited else []
    inner.taken |= {"self", *(each for each, _ in fields)}
    instance = name.lower()
    for number in range(w.rng.randint(1, 2)):
        kinds = [w.choice("ffvvi") for _ in range(w.rng.randint(1, 2))]
        parameters = signature(w, inner, kinds)
        parameters = tuple(each for each in parameters if each.style not in ("varargs", "varkw"))
        method = w.fresh(inner, "", f"{FUNCTIONS} loss step __call__" if number else "loss forward")
        result = w.choice("ffv")
        decorated = method != "__call__" and w.chance(0.4)
        w.emit("")
        if decorated:
            static = w.choice(["static_argnums=0", "static_argnums=(0,)", "static_argnames='self'"])
            w.emit(f"@functools.partial(jax.jit, {static})")
        w.emit(f"def {method}(self, {written(parameters)}):")
        within = enter(w, inner, parameters)
        if w.chance(0.15):
            w.emit("    self.calls += 1")
        body(w, within, result, w.rng.randint(1, 3), 1)
        text = instance if method == "__call__" else f"{instance}.{method}"
        methods.append(("jit" if decorated else "plain", Function(text, parameters, result)))
        own = "self" if method == "__call__" else f"self.{method}"
        if not decorated:
            inner.functions.append(Function(own, parameters, result))
    w.indent -= 1
    given = ", ".join(w.choice(ARGUMENTS.get(kind, LITERALS.get(kind))) for _, kind in fields)
    w.emit("", "", f"{instance} = {name}({given})")
    w.bind(scope, instance, f"object {name}", own=False)
    for each, kind in fields:
        scope.values.append((f"{instance}.{each}", kind))
    scope.functions += [function for _, function in methods]
    return methods


def _base(w: Writer, scope: Scope) -> tuple[Function, ...]:
    """A base class; its methods, by the text that calls them in a subclass."""
    inner = scope.nested()
    inner.values.append(("self.slope", "f"))
    w.emit("", "", "class Base:", "    def __init__(self, slope):", "        self.slope = slope")
    w.indent += 1
    found = []
    for name, decorator, own in w.rng.sample(
        [
            ("activate", "", "self"),
            ("rescaled", "@staticmethod", ""),
            ("build_weight", "@classmethod", "cls"),
        ],
        2,
    ):
        kind = w.choice("fv")
        given = ", ".join(filter(None, (own, "value_in")))
        w.emit("", *([decorator] if decorator else []), f"def {name}({given}):")
        within = enter(w, inner if own == "self" else scope.nested(), [Parameter("value_in", kind)])
        w.indent += 1
        w.block(within, 2, w.rng.randint(0, 1))
        w.emit(f"return {w.value(kind, within)}")
        w.indent -= 1
        found.append(Function(f"self.{name}", (Parameter("value_in", kind, "only"),), kind))
    w.indent -= 1
    return tuple(found)
