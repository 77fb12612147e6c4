"""What code asks of an object: the methods that it calls, and the attributes that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jaxlint.base.dataclass import slotted
from jaxlint.dataflow.idioms import attribute_of
from jaxlint.dataflow.memo import answered_once
from jaxlint.dataflow.names import assigned, dotted_text, is_none_literal, walk
from jaxlint.engine.domain.environment import Frame
from jaxlint.knowledge.transforms import OPERATORS, WRAPPERS
from jaxlint.project.class_members import ALIKE, LEAST_WORD, is_common, word_of
from jaxlint.syntax import ir

_NOT_OF_CLASSES = frozenset({"Any", "Callable", "None", "Optional", "Union", "object"})
# The last names of functions of JAX that run a function, which comes first.
_RUNNING = frozenset(
    name.rpartition(".")[2] for name in (*WRAPPERS, *OPERATORS) if name.startswith("jax.")
)
# The name of a method, how many positional arguments a call has (less than none where that cannot
# be told), and its keywords.
Shape = tuple[str, int, frozenset[str]]


@slotted(frozen=True)
class Asked:
    """`called` are names of methods, `read` those of other attributes, `calls` the calls; `kin` is
    the class that an annotation names, empty where there is none."""

    called: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    calls: frozenset[Shape] = frozenset()
    kin: str = ""

    @property
    def methods(self) -> frozenset[str]:
        """The methods that tell something: those that objects of few kinds have."""
        return frozenset(name for name in self.called if not is_common(name))


def named_after(asked: Asked, name: str) -> Asked | None:
    """What is asked of an object that may go by the name of its class, as `trainer` does; None
    where an annotation names the class, or the last word of the name is short."""
    word = word_of(name.rpartition(".")[2])
    if asked.kin or len(word) < LEAST_WORD:
        return None
    return Asked(asked.called, asked.read, asked.calls, ALIKE + word)


def asked_of(frame: Frame, node: ir.Expr) -> Asked | None:
    """What the code around asks of an object, by its name or by that of an attribute of one."""
    around = _code_around(frame, node)
    return None if around is None else asked_within(*around, node)


def read_as(frame: Frame, node: ir.Expr) -> frozenset[str]:
    """The attributes of other objects that the code around binds a name, or an attribute of its
    own object, to: `apply` after `self.policy = net.apply`."""
    around = _code_around(frame, node)
    func, cls = around or (None, None)
    text = dotted_text(node)
    root, _, attr = text.partition(".")
    if func is None or not attr:
        return frozenset() if func is None else _read_into(func).get(text, frozenset())
    is_own = cls is not None and bool(func.params) and func.params[0].name == root
    return _read_into(cls).get(text, frozenset()) if is_own and cls is not None else frozenset()


@answered_once
def _read_into(owner: ir.FunctionDef | ir.ClassDef) -> Mapping[str, frozenset[str]]:
    """By what is assigned to, as written, the attributes of other objects that are assigned."""
    found: dict[str, frozenset[str]] = {}
    for one in walk(owner.body):
        targets, value = assigned(one)
        if isinstance(value, ir.Attribute):
            for target in targets:
                text = dotted_text(target)
                found[text] = found.get(text, frozenset()) | {value.attr}
    return found


def _code_around(frame: Frame, node: ir.Expr) -> tuple[ir.FunctionDef, ir.ClassDef | None] | None:
    """The function that a name belongs to, or the object whose attribute it is, and the class
    whose method that is."""
    root: ir.Expr = node
    while isinstance(root, ir.Attribute):
        root = root.value
    if not isinstance(root, ir.Name):
        return None
    within: Frame | None = frame
    while within is not None and not (_has_names(within) and root.id in within.bound):
        within = within.parent
    while within is not None and within.func is None:
        within = within.parent  # The names of a comprehension are asked by the code around it.
    if within is None or within.func is None:
        return None
    return within.func, within.cls.node if within.cls is not None else None


def _has_names(frame: Frame) -> bool:
    """Whether the names that a frame binds are those of a function or of an expression in one."""
    return frame.func is not None or frame.kind == "comprehension"


def asked_within(func: ir.FunctionDef, cls: ir.ClassDef | None, node: ir.Expr) -> Asked | None:
    """What a function, or the class whose method it is, asks of an object that goes by a name or
    an attribute in it."""
    text = dotted_text(node)
    root = text.partition(".")[0]
    if root == text:
        return _annotated(_asked(func).get(text), func.params, text)
    if cls is None or not func.params or func.params[0].name != root:
        return _asked(func).get(text)
    return _of_kin(_asked(cls).get(text), _attribute_kin(cls).get(text.partition(".")[2], ""))


def _annotated(asked: Asked | None, params: Iterable[ir.Param], name: str) -> Asked | None:
    """The same with the class that the annotation of a parameter names."""
    for param in params:
        if param.name == name and param.kind not in ("vararg", "kwarg"):
            return _of_kin(asked, _class_name(param.annotation))
    return asked


def _of_kin(asked: Asked | None, kin: str) -> Asked | None:
    """The same of an object whose class is named, as far as it is."""
    if not kin:
        return asked
    known = asked or Asked()
    return Asked(known.called, known.read, known.calls, kin)


@answered_once
def _attribute_kin(cls: ir.ClassDef) -> Mapping[str, str]:
    """The classes of attributes that the class annotates, or to which a method assigns one of its
    parameters or a new object; of an attribute that is given several, none."""
    found: dict[str, set[str]] = {}
    for one in cls.body:
        if isinstance(one, ir.AnnAssign) and isinstance(one.target, ir.Name):
            found.setdefault(one.target.id, set()).add(_class_name(one.annotation))
    for method in cls.body:
        if not isinstance(method, ir.FunctionDef) or not method.params:
            continue
        kinds = {param.name: _class_name(param.annotation) for param in method.params[1:]}
        for one in walk(method.body):
            targets, value = assigned(one)
            named = _class_name(one.annotation) if isinstance(one, ir.AnnAssign) else ""
            given = _kin_of(value, kinds)
            for target in targets:
                if isinstance(target, ir.Name):
                    kinds[target.id] = kinds.get(target.id) or given
                name = attribute_of(target, method.params[0].name)
                if name:
                    found.setdefault(name, set()).add(named or given)
    return {name: kin for name, (kin, *others) in found.items() if kin and not others}


def _kin_of(value: ir.Expr | None, kinds: Mapping[str, str]) -> str:
    """The class of what a method assigns: that of a parameter or of a new object, or of what stands
    in for one (`options or Options()`)."""
    if isinstance(value, ir.Name):
        return kinds.get(value.id, "")
    if isinstance(value, ir.Call):
        return _class_name(value.func)
    parts: tuple[ir.Expr, ...] = ()
    if isinstance(value, ir.BoolOp) and value.op == "or":
        parts = value.values
    elif isinstance(value, ir.IfExp):
        parts = value.body, value.orelse
    named = {_kin_of(one, kinds) for one in parts} - {""}
    return named.pop() if len(named) == 1 else ""


def _class_name(annotation: ir.Expr | None) -> str:
    """The last name of a class, as far as it is one of a project; of one that may be None too."""
    if isinstance(annotation, ir.BinOp) and annotation.op == "|":
        sides = annotation.left, annotation.right
        rest = [one for one in sides if not is_none_literal(one)]
        return _class_name(rest[0]) if len(rest) == 1 else ""
    if isinstance(annotation, ir.Subscript) and dotted_text(annotation).endswith("Optional"):
        return _class_name(annotation.index)
    if isinstance(annotation, ir.Const) and isinstance(annotation.value, str):
        name = annotation.value.rpartition(".")[2]
    elif isinstance(annotation, (ir.Name, ir.Attribute)):
        name = dotted_text(annotation).rpartition(".")[2]
    else:
        return ""
    is_class = name.isidentifier() and name.lstrip("_")[:1].isupper()
    return name if is_class and name not in _NOT_OF_CLASSES else ""


@answered_once
def _asked(code: ir.FunctionDef | ir.ClassDef) -> Mapping[str, Asked]:
    """What code asks of objects, by the names that it has for them."""
    calls: dict[str, set[Shape]] = {}
    read: dict[str, set[str]] = {}
    for one in walk(code.body):
        if isinstance(one, ir.Call) and isinstance(one.func, ir.Attribute):
            calls.setdefault(dotted_text(one.func.value), set()).add(_shape(one, one.func.attr))
            for method in _run_by(one):
                calls.setdefault(dotted_text(method.value), set()).add(
                    (method.attr, -1, frozenset())
                )
        elif isinstance(one, ir.Attribute) and isinstance(one.value, (ir.Name, ir.Attribute)):
            read.setdefault(dotted_text(one.value), set()).add(one.attr)
    found = {}
    for name, attributes in read.items():
        called = frozenset(method for method, _, _ in calls.get(name, ()))
        found[name] = Asked(called, frozenset(attributes), frozenset(calls.get(name, ())))
    return found


def _run_by(call: ir.Call) -> list[ir.Attribute]:
    """The methods of objects that a function of JAX is given to run: `jax.vmap(env.step)`."""
    is_named = isinstance(call.func, (ir.Attribute, ir.Name))
    if not is_named or dotted_text(call.func).rpartition(".")[2] not in _RUNNING:
        return []
    return [one.value for one in call.args if isinstance(one.value, ir.Attribute)][:1]


def _shape(call: ir.Call, name: str) -> Shape:
    starred = any(one.star for one in call.args)
    keywords = frozenset(one.keyword for one in call.args if one.keyword)
    positional = sum(not one.keyword for one in call.args)
    return name, -1 if starred else positional, keywords
