"""Tests of traced values, written as operations on arrays: `&` for `and`, `jnp.isin` for `in`."""

from __future__ import annotations

from itertools import pairwise

from jaxlint.base.edit import Edit
from jaxlint.dataflow.names import walk
from jaxlint.facts import Concretized
from jaxlint.fixes.queries.types import default_of, is_guard, is_mask, is_truth
from jaxlint.fixes.rewrites.at_updates import is_repeatable
from jaxlint.fixes.source import Code
from jaxlint.syntax import ir

_SYMBOLS = {"and": "&", "or": "|"}
_COMPARED = frozenset({"<", ">", "<=", ">=", "==", "!="})
_PLAIN = (ir.BinOp, ir.UnaryOp)


class Mask:
    """The writer of one test that `fact` is about; `imports` are the edits that its text needs.

    In a test only the truth of an operand counts, elsewhere it may be the result.
    """

    def __init__(self, fact: Concretized, code: Code, is_test: bool) -> None:
        self.fact = fact
        self.code = code
        self.is_test = is_test
        self.imports: set[Edit] = set()

    def text(self, node: ir.Expr) -> str | None:
        """A test as an operation on arrays, None where it cannot be one."""
        if isinstance(node, ir.BoolOp):
            return self._joined(node)
        if isinstance(node, ir.UnaryOp) and node.op == "not":
            return self._negated(node)
        if isinstance(node, ir.Compare):
            return self._compared(node)
        if isinstance(node, (ir.Yield, ir.Await, ir.Starred)):
            return None
        return self.code.text(node)

    def operand(self, node: ir.Expr) -> str | None:
        """A test as it may stand beside `&` and `|`."""
        if isinstance(node, (ir.BoolOp, ir.Compare, ir.UnaryOp)):
            text = self.text(node)
            is_call = text is not None and text.endswith(")") and _is_call(text)
            return text if text is None or is_call else f"({text})"
        return None if self.text(node) is None else self.code.operand(node)

    def _joined(self, node: ir.BoolOp) -> str | None:
        kept = [] if self.is_test else self._leading(node)
        values = node.values[len(kept) :]
        if any(is_guard(self.code, one) for one in values) or any(map(self._is_odd, values)):
            return None
        are_truths = all(map(self._is_truth, values))
        if not (are_truths or self.is_test):
            return None
        symbol = _SYMBOLS[node.op]
        texts = [self.operand(one) if are_truths else self.text(one) for one in values]
        found = [one for one in texts if one is not None]
        if len(found) < len(texts):
            return None
        if are_truths:
            before = "".join(f"{self.code.operand(one)} {node.op} " for one in kept)
            return before + f" {symbol} ".join(found)
        reached = self.reach(f"jax.numpy.logical_{node.op}")
        if reached is None:
            return None
        text = found[0]
        for one in found[1:]:
            text = f"{reached}({text}, {one})"
        return text

    def _leading(self, node: ir.BoolOp) -> list[ir.Expr]:
        """The operands that decide before the one in question whether that is asked at all."""
        asked = [any(part is self.fact.node for part in walk(one)) for one in node.values]
        before = node.values[: asked.index(True)] if True in asked else ()
        truths = [self._is_truth(one) and not is_guard(self.code, one) for one in before]
        last = max((at + 1 for at, truth in enumerate(truths) if not truth), default=0)
        return list(before[:last])

    def _negated(self, node: ir.UnaryOp) -> str | None:
        inner = node.operand
        is_asked = inner is self.fact.node and (
            self.fact.dtype == "bool" or is_truth(self.code, inner)
        )
        if is_asked or is_mask(self.code, inner):
            text = self.operand(inner)
            return None if text is None else f"~{text}"
        text = self.text(inner)
        reached = self.reach("jax.numpy.logical_not")
        return None if text is None or reached is None else f"{reached}({text})"

    def _compared(self, node: ir.Compare) -> str | None:
        if node is self.fact.node and self.fact.sink == "in":
            return self._member(node)
        if len(node.ops) == 1:
            return self.code.text(node)
        if not _COMPARED.issuperset(node.ops) or not all(map(is_repeatable, node.comparators[:-1])):
            return None
        sides = [self._side(one) for one in (node.left, *node.comparators)]
        both = zip(pairwise(sides), node.ops, strict=True)
        return " & ".join(f"({left} {op} {right})" for (left, right), op in both)

    def _side(self, node: ir.Expr) -> str:
        """An operand of a comparison; arithmetic binds tighter."""
        text = self.code.text(node)
        is_plain = isinstance(node, _PLAIN) and "\n" not in text and not text.startswith("not")
        return text if is_plain else self.code.operand(node)

    def _member(self, node: ir.Compare) -> str | None:
        if len(node.ops) != 1:
            return None
        found, held = node.left, node.comparators[0]
        is_in = node.ops[0] == "in"
        if self.fact.container == "array":
            name, sign = ("any", "==") if is_in else ("all", "!=")
            reached = self.reach(f"jax.numpy.{name}")
            text = f"{self._side(held)} {sign} {self._side(found)}"
            return None if reached is None else f"{reached}({text})"
        isin, array = self.reach("jax.numpy.isin"), self._choices(held)
        if isin is None or array is None:
            return None
        return f"{'' if is_in else '~'}{isin}({self.code.text(found)}, {array})"

    def _choices(self, held: ir.Expr) -> str | None:
        """What a value is looked for in, as an array."""
        if not isinstance(held, ir.Sequence):
            reached = self.reach("jax.numpy.asarray")
            return None if reached is None else f"{reached}({self.code.text(held)})"
        reached = self.reach("jax.numpy.array")
        numbers = [
            not isinstance(o, ir.Const) or isinstance(o.value, (int, float)) for o in held.items
        ]
        if held.kind == "set" or reached is None or not (numbers and all(numbers)):
            return None
        return f"{reached}([{', '.join(map(self.code.text, held.items))}])"

    def _is_truth(self, node: ir.Expr) -> bool:
        is_asked = node is self.fact.node and self.fact.dtype == "bool"
        return is_asked or is_truth(self.code, node)

    def _is_odd(self, node: ir.Expr) -> bool:
        """Whether the truth of an operand is not that of a number."""
        default = (
            default_of(self.code.function(node), node.id) if isinstance(node, ir.Name) else node
        )
        return isinstance(default, ir.Const) and not isinstance(default.value, (int, float))

    def reach(self, dotted: str) -> str | None:
        """How a name is written where the fact is."""
        reached = self.code.reach(dotted, self.fact.node)
        if reached is None:
            return None
        self.imports.update(reached[1])
        return reached[0]


def is_truth_asked(code: Code, node: ir.Expr) -> bool:
    """Whether an expression stands where Python needs its truth."""
    inner: ir.Node = node
    for one in code.around(node):
        is_negated = isinstance(one, ir.UnaryOp) and one.op == "not"
        if is_negated or isinstance(one, (ir.BoolOp, ir.Assert)):
            return True
        if isinstance(one, (ir.If, ir.IfExp, ir.While)):
            return one.test is inner
        if isinstance(one, ir.Comprehension):
            return any(inner is test for clause in one.clauses for test in clause.ifs)
        if not isinstance(one, ir.NamedExpr):
            return False
        inner = one
    return False


def _is_call(text: str) -> bool:
    """Whether a text is one call from its first to its last character."""
    name, _, rest = text.partition("(")
    depth = 1
    for at, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at == len(rest) - 1 and name.replace(".", "").isidentifier()
    return False
