"""Transfer functions of expressions: what each evaluates to."""

from __future__ import annotations

from jaxlint.dataflow.names import updates
from jaxlint.engine.checks.concretization.format_specs import (
    specification,
)
from jaxlint.engine.domain.arguments import Args
from jaxlint.engine.domain.enums import KEYS
from jaxlint.engine.domain.environment import Frame
from jaxlint.engine.domain.pytrees import finds_traced
from jaxlint.engine.domain.special_values import TracedString
from jaxlint.engine.domain.typestate import paths
from jaxlint.engine.domain.values import (
    NONE,
    STR,
    Function,
    Iterator,
    Mapping,
    Sequence,
    Static,
    Traced,
    Value,
    as_traced,
    join,
    join_all,
)
from jaxlint.engine.interpreter.comprehensions import comprehension
from jaxlint.engine.machine.machine import Machine
from jaxlint.engine.machine.semantics import Eval
from jaxlint.engine.operations.arithmetic import binary, unary
from jaxlint.engine.operations.attribute_stores import keep_function
from jaxlint.engine.operations.attributes import attribute
from jaxlint.engine.operations.conditions.narrowing import asked, narrow, restore
from jaxlint.engine.operations.conditions.short_circuit import Guards
from jaxlint.engine.operations.conditions.truth import compare, truth, truth_of
from jaxlint.engine.operations.containers.dicts import overridden
from jaxlint.engine.operations.containers.iteration import iterate
from jaxlint.engine.operations.subscripts import subscript
from jaxlint.engine.relations.tracer_tests import either, every
from jaxlint.syntax import ir


def constant(machine: Machine, frame: Frame, node: ir.Const) -> Value:
    return NONE if node.value is None else Static(node.value)


def name(machine: Machine, frame: Frame, node: ir.Name) -> Value:
    return machine.lookup(frame, node.id, node)


def attribute_of(machine: Machine, frame: Frame, node: ir.Attribute) -> Value:
    return attribute(machine, frame, node, machine.eval(frame, node.value), node.attr)


def subscript_of(machine: Machine, frame: Frame, node: ir.Subscript) -> Value:
    base = machine.eval(frame, node.value)
    index = machine.eval(frame, node.index)
    return subscript(machine, frame, node, base, index)


def slice_of(machine: Machine, frame: Frame, node: ir.Slice) -> Value:
    """A slice is a tuple of its bounds, of kind "slice"."""
    bounds = [
        NONE if part is None else machine.eval(frame, part)
        for part in (node.lower, node.upper, node.step)
    ]
    return Sequence("slice", bounds, frame.trace)


def call_of(machine: Machine, frame: Frame, node: ir.Call) -> Value:
    func = machine.eval(frame, node.func)
    args = arguments(machine, frame, node)
    return machine.call(frame, node, func, args)


def arguments(machine: Machine, frame: Frame, node: ir.Call) -> Args:
    """Evaluates the arguments of a call."""
    args = Args()
    for argument in node.args:
        value = machine.eval(frame, argument.value)
        if argument.star == "*":
            _spread(machine, frame, argument.value, value, args)
        elif argument.star == "**":
            _spread_keywords(machine, argument.value, value, args)
        elif argument.keyword is not None:
            args.keywords[argument.keyword] = value
            args.keyword_nodes[argument.keyword] = argument.value
        elif args.rest is not None:
            args.rest = join(args.rest, value)
        else:
            args.positional.append(value)
            args.nodes.append(argument.value)
    return args


def _spread(machine: Machine, frame: Frame, node: ir.Expr, value: Value, args: Args) -> None:
    if isinstance(value, Sequence) and value.items is not None and args.rest is None:
        args.positional.extend(value.items)
        args.nodes.extend([node] * len(value.items))
        return
    if isinstance(value, Sequence) and value.head is not None and args.rest is None:
        first, args.rest = value.head
        args.positional.extend(first)
        args.nodes.extend([node] * len(first))
        return
    element, _, _ = iterate(machine, frame, node, value, "unpacking")
    args.rest = element if args.rest is None else join(args.rest, element)


def _spread_keywords(machine: Machine, node: ir.Expr, value: Value, args: Args) -> None:
    if isinstance(value, Mapping):
        for known, item in value.items.items():
            if isinstance(known, str):
                args.keywords.setdefault(known, item)
                args.keyword_nodes.setdefault(known, node)
        if value.open or value.element is not None:
            args.more = value.element or machine.unknown("keywords")
    else:
        args.more = machine.unknown("keywords")


