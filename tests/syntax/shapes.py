"""IR and `ast` as nested tuples: two independent readings of a file that must be equal."""

from __future__ import annotations

import ast
from typing import Any

from jaxlint.syntax import ir

_ANY = ast.Name("_")


def _spelling(op: ast.AST) -> str:
    """How Python itself writes an operator."""
    node: ast.expr
    match op:
        case ast.operator():
            node = ast.BinOp(_ANY, op, _ANY)
        case ast.unaryop():
            node = ast.UnaryOp(op, _ANY)
        case ast.boolop():
            node = ast.BoolOp(op, [_ANY, _ANY])
        case _:
            node = ast.Compare(_ANY, [op], [_ANY])
    return ast.unparse(node).strip("_ ")


def of_ir(node: Any) -> Any:
    """A tuple of the kind of a node and its parts, without its origin and scope facts."""
    match node:
        case tuple():
            return tuple(of_ir(one) for one in node)
        case ir.Const():
            return ("Const", type(node.value).__name__, repr(node.value))
        case ir.JoinedString():
            return ("JoinedString", *_joined(of_ir(node.parts)))
        case ir.BoolOp():
            return ("BoolOp", node.op, _flat(node.op, of_ir(node.values)))
        case ir.FunctionDef(is_lambda=True):
            return ("Lambda", of_ir(node.params), of_ir(node.body[0].value))
        case ir.Lambda():
            return of_ir(node.function)
        case ir.FunctionDef():
            parts = (node.params, node.body, node.decorators, node.returns)
            return ("FunctionDef", node.name, node.is_async, *of_ir(parts))
        case ir.Argument() | ir.Clause() | ir.Handler() | ir.Case() | ir.Param() | ir.Node():
            names = [name for name in node.__dataclass_fields__ if name != "origin"]
            return (type(node).__name__, *(of_ir(getattr(node, name)) for name in names))
    return node


