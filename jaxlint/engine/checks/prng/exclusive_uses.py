"""Uses of one key that do not meet: branches, operands of `where`, parts of a split and data that
it has not. Uses that belong together: of one array after another, of what came of the last use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from jaxlint.dataflow.dead_stores import is_dead
from jaxlint.dataflow.idioms import stored_later
from jaxlint.dataflow.names import (
    assigned,
    bound_names,
    dotted_text,
    free_in,
    names_by_text,
    parents,
    parted,
    walk,
)
from jaxlint.dataflow.structure import Layout, layout
from jaxlint.engine.domain import typestate
from jaxlint.engine.domain.values import Bound, LibraryName, Transformed, Value
from jaxlint.engine.evaluation.peek import peek
from jaxlint.knowledge.derivatives import DIFFERENTIATING
from jaxlint.knowledge.transforms import REPEATING
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.engine.domain.environment import Frame, Loop
    from jaxlint.engine.domain.key_identity import Origin
    from jaxlint.engine.machine.machine import Machine

# Methods that draw with the key that they are given.
DRAWING: Final = frozenset({"draw", "rsample", "sample", "sample_and_log_prob", "sample_n"})
# The end of the names by which code waits for the result of a compiled function.
WAITING: Final = "block_until_ready"
# Control flow whose bodies run several times for one trace, as messages name it.
REPEATS = frozenset(name.removeprefix("jax.") for name in REPEATING)


def are_branches(machine: Machine, one: ir.Node, other: ir.Node) -> bool:
    """Whether two expressions are in branches of one `if` that exclude each other."""
    found = parted(body_of(machine), one, other)
    if found is None or not isinstance(found[0], (ir.If, ir.IfExp)):
        return False
    sides = [_branch(found[0], inner) for inner in found[1:]]
    return "" not in sides and sides[0] != sides[1]


def _branch(test: ir.If | ir.IfExp, inner: Any) -> str:
    """The branch that something directly inside belongs to, "" for the test."""
    for name in ("body", "orelse"):
        held = getattr(test, name)
        if any(one is inner for one in (held if isinstance(held, tuple) else (held,))):
            return name
    return ""


def is_selected(machine: Machine, one: ir.Node, other: ir.Node) -> bool:
    """Whether two expressions are alternatives of one `jnp.where` or `lax.select`, perhaps by names
    that are read nowhere else."""
    body = body_of(machine)
    found = parted(body, one, other)
    call = None if found is None else found[0]
    if found is not None and isinstance(call, ir.Call):
        given = found[1] is not call.func and found[2] is not call.func
        return given and _selects(call)
    first, second = _only_use(body, one), _only_use(body, other)
    found = parted(body, first, second) if first is not None and second is not None else None
    call = None if found is None else found[0]
    if found is None or not isinstance(call, ir.Call) or not _selects(call):
        return False
    # The condition is used whatever is taken.
    return all(any(part is one for one in call.args[1:]) for part in found[1:])


def _selects(call: ir.Call) -> bool:
    return dotted_text(call.func).endswith(("where", "select"))


def _only_use(body: tuple[ir.Stmt, ...], node: ir.Node) -> ir.Name | None:
    """The only place that reads the name to which the statement around a node binds its value."""
    around, statement = parents(body), node
    while not isinstance(statement, ir.Stmt):
        outer = around.get(id(statement))
        if outer is None:
            return None
        statement = outer
    targets, _ = assigned(statement)
    names = [target.id for target in targets if isinstance(target, ir.Name)]
    if len(names) != 1 or len(targets) != 1:
        return None
    uses = [one for one in names_by_text(body).get(names[0], ()) if one is not targets[0]]
    return uses[0] if len(uses) == 1 else None


def are_of_one_function(machine: Machine, one: ir.Node, other: ir.Node) -> bool:
    """Whether two calls with one key, of which all numbers come from one place, are of a function
    and of its derivative, or of two derivatives: those belong to the same numbers."""
    return _derivative(machine, one) != _derivative(machine, other)


def _derivative(machine: Machine, node: ir.Node) -> str:
    """The transform by which a call differentiates a function, "" where it does not."""
    if not isinstance(node, ir.Call):
        return ""
    holder = typestate.holder(machine)
    if isinstance(node.func, ir.Call):
        return _differentiates(peek(machine, holder, node.func.func))
    value = peek(machine, holder, node.func)
    while isinstance(value, Transformed):
        if value.record.wrapper.kind == "ad":
            return str(value.record.dotted)
        value = value.func
    return _differentiates(value)


def _differentiates(value: Value | None) -> str:
    """The name of a transform that takes a function to its derivative, "" for any other value."""
    name = value.dotted if isinstance(value, LibraryName) else ""
    return name if name in DIFFERENTIATING else ""


def is_comprehended(frame: Frame, origin: Origin, place: ir.Expr) -> bool:
    """Whether each iteration of a comprehension uses one key from outside it."""
    scope: Frame | None = frame
    own: set[str] = set()
    while scope is not None and scope.kind == "comprehension":
        if scope is origin.root.scope:
            return False
        own.update(scope.env)
        scope = scope.parent
    if scope is frame:
        return False
    if isinstance(place, ir.Subscript) and isinstance(place.index, ir.Const):
        place = place.value
    if isinstance(place, ir.Attribute):
        place = place.value
    if isinstance(place, ir.Name):
        return place.id not in own
    return origin.made is place


def takes(machine: Machine, one: ir.Node, other: ir.Node) -> bool:
    """Whether a call is given what came of another one, by a name that is bound to its result or
    directly: the two are steps of one computation."""
    body = body_of(machine)
    around, statement = parents(body), other
    while not isinstance(statement, ir.Stmt):
        if statement is one:
            return True
        outer = around.get(id(statement))
        if outer is None:
            return False
        statement = outer
    return not bound_names(statement).isdisjoint(free_in(one))


def may_move(machine: Machine, place: ir.Expr) -> bool:
    """Whether code that runs between the turns of a generator may set the attribute that holds a
    key."""
    func = typestate.holder(machine).func
    if func is None or not func.is_generator or not isinstance(place, ir.Attribute):
        return False
    return place.attr in stored_later(machine.module)


def draw_apart(one: ir.Node, other: ir.Node) -> bool:
    """Whether two calls of a method that by its name draws numbers are of different objects, as
    distributions are: `a.draw(key)` and `b.draw(key)`."""
    funcs = [call.func for call in (one, other) if isinstance(call, ir.Call)]
    methods = [func for func in funcs if isinstance(func, ir.Attribute) and func.attr in DRAWING]
    owners = {dotted_text(method.value) for method in methods}
    return len(owners) == 2 and "" not in owners


def is_left_out(machine: Machine, one: ir.Node, other: ir.Node) -> bool:
    """Whether what one expression gives is read in branches only that exclude another one."""
    places = layout(machine.sources.owner(one, machine.module).body)
    statement = places.statement_of(one)
    targets, _ = assigned(statement)
    bound = {id(part) for part in walk(targets)}
    names = frozenset() if statement is None else bound_names(statement)
    uses = [use for name in names for use in names_by_text(body_of(machine)).get(name, ())]
    read = [use for use in uses if id(use) not in bound]
    return bool(read) and all(
        are_branches(machine, other, use) or _leaves_with(places, use, other) for use in read
    )


def _leaves_with(places: Layout, one: ir.Node, other: ir.Node) -> bool:
    """Whether an expression is in a branch that ends the function, and another one behind it."""
    inner = one
    for outer in places.outward(one):
        if isinstance(outer, ir.If):
            if any(part is other for part in walk(outer)):
                return False
            branch = outer.body if any(part is inner for part in outer.body) else outer.orelse
            if branch and isinstance(branch[-1], (ir.Raise, ir.Return)):
                return True
        inner = outer
    return False


def is_copied(machine: Machine, node: ir.Node) -> bool:
    """Whether a loop puts the same on each device: what its iterations are about are devices."""
    places = layout(machine.sources.owner(node, machine.module).body)
    loop = places.innermost(node, (ir.Comprehension, ir.For))
    if isinstance(loop, ir.Comprehension):
        return _puts_on(loop.clauses[0].target, loop)
    return isinstance(loop, ir.For) and _puts_on(loop.target, loop)


def _puts_on(target: ir.Expr, loop: ir.Node) -> bool:
    """Whether a loop calls `device_put` with its target as the device or the sharding."""
    name = target.id if isinstance(target, ir.Name) else ""
    puts = [
        call.args[1].value
        for call in walk(loop)
        if isinstance(call, ir.Call)
        and len(call.args) > 1
        and dotted_text(call.func).endswith("device_put")
    ]
    return any(isinstance(device, ir.Name) and device.id == name for device in puts)


def is_unread(machine: Machine, node: ir.Node) -> bool:
    """Whether nothing reads what a call gives, but perhaps for its structure."""
    return is_dead(body_of(machine), node, typestate.holder(machine).func is not None)


def is_warm_up(machine: Machine, node: ir.Node) -> bool:
    """Whether a statement calls a compiled function, which changes nothing, and drops what that
    gives: to compile it, or to wait for it, before it is timed."""
    if not isinstance(node, ir.Call):
        return False
    outer: Any = node
    for outer in layout(machine.sources.owner(node, machine.module).body).outward(node):
        is_waiting = isinstance(outer, ir.Call) and dotted_text(outer.func).endswith(WAITING)
        is_part = isinstance(outer, (ir.Argument, ir.Attribute))
        if not is_waiting and not is_part:
            break
    if not isinstance(outer, ir.ExprStmt):
        return False
    called = peek(machine, typestate.holder(machine), node.func)
    return isinstance(called.func if isinstance(called, Bound) else called, Transformed)


def goes_through(machine: Machine, loop: Loop | None, node: ir.Node, key: ir.Expr) -> bool:
    """Whether a call is given, besides a key, what each turn of a loop takes for itself: one array
    after the other. What comes of the turn before is no such thing."""
    if loop is None or not isinstance(node, ir.Call):
        return False
    given = {name for one in node.args if one.value is not key for name in free_in(one.value)}
    around, statement = parents(body_of(machine)), node
    while isinstance(statement, ir.Expr) and (outer := around.get(id(statement))) is not None:
        statement = outer
    return not (given & loop.names).isdisjoint(given - set(bound_names(statement)))


def body_of(machine: Machine) -> tuple[ir.Stmt, ...]:
    """The body of the function that holds the marks of keys, or of the module."""
    func = typestate.holder(machine).func
    return machine.module.body if func is None else func.body