def binary_of(machine: Machine, frame: Frame, node: ir.BinOp) -> Value:
    """Left spines of any length are evaluated without recursion."""
    spine: list[ir.BinOp] = []
    inner: ir.Expr = node
    while isinstance(inner, ir.BinOp):
        spine.append(inner)
        inner = inner.left
    left = machine.eval(frame, inner)
    for step in reversed(spine):
        right = machine.eval(frame, step.right)
        if step.op == "%" and isinstance(left, Static):
            for heard in machine.checks.percent_format:
                heard(machine, frame, left, right, step.right)
        left = binary(machine, frame, step, step.op, left, right, step.left, step.right)
    return left


def unary_of(machine: Machine, frame: Frame, node: ir.UnaryOp) -> Value:
    if node.op == "not":
        answer = truth(machine, frame, node.operand, "not")
        if answer is None:
            return asked(machine, node) or Static(kind="bool")
        return Static(not answer)
    return unary(machine, frame, node, node.op, machine.eval(frame, node.operand))


def boolean(machine: Machine, frame: Frame, node: ir.BoolOp) -> Value:
    """`and` and `or` as values: every operand but the last is asked for its truth."""
    stop = node.op == "or"
    results: list[Value] = []
    held: dict[str, Value | None] = {}
    guards = Guards(machine, frame)
    for operand in node.values[:-1]:
        with guards.around(operand):
            value = machine.eval(frame, operand)
            answer = truth_of(machine, frame, operand, value, "or" if stop else "and")
        if answer is not (not stop):
            results.append(value)
        if answer is stop:
            break
        if answer is None:
            guards.add(operand)
        for narrowed, new in narrow(machine, frame, operand, not stop).items():
            held.setdefault(narrowed, frame.env.get(narrowed))
            frame.env[narrowed] = new
    else:
        with guards.around(node.values[-1]):
            results.append(machine.eval(frame, node.values[-1]))
    restore(frame, held)
    if len(results) > 1 and all(isinstance(v, Static) and v.kind == "bool" for v in results):
        return (either if stop else every)(results) or join_all(results)
    return join_all(results)


def comparison(machine: Machine, frame: Frame, node: ir.Compare) -> Value:
    if node.ops[0] in ("in", "not in") and not frame.trace.is_host:
        for heard in machine.checks.membership:
            heard(machine, frame, node)
    return compare(machine, frame, node, "chain")


def conditional(machine: Machine, frame: Frame, node: ir.IfExp) -> Value:
    answer = truth(machine, frame, node.test, "ifexp")
    results: list[Value] = []
    branches = [(True, node.body)] if answer is not False else []
    branches += [(False, node.orelse)] if answer is not True else []
    with machine.within(conditions=machine.dynamic.conditions + (answer is None)):
        for outcome, branch in paths(machine, branches):
            changes = narrow(machine, frame, node.test, outcome)
            held = {n: frame.env.get(n) for n in changes}
            frame.env.update(changes)
            results.append(machine.eval(frame, branch))
            restore(frame, held)
    return join_all(results)


def function_value(machine: Machine, frame: Frame, node: ir.FunctionDef) -> Function:
    """The function object that a `def` or lambda makes here."""
    defaults = {
        p.name: machine.eval(frame, p.default) for p in node.params if p.default is not None
    }
    if frame.kind != "module":
        machine.program.closed_over.append(frame)
    func = Function(node, frame, defaults, frame.cls if frame.kind == "class" else None, frame.loop)
    machine.later(func)
    for heard in machine.checks.definition:
        heard(machine, frame, node, defaults)
    return func


def lambda_of(machine: Machine, frame: Frame, node: ir.Lambda) -> Value:
    return function_value(machine, frame, node.function)