def _flat(op: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    found: list[Any] = []
    for value in values:
        found += value[2] if value[:2] == ("BoolOp", op) else (value,)
    return tuple(found)


def _joined(parts: tuple[Any, ...]) -> list[Any]:
    """Neighbouring texts as one, empty ones left out."""
    found: list[Any] = []
    for part in parts:
        if part[0] == "Const":
            text = ast.literal_eval(part[2])
            if found and found[-1][0] == "text":
                text = found.pop()[1] + text
            if text:
                found.append(("text", text))
        else:
            found.append(part)
    return found


def of_ast(node: Any) -> Any:
    """The same tuple for a node of `ast`."""
    if isinstance(node, list):
        return tuple(one for one in map(of_ast, node) if one is not None)
    if node is None or isinstance(node, (str, int)):
        return node
    return globals()[f"_{type(node).__name__.lower()}"](node)


def _constant(node: ast.Constant) -> Any:
    return ("Const", type(node.value).__name__, repr(node.value))


def _name(node: ast.Name) -> Any:
    return ("Name", node.id)


def _attribute(node: ast.Attribute) -> Any:
    return ("Attribute", of_ast(node.value), node.attr)


def _subscript(node: ast.Subscript) -> Any:
    return ("Subscript", of_ast(node.value), of_ast(node.slice))


def _slice(node: ast.Slice) -> Any:
    return ("Slice", of_ast(node.lower), of_ast(node.upper), of_ast(node.step))


def _arguments_of(nodes: list[ast.expr], keywords: list[ast.keyword]) -> Any:
    """Arguments in the order of the source."""
    found = []
    for node in nodes:
        starred = isinstance(node, ast.Starred)
        value = node.value if isinstance(node, ast.Starred) else node
        place = (node.lineno, node.col_offset)
        found.append((place, ("Argument", of_ast(value), None, "*" if starred else "")))
    for keyword in keywords:
        place = (keyword.lineno, keyword.col_offset)
        star = "" if keyword.arg else "**"
        found.append((place, ("Argument", of_ast(keyword.value), keyword.arg, star)))
    return tuple(argument for _, argument in sorted(found, key=lambda pair: pair[0]))


def _call(node: ast.Call) -> Any:
    return ("Call", of_ast(node.func), _arguments_of(node.args, node.keywords))


def _binop(node: ast.BinOp) -> Any:
    return ("BinOp", _spelling(node.op), of_ast(node.left), of_ast(node.right))


def _unaryop(node: ast.UnaryOp) -> Any:
    return ("UnaryOp", _spelling(node.op), of_ast(node.operand))


def _boolop(node: ast.BoolOp) -> Any:
    op = _spelling(node.op)
    return ("BoolOp", op, _flat(op, of_ast(node.values)))


def _compare(node: ast.Compare) -> Any:
    ops = tuple(_spelling(op) for op in node.ops)
    return ("Compare", of_ast(node.left), ops, of_ast(node.comparators))


def _ifexp(node: ast.IfExp) -> Any:
    return ("IfExp", of_ast(node.test), of_ast(node.body), of_ast(node.orelse))


def _parameters(node: ast.arguments) -> Any:
    def param(one: ast.arg, kind: str, default: Any) -> Any:
        return ("Param", one.arg, kind, of_ast(default), of_ast(one.annotation))

    found = []
    plain = [(one, "positional") for one in node.posonlyargs] + [(o, "plain") for o in node.args]
    defaults = [None] * (len(plain) - len(node.defaults)) + node.defaults
    for (one, kind), default in zip(plain, defaults, strict=True):
        found.append(param(one, kind, default))
    if node.vararg:
        found.append(param(node.vararg, "vararg", None))
    for one, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        found.append(param(one, "keyword", default))
    if node.kwarg:
        found.append(param(node.kwarg, "kwarg", None))
    return tuple(found)


def _lambda(node: ast.Lambda) -> Any:
    return ("Lambda", _parameters(node.args), of_ast(node.body))


def _sequence(kind: str, node: Any) -> Any:
    return ("Sequence", kind, of_ast(node.elts))


def _tuple(node: ast.Tuple) -> Any:
    return _sequence("tuple", node)


def _list(node: ast.List) -> Any:
    return _sequence("list", node)


def _set(node: ast.Set) -> Any:
    return _sequence("set", node)


def _dict(node: ast.Dict) -> Any:
    pairs = zip(node.keys, node.values, strict=True)
    return ("Dict", tuple((of_ast(key), of_ast(value)) for key, value in pairs))


def _comprehension(node: ast.comprehension) -> Any:
    return ("Clause", of_ast(node.target), of_ast(node.iter), of_ast(node.ifs))


def _comprehended(kind: str, node: Any, element: ast.expr, key: ast.expr | None = None) -> Any:
    return ("Comprehension", kind, of_ast(element), of_ast(key), of_ast(node.generators))


def _listcomp(node: ast.ListComp) -> Any:
    return _comprehended("list", node, node.elt)


def _setcomp(node: ast.SetComp) -> Any:
    return _comprehended("set", node, node.elt)


def _generatorexp(node: ast.GeneratorExp) -> Any:
    return _comprehended("generator", node, node.elt)


def _dictcomp(node: ast.DictComp) -> Any:
    return _comprehended("dict", node, node.value, node.key)


def _joinedstr(node: ast.JoinedStr) -> Any:
    return ("JoinedString", *_joined(of_ast(node.values)))


def _formattedvalue(node: ast.FormattedValue) -> Any:
    conversion = None if node.conversion == -1 else chr(node.conversion)
    return ("Formatted", of_ast(node.value), conversion, of_ast(node.format_spec))


def _starred(node: ast.Starred) -> Any:
    return ("Starred", of_ast(node.value))


def _namedexpr(node: ast.NamedExpr) -> Any:
    return ("NamedExpr", of_ast(node.target), of_ast(node.value))


def _await(node: ast.Await) -> Any:
    return ("Await", of_ast(node.value))


def _yield(node: ast.Yield) -> Any:
    return ("Yield", of_ast(node.value), False)


def _yieldfrom(node: ast.YieldFrom) -> Any:
    return ("Yield", of_ast(node.value), True)


def _assign(node: ast.Assign) -> Any:
    return ("Assign", of_ast(node.targets), of_ast(node.value))


def _augassign(node: ast.AugAssign) -> Any:
    return ("AugAssign", of_ast(node.target), _spelling(node.op), of_ast(node.value))


def _annassign(node: ast.AnnAssign) -> Any:
    return ("AnnAssign", of_ast(node.target), of_ast(node.annotation), of_ast(node.value))


def _expr(node: ast.Expr) -> Any:
    return ("ExprStmt", of_ast(node.value))


def _return(node: ast.Return) -> Any:
    return ("Return", of_ast(node.value))


def _raise(node: ast.Raise) -> Any:
    return ("Raise", of_ast(node.exc), of_ast(node.cause))


def _assert(node: ast.Assert) -> Any:
    return ("Assert", of_ast(node.test), of_ast(node.msg))


def _delete(node: ast.Delete) -> Any:
    targets = of_ast(node.targets)
    if len(targets) == 1 and targets[0][0] == "Sequence":
        targets = targets[0][2]
    return ("Delete", targets)


def _global(node: ast.Global | ast.Nonlocal) -> Any:
    return (type(node).__name__, tuple(node.names))


def _pass(node: ast.Pass) -> Any:
    return None


def _break(node: ast.Break | ast.Continue) -> Any:
    return (type(node).__name__,)


def _names(nodes: list[ast.alias]) -> Any:
    return tuple((one.name, one.asname) for one in nodes)


def _import(node: ast.Import) -> Any:
    return ("Import", _names(node.names))


def _importfrom(node: ast.ImportFrom) -> Any:
    names = None if node.names[0].name == "*" else _names(node.names)
    return ("ImportFrom", node.module or "", node.level, names)


def _if(node: ast.If) -> Any:
    return ("If", of_ast(node.test), of_ast(node.body), of_ast(node.orelse))


def _while(node: ast.While) -> Any:
    return ("While", of_ast(node.test), of_ast(node.body), of_ast(node.orelse))


def _for(node: ast.For | ast.AsyncFor) -> Any:
    return ("For", *map(of_ast, (node.target, node.iter, node.body, node.orelse)))


def _with(node: ast.With | ast.AsyncWith) -> Any:
    items = tuple((of_ast(one.context_expr), of_ast(one.optional_vars)) for one in node.items)
    return ("With", items, of_ast(node.body))


def _try(node: ast.Try | ast.TryStar) -> Any:
    return ("Try", *map(of_ast, (node.body, node.handlers, node.orelse, node.finalbody)))


def _excepthandler(node: ast.ExceptHandler) -> Any:
    return ("Handler", of_ast(node.type), node.name, of_ast(node.body))


def _match(node: ast.Match) -> Any:
    return ("Match", of_ast(node.subject), of_ast(node.cases))


def _match_case(node: ast.match_case) -> Any:
    return ("Case", of_ast(node.pattern), of_ast(node.guard), of_ast(node.body))


def _matchvalue(node: ast.MatchValue) -> Any:
    return ("MatchValue", of_ast(node.value))


def _matchsingleton(node: ast.MatchSingleton) -> Any:
    return ("MatchValue", ("Const", type(node.value).__name__, repr(node.value)))


def _matchsequence(node: ast.MatchSequence) -> Any:
    return ("MatchSequence", of_ast(node.patterns))


def _matchstar(node: ast.MatchStar) -> Any:
    return ("MatchStar", node.name)


def _matchmapping(node: ast.MatchMapping) -> Any:
    pairs = zip(node.keys, node.patterns, strict=True)
    items = tuple((of_ast(key), of_ast(value)) for key, value in pairs)
    return ("MatchMapping", items, node.rest)


def _matchclass(node: ast.MatchClass) -> Any:
    keywords = tuple(zip(node.kwd_attrs, map(of_ast, node.kwd_patterns), strict=True))
    return ("MatchClass", of_ast(node.cls), of_ast(node.patterns), keywords)


def _matchas(node: ast.MatchAs) -> Any:
    return ("MatchAs", of_ast(node.pattern), node.name)


def _matchor(node: ast.MatchOr) -> Any:
    return ("MatchOr", of_ast(node.patterns))


def _functiondef(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
    is_async = type(node) is ast.AsyncFunctionDef
    rest = (of_ast(node.body), of_ast(node.decorator_list), of_ast(node.returns))
    return ("FunctionDef", node.name, is_async, _parameters(node.args), *rest)


def _classdef(node: ast.ClassDef) -> Any:
    bases = [o for o in _arguments_of(node.bases, node.keywords) if o[2] is None and o[3] != "**"]
    named = [o for o in _arguments_of(node.bases, node.keywords) if o not in bases]
    arguments = (*bases, *named)
    return ("ClassDef", node.name, arguments, of_ast(node.body), of_ast(node.decorator_list))


_asyncfor, _asyncwith, _trystar, _asyncfunctiondef = _for, _with, _try, _functiondef
_continue, _nonlocal = _break, _global
