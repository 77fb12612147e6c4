"""Fixes everything in programs that hold two hazards, and says what is wrong with the results.

Usage: python tests/fixes/pairs.py [OPTIONS] [RULE [RULE]]

The hazards are those of the pages of all rules that have fixes. Each pair of rules is put into one
program in each layout: beside each other, in one function, in one loop, statement by statement in
turns, one in a function of the other, and in one function body with shared parameters. `--hazards`
takes all pairs of hazards instead, each in one layout, which takes hours. After the safe fixes, and
after all fixes, the text must be Python, hold no finding that was not there before, keep its
comments, and not change again. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations_with_replacement, islice, product, zip_longest
from pathlib import Path
from textwrap import indent

from jaxlint.apply.rounds import settled
from jaxlint.apply.text import Wanted, is_fixable, is_safe
from jaxlint.base.finding import Finding
from jaxlint.results.report import is_python
from jaxlint.rule import Rule
from jaxlint.testing.lint import lint
from jaxlint.testing.pages import PRELUDE, Example, read_page
from jaxlint.testing.rulebook import builtin_rules

ROOT = Path(__file__).parents[2]
WANTED: dict[str, Wanted] = {"safe": is_safe, "all": is_fixable}


@dataclass(frozen=True)
class Statement:
    """A statement of a hazard with the comments above it."""

    text: str
    node: ast.stmt


@dataclass(frozen=True)
class Pair:
    """A program with two hazards."""

    name: str
    program: str
    rules: frozenset[str]


@dataclass
class Result:
    """A program once it is fixed, and what is wrong with it."""

    pair: Pair
    wanted: str
    text: str
    wrong: list[str] = field(default_factory=list)
    fixed: int = 0
    refused: tuple[str, ...] = ()


def statements(code: str) -> list[Statement]:
    """The statements of a program, in order."""
    lines = code.splitlines()
    found, done = [], 0
    for node in ast.parse(code).body:
        end = node.end_lineno or node.lineno
        text = "\n".join(lines[done:end]).strip("\n")
        if end > done:
            found.append(Statement(text, node))
        done = max(done, end)
    return found


def beside(one: list[Statement], other: list[Statement]) -> list[str]:
    """Both hazards on the top level."""
    return [it.text for it in (*one, *other)]


def in_function(one: list[Statement], other: list[Statement]) -> list[str]:
    """Both hazards in the body of one function."""
    return ["def run():", *(indent(it.text, "    ") for it in (*one, *other)), "run()"]


def in_loop(one: list[Statement], other: list[Statement]) -> list[str]:
    """Both hazards in the body of one loop."""
    return ["for turn in range(2):", *(indent(it.text, "    ") for it in (*one, *other))]


def in_turns(one: list[Statement], other: list[Statement]) -> list[str]:
    """A statement of each hazard in turns."""
    return [it.text for both in zip_longest(one, other) for it in both if it is not None]


def nested(one: list[Statement], other: list[Statement]) -> list[str]:
    """The second hazard at the start of the first function of the first one."""
    inner = "\n".join(it.text for it in other)
    texts, is_done = [], False
    for it in one:
        if not is_done and isinstance(it.node, ast.FunctionDef):
            head, body = _divided(it, it.node)
            texts.append("\n".join([head, indent(inner, "    "), body]))
            is_done = bool(body)
        else:
            texts.append(it.text)
    return texts if is_done else []


def merged(one: list[Statement], other: list[Statement]) -> list[str]:
    """The body of the second hazard's first function in the first hazard's first function, with
    its parameters as names for the first parameter where they are called otherwise."""
    first = next((it for it in one if isinstance(it.node, ast.FunctionDef)), None)
    second = next((it for it in other if isinstance(it.node, ast.FunctionDef)), None)
    if first is None or second is None:
        return []
    assert isinstance(first.node, ast.FunctionDef) and isinstance(second.node, ast.FunctionDef)
    known, more = (list(_parameters(it.node)) for it in (first, second))
    exits = (ast.Return, ast.Yield, ast.YieldFrom)
    leaves = [it for it in ast.walk(second.node) if isinstance(it, exits)]
    last = second.node.body[-1]
    if not known or any(it is not last for it in leaves):
        return []
    (head, body), (_, shared) = _divided(first, first.node), _divided(second, second.node)
    if not body or not shared:
        return []
    if isinstance(last, ast.Return):
        before, _, behind = shared.rpartition("return")
        shared = f"{before}merged_value ={behind or ' None'}"
    bound = [f"    {name} = {known[0]}" for name in more if name not in known]
    rest = [it.text for it in other if it is not second and not isinstance(it.node, ast.Expr)]
    whole = "\n".join([head, *bound, shared, body])
    return [*rest, *(whole if it is first else it.text for it in one)]


LAYOUTS: dict[str, Callable[[list[Statement], list[Statement]], list[str]]] = {
    "beside": beside,
    "function": in_function,
    "loop": in_loop,
    "turns": in_turns,
    "nested": nested,
    "merged": merged,
}


def _divided(statement: Statement, node: ast.FunctionDef) -> tuple[str, str]:
    """The lines of a function down to its body, and those of the body; its body is empty if it
    shares a line with something else, or is indented in another way."""
    lines = statement.text.splitlines()
    shift = (node.end_lineno or 0) - len(lines)
    first = node.body[0]
    if ast.get_docstring(node) is not None and len(node.body) > 1:
        first = node.body[1]
    at = (
        min([first.lineno, *(it.lineno for it in getattr(first, "decorator_list", ()))]) - shift - 1
    )
    head, body = "\n".join(lines[:at]), "\n".join(lines[at:])
    is_plain = first.col_offset == 4 and node.col_offset == 0 and not lines[at][:4].strip()
    return head, body if is_plain else ""


def _parameters(node: ast.stmt) -> Iterator[str]:
    assert isinstance(node, ast.FunctionDef)
    for it in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        if it.arg not in ("self", "cls"):
            yield it.arg


@cache
def hazards() -> dict[str, tuple[Example, ...]]:
    """By rule, the hazards of its pages that have a fix."""
    found: dict[str, tuple[Example, ...]] = {}
    for name, rule in sorted(builtin_rules().items()):
        stem = name.replace("-", "_")
        paths = [ROOT / "jaxlint" / "rules" / f"{stem}.py", ROOT / "tests" / "rules" / f"{name}.md"]
        if rule.fixes:
            pages = [read_page(path, name) for path in paths if path.exists()]
            examples = tuple(it for page in pages for it in page.examples if it.is_hazard)
            found[name] = tuple(it for it in examples if _is_fixable(it))
    return {name: examples for name, examples in found.items() if examples}


def _is_fixable(example: Example) -> bool:
    found = lint(example.program, example.path, rules_for({example.rule}))
    return any(it.fix is not None and it.name == example.rule for it in found)


def rules_for(names: Iterable[str]) -> list[Rule]:
    """The rules that are on, and these."""
    named = set(names)
    return [it for it in builtin_rules().values() if it.default or it.name in named]


def combined(one: Example, other: Example, layout: str) -> Pair | None:
    """Two hazards in one program; None where they do not fit into this layout."""
    parts = [[*map(_used, statements(it.code))] for it in (one, other)]
    first = [it.text for part in parts for it in part if _is_first(it)]
    code = [[it for it in part if not _is_first(it)] for part in parts]
    texts = LAYOUTS[layout](code[0], code[1])
    if not texts:
        return None
    program = "\n".join([*dict.fromkeys(first), *PRELUDE, *texts, ""])
    name = f"{_named(one)}+{_named(other)}[{layout}]"
    return Pair(name, program, frozenset({one.rule, other.rule})) if _compiles(program) else None


def _is_first(statement: Statement) -> bool:
    """Whether a statement has to be the first one of a module."""
    node = statement.node
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _used(statement: Statement) -> Statement:
    """A statement whose value is used, as that of the last one of an example is."""
    if not isinstance(statement.node, ast.Expr) or statement.text.lstrip().startswith("#"):
        return statement
    return replace(statement, text=f"shown = {statement.text}")


def _named(example: Example) -> str:
    return f"{example.rule}:{example.line}"


def _compiles(program: str) -> bool:
    try:
        compile(program, "pair.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def pairs(
    layouts: Sequence[str], seed: int, names: Sequence[str] = (), only: slice = slice(None)
) -> Iterator[Pair]:
    """A program for each pair of rules in each layout, or for some of these; another seed takes
    other hazards."""
    known = hazards()
    each = product(enumerate(combinations_with_replacement(known, 2)), enumerate(layouts))
    for (number, (a, b)), (shift, layout) in islice(each, only.start, only.stop, only.step):
        if set(names) <= {a, b}:
            turn = seed + number + shift
            one = known[a][turn % len(known[a])]
            other = known[b][(turn + turn // len(known[a]) + (a == b)) % len(known[b])]
            pair = combined(*((one, other) if turn % 2 else (other, one)), layout)
            if pair is not None:
                yield pair


def hazard_pairs(layouts: Sequence[str], names: Sequence[str] = ()) -> Iterator[Pair]:
    """A program for each pair of hazards, in one layout each."""
    every = [it for examples in hazards().values() for it in examples]
    for number, (one, other) in enumerate(combinations_with_replacement(every, 2)):
        if set(names) <= {one.rule, other.rule}:
            pair = combined(one, other, layouts[number % len(layouts)])
            if pair is not None:
                yield pair


def fixed(pair: Pair, wanted: str) -> Result:
    """A program after its fixes."""
    rules = rules_for(pair.rules)

    def check(text: str) -> list[Finding]:
        return lint(text, "pair.py", rules)

    before = check(pair.program)
    one = settled(pair.program, check, WANTED[wanted])
    result = Result(
        pair,
        wanted,
        one.text,
        fixed=len(one.findings),
        refused=tuple(it.name for it in one.refused),
    )
    if one.text == pair.program:
        return result
    if not is_python(one.text):
        result.wrong.append("is not Python any more")
        return result
    after = check(one.text)
    counts = Counter(it.name for it in before)
    for name, count in Counter(it.name for it in after).items():
        if count > counts[name]:
            new = next(it for it in reversed(after) if it.name == name)
            result.wrong.append(f"has a new {name} at line {new.line}: {new.message}")
    result.wrong += [f"has lost {it!r}" for it in _comments(pair.program) - _comments(one.text)]
    again = settled(one.text, check, WANTED[wanted])
    if again.text != one.text:
        result.wrong.append("changes again")
    return result


def _comments(program: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(program).readline)
    return Counter(it.string for it in tokens if it.type == tokenize.COMMENT)


def main(arguments: Sequence[str]) -> int:
    """Runs the command, and returns its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", metavar="RULE", nargs="*")
    parser.add_argument("--layout", choices=list(LAYOUTS), action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hazards", action="store_true")
    parser.add_argument("--refused", action="store_true", help="list what is taken back")
    parser.add_argument("--show", action="store_true", help="print programs that are wrong")
    given = parser.parse_args(arguments)
    layouts = given.layout or list(LAYOUTS)
    every = (
        hazard_pairs(layouts, given.names)
        if given.hazards
        else pairs(layouts, given.seed, given.names)
    )
    programs = fixes = wrong = 0
    refused: Counter[str] = Counter()
    for pair in every:
        programs += 1
        for wanted in WANTED:
            result = fixed(pair, wanted)
            fixes += result.fixed
            wrong += bool(result.wrong)
            refused.update(result.refused)
            if result.refused and given.refused:
                print(f"{pair.name} ({wanted}) takes back {', '.join(result.refused)}", flush=True)
            for line in result.wrong:
                print(f"{pair.name} ({wanted}) {line}", flush=True)
            if result.wrong and given.show:
                print(indent(pair.program, "< "), indent(result.text, "> "), sep="")
    print(f"{programs} programs, {fixes} fixes, {refused.total()} taken back, {wrong} wrong")
    for name, count in refused.most_common():
        print(f"{count:6} {name}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