def display(machine: Machine, frame: Frame, node: ir.Sequence) -> Value:
    items: list[Value] | None = []
    element: Value | None = None
    holds: Traced | None = None
    head: tuple[list[Value], Value] | None = None
    for item in node.items:
        if isinstance(item, ir.Starred):
            value = machine.eval(frame, item.value)
            if isinstance(value, Sequence) and value.items is not None and items is not None:
                items.extend(value.items)
                continue
            one, _, _ = iterate(machine, frame, item.value, value, "unpacking")
            holds = holds or as_traced(one) or next(filter(None, map(as_traced, items or ())), None)
            element = join_all([*(items or []), one, *([element] if element else [])])
            head = (items or [], one) if head is None else (head[0], join(head[1], one))
            items = None
            continue
        value = machine.eval(frame, item)
        if items is None:
            head = head and (head[0], join(head[1], value))
            holds = holds or as_traced(value)
            element = value if element is None else join(element, value)
        else:
            items.append(value)
        if node.kind == "set":
            for heard in machine.checks.hash:
                heard(machine, frame, item, value, "element")
    made = Sequence(node.kind, items, frame.trace, element, frame.path, node)
    made.holds = holds
    made.head = head if node.kind == "tuple" else None
    made.local = frame.home().kind == "function"
    return made


def mapping(machine: Machine, frame: Frame, node: ir.Dict) -> Value:
    result = Mapping({}, frame.trace, path=frame.path, made=node)
    result.local = frame.home().kind == "function"
    for key_node, value_node in node.items:
        value = machine.eval(frame, value_node)
        if key_node is None:
            overridden(machine, result, value)
            if isinstance(value, Mapping):
                result.items.update(value.items)
                result.open |= value.open
                if value.element is not None:
                    result.element = value.element
            else:
                result.open = True
                child = as_traced(value)
                result.element = value if child else machine.unknown("unpacked mapping")
            continue
        key = machine.eval(frame, key_node)
        const = key.const if isinstance(key, Static) and key.known else None
        if isinstance(const, KEYS):
            result.items[const] = value
        else:
            for heard in machine.checks.hash:
                heard(machine, frame, key_node, key, "key")
            result.element = value if result.element is None else join(result.element, value)
    return result


def joined_string(machine: Machine, frame: Frame, node: ir.JoinedString) -> Value:
    first: Traced | None = None
    places = []
    for part in node.parts:
        if isinstance(part, ir.Formatted):
            value = machine.eval(frame, part.value)
            machine.tally.asked(frame, part.value, value, "format")
            for heard in machine.checks.format:
                heard(machine, frame, part.value, value, specification(part), "f-string")
            traced = finds_traced(value)
            if traced is not None:
                first = first or traced
                places.append(part.value)
            if part.spec is not None:
                joined_string(machine, frame, part.spec)
    return STR if first is None else TracedString(first, *places)


def walrus(machine: Machine, frame: Frame, node: ir.NamedExpr) -> Value:
    value = machine.eval(frame, node.value)
    how = "augment" if updates(node.value, node.target) else "assign"
    machine.bind(frame.home(), node.target.id, value, node, how)
    return value


def awaited(machine: Machine, frame: Frame, node: ir.Await) -> Value:
    value = machine.eval(frame, node.value)
    if isinstance(value, Iterator) and value.source == "coroutine":
        return value.element
    return machine.unknown("awaited")


def yielded(machine: Machine, frame: Frame, node: ir.Yield) -> Value:
    value = NONE if node.value is None else machine.eval(frame, node.value)
    keep_function(frame, value, node)
    home = frame.home()
    known: list[Value] | None = [value]
    if node.delegates and node.value is not None:
        value, known, _ = iterate(machine, frame, node.value, value, "yield from")
    home.ordered &= known is not None and home.path is home.start and not home.parted
    home.yields.extend([value] if known is None else known)
    return machine.unknown("sent value")


def starred(machine: Machine, frame: Frame, node: ir.Starred) -> Value:
    element, _, _ = iterate(
        machine, frame, node.value, machine.eval(frame, node.value), "unpacking"
    )
    return element


def formatted(machine: Machine, frame: Frame, node: ir.Formatted) -> Value:
    machine.eval(frame, node.value)
    return STR


EVALUATORS: dict[type, Eval] = {
    ir.Const: constant,
    ir.Name: name,
    ir.Attribute: attribute_of,
    ir.Subscript: subscript_of,
    ir.Slice: slice_of,
    ir.Call: call_of,
    ir.BinOp: binary_of,
    ir.UnaryOp: unary_of,
    ir.BoolOp: boolean,
    ir.Compare: comparison,
    ir.IfExp: conditional,
    ir.Lambda: lambda_of,
    ir.Sequence: display,
    ir.Dict: mapping,
    ir.Comprehension: comprehension,
    ir.JoinedString: joined_string,
    ir.Formatted: formatted,
    ir.Starred: starred,
    ir.NamedExpr: walrus,
    ir.Await: awaited,
    ir.Yield: yielded,
}
