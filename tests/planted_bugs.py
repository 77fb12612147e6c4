"""Bugs to plant in the engine: each is a mistake that somebody could make, as an edit of source.

An anchor is text that occurs once in its file. When the engine changes under an anchor, the
bug needs a new one: it is never left out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bug:
    """One edit of a module of the engine; `says` is what the engine then gets wrong."""

    name: str
    says: str
    file: str
    anchor: str
    replacement: str


BUGS = (
    Bug(
        "drop-a-join",
        "after a branch, a name has the value of the last path alone",
        "engine/domain/environment.py",
        "merged[name] = joined(other, value) if parts else known or join(other, value)\n",
        "merged[name] = value\n",
    ),
    Bug(
        "traced-shape",
        "`.shape`, `.ndim` and `.dtype` of a tracer are tracers",
        "engine/operations/attributes.py",
        "        return static_of(machine, frame, value, attr)\n",
        "        return value\n",
    ),
    Bug(
        "forgotten-default",
        "a parameter that is not passed is unknown, whatever its default",
        "engine/domain/arguments.py",
        "        return default if default is not None else unknown(",
        "        return unknown(",
    ),
    Bug(
        "loop-without-second-pass",
        "what an iteration rebinds is not there in the next one",
        "engine/interpreter/loops.py",
        "MOST_PASSES = 3",
        "MOST_PASSES = 1",
    ),
    Bug(
        "static-argnames-ignored",
        "parameters named in `static_argnames` are traced",
        "engine/inference/options.py",
        "chain(record.names or (), named)",
        "chain((), named)",
    ),
    Bug(
        "static-argnums-off-by-one",
        "`static_argnums` counts from one",
        "engine/inference/options.py",
        "    named = (plain[at].name for",
        "    named = (plain[at - 1].name for",
    ),
    Bug(
        "closures-see-nothing",
        "a nested function sees the names of the module, not those of the functions around it",
        "engine/machine/names.py",
        "        else:\n            scope = frame.enclosing()\n        while scope is not None:",
        "        else:\n            scope = frame.root\n        while scope is not None:",
    ),
    Bug(
        "append-forgotten",
        "a list does not hold what was appended to it",
        "engine/operations/changes.py",
        "        base.items = [*base.items, *values]\n        return",
        "        base.items = [*base.items, *base.items[:1]]\n        return",
    ),
    Bug(
        "item-store-forgotten",
        "`container[key] = value` leaves the container as it was",
        "engine/operations/stores.py",
        "        _put(machine, frame, target, owner, index, value)",
        "        pass",
    ),
    Bug(
        "narrowing-dropped",
        "`if x is not None` says nothing of `x`",
        "engine/operations/conditions/narrowing.py",
        "    return _narrowed(frame, left, lambda v: not is_none(v))",
        "    return {}",
    ),
    Bug(
        "keywords-misbound",
        "keyword arguments are bound in the order in which they are written",
        "engine/domain/arguments.py",
        "            env[name] = args.keywords[name]\n            used.add(name)",
        "            env[name] = list(args.keywords.values())[len(used)]\n"
        "            used.add([k for k in args.keywords if k not in used][0])",
    ),
    Bug(
        "memo-key-too-coarse",
        "a helper's result is remembered whatever the arguments of the call",
        "engine/summaries/summary.py",
        "    keys = tuple((name, key(value)) for name, value in env.items())",
        "    keys = tuple(env)",
    ),
    Bug(
        "memo-key-without-constants",
        "calls that differ in a constant argument share one result",
        "engine/summaries/fingerprints.py",
        '        return ("c", type(const), const) if _hashable(const) else ("s", "object")',
        '        return ("c", type(const)) if _hashable(const) else ("s", "object")',
    ),
    Bug(
        "constants-stay-concrete",
        "JAX operations on constants give concrete arrays in staged code",
        "engine/machine/dispatch.py",
        "        if frame.trace.staged and not self.dynamic.compile_time and frame.trace.entry",
        "        if frame.trace.staged and self.dynamic.compile_time and frame.trace.entry",
    ),
    Bug(
        "break-forgotten",
        "what a loop bound before `break` is lost",
        "engine/interpreter/statements.py",
        "        frame.loop.breaks.append(frame.env)",
        "        frame.loop.breaks.append({})",
    ),
    Bug(
        "continue-forgotten",
        "what an iteration bound before `continue` is lost",
        "engine/interpreter/statements.py",
        "        frame.loop.continues.append(frame.env)",
        "        frame.loop.continues.append({})",
    ),
    Bug(
        "early-return-forgotten",
        "a function returns what its last `return` says",
        "engine/interpreter/statements.py",
        "    home.returns.append(value)",
        "    home.returns[:] = [value]",
    ),
    Bug(
        "in-axes-ignored",
        "`vmap` maps every argument, also those with None in `in_axes`",
        "engine/transforms/passed_arguments.py",
        "    return False if is_none(axes) else None",
        "    return True",
    ),
    Bug(
        "argnums-ignored",
        "`grad` differentiates the first argument, whatever `argnums` says",
        "engine/inference/options.py",
        "        record.argnums = frozenset({0}) if argnums is None else ints(argnums)",
        "        record.argnums = frozenset({0})",
    ),
    Bug(
        "one-branch-of-cond",
        "the second branch of `lax.cond` does not run",
        "engine/transforms/control_flow.py",
        "    for branch, operands in paths(machine, branches):",
        "    for branch, operands in paths(machine, branches[:1]):",
    ),
    Bug(
        "partial-forgets-keywords",
        "`partial` passes its positional arguments alone",
        "engine/interpreter/calls.py",
        "        {**func.keywords, **args.keywords},",
        "        args.keywords,",
    ),
    Bug(
        "star-target-misplaced",
        "targets behind a starred one take values from the front",
        "engine/operations/stores.py",
        "items[at - count if from_end else at]",
        "items[at]",
    ),
    Bug(
        "comparison-gives-static",
        "comparing a tracer gives a Python bool",
        "engine/checks/concretization/static_arguments.py",
        '    return from_python(machine.operation(frame, node, operands, "bool", rank), operands)',
        '    return Static(kind="bool")',
    ),
    Bug(
        "dict-forgets-keys",
        "reading one key of a dict gives any of its values",
        "engine/operations/subscripts.py",
        "        if const in base.items:\n            return base.items[const]\n"
        "        return base.element",
        "        if const in base.items:\n            return join_all(list(base.items.values()))\n"
        "        return base.element",
    ),
    Bug(
        "augmented-forgets-the-left",
        "`x += y` binds `y`",
        "engine/interpreter/statements.py",
        "    value = binary(machine, frame, node, node.op, old, right, node.target, node.value)",
        "    value = right",
    ),
    Bug(
        "handler-sees-the-end-only",
        "an `except` clause sees what the whole `try` body bound",
        "engine/interpreter/exceptions.py",
        "        frame.env = join_envs(before, after)\n        if handler.name is not None:",
        "        frame.env = dict(after)\n        if handler.name is not None:",
    ),
    Bug(
        "grad-tracers-have-no-value",
        "a branch on a tracer of eager `grad` is reported",
        "engine/checks/concretization/demands.py",
        '    if (traced.kind == "ad" or _is_shared(traced)) and ad_answers(sink, dotted):',
        "    if _is_shared(traced) and ad_answers(sink, dotted):",
    ),
    Bug(
        "inheritance-forgotten",
        "attributes of a base class are not found",
        "engine/domain/kinds/objects.py",
        "next((c.namespace[name] for c in self.lineage if name in c.namespace), None)",
        "self.namespace.get(name)",
    ),
    Bug(
        "tuple-join-loses-places",
        "after a branch, every element of a tuple may be any of them",
        "engine/domain/kinds/containers.py",
        "[join(a, b, depth - 1) for a, b in pairs]",
        "[join_all([*self.items, *other.items])] * len(self.items)",
    ),
)
