"""Prints the figures of the package's structure: rooms, imports, lengths, complexity, type tests.

Usage: python scripts/structure.py [CHECKOUT]

CHECKOUT is the directory of this repository by default. Generated tables do not count. Needs grimp
and radon, which the test requirements bring.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp
from radon.complexity import cc_visit, sorted_results

ROOT = Path(__file__).parents[1]
_BUDGET = 400
_COMPLEX = (10, 15, 20, 25)
# A function that calls itself and asks for the elements of one of these walks a value by hand.
_ELEMENTS = frozenset({"items", "fields", "element", "options", "children"})


def sources(package: Path) -> list[Path]:
    """The modules that people write."""
    tables = package / "knowledge" / "tables"
    return [path for path in sorted(package.rglob("*.py")) if tables not in path.parents]


def rooms(paths: Iterable[Path], package: Path) -> Counter[str]:
    """How many modules each package has by itself."""
    return Counter(
        ".".join(path.relative_to(package.parent).parent.parts)
        for path in paths
        if path.name != "__init__.py"
    )


def longest_chain(graph: grimp.ImportGraph, within: str) -> list[str]:
    """The longest chain of imports between the modules of a package."""
    inside = {one for one in graph.modules if one.startswith(f"{within}.")}
    chains: dict[str, list[str]] = {}
    for start in inside:
        _measure(graph, start, inside, chains)
    return max(chains.values(), key=len, default=[])


def _measure(
    graph: grimp.ImportGraph, start: str, inside: set[str], chains: dict[str, list[str]]
) -> None:
    todo = [start]
    while todo:
        one = todo[-1]
        imported = graph.find_modules_directly_imported_by(one) & inside
        missing = [other for other in imported if other not in chains and other not in todo]
        if missing:
            todo += missing
            continue
        behind = max((chains[other] for other in imported if other in chains), key=len, default=[])
        chains.setdefault(one, [one, *behind])
        todo.pop()


def complexities(paths: Iterable[Path], package: Path) -> list[tuple[int, str]]:
    """Cyclomatic complexity of every function, with its place, the highest first.

    Boolean operators and comprehensions count as branches.
    """
    found = [
        (block.complexity, f"{path.relative_to(package)}:{block.name}")
        for path in paths
        for block in sorted_results(cc_visit(path.read_text(encoding="utf-8")))
        if block.letter != "C"
    ]
    return sorted(found, reverse=True)


def type_tests(trees: Iterable[ast.Module]) -> int:
    """How many calls of `isinstance` there are."""
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        for tree in trees
        for node in ast.walk(tree)
    )


def walks(trees: Iterable[ast.Module]) -> int:
    """How many functions call themselves on the elements of a value."""
    return sum(
        isinstance(node, ast.FunctionDef) and _is_walk(node)
        for tree in trees
        for node in ast.walk(tree)
    )


def _is_walk(function: ast.FunctionDef) -> bool:
    names = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    reads = {one.attr for one in ast.walk(function) if isinstance(one, ast.Attribute)}
    return function.name in names and not reads.isdisjoint(_ELEMENTS)


def compared_text(trees: Iterable[ast.Module]) -> int:
    """How many tests ask for the words of an entry's phrase."""
    return sum(
        isinstance(node, ast.Compare | ast.Call)
        and any(isinstance(one, ast.Attribute) and one.attr == "phrase" for one in _operands(node))
        for tree in trees
        for node in ast.walk(tree)
    )


def _operands(node: ast.Compare | ast.Call) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node.func, ast.Attribute) and node.func.attr in ("startswith", "endswith"):
        yield node.func.value


def fields(trees: Iterable[ast.Module], cls: str) -> list[str]:
    """The attributes that a class binds on `self`, those of its bases in the package included."""
    classes = {
        node.name: node
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found: dict[str, None] = {}
    todo = [cls]
    while todo:
        node = classes.get(todo.pop())
        if node is None:
            continue
        todo += [base.id for base in node.bases if isinstance(base, ast.Name)]
        found.update(dict.fromkeys(_bound(node)))
    return list(found)


def _bound(cls: ast.ClassDef) -> Iterator[str]:
    for one in cls.body:
        named = isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if named and "ClassVar" not in ast.dump(one.annotation):
            yield one.target.id
    for one in ast.walk(cls):
        stored = isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
        if stored and isinstance(one.value, ast.Name) and one.value.id == "self":
            yield one.attr


def main() -> None:
    """Prints the figures."""
    checkout = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    sys.path.insert(0, str(checkout))
    package = checkout / "jaxlint"
    paths = sources(package)
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    inside = [tree for path, tree in trees.items() if (package / "engine") in path.parents]
    graph = grimp.build_graph("jaxlint", cache_dir=None)

    print("Modules a room")
    for room, count in rooms(paths, package).most_common():
        print(f"  {count:4} {room}")
    print("Imports")
    for part in ("jaxlint", "jaxlint.engine"):
        chain = longest_chain(graph, part)
        print(f"  {len(chain):4} modules in the longest chain of {part}")
    print("The machine")
    print(f"  {len(fields(inside, 'Machine')):4} fields")
    print("Values")
    print(f"  {type_tests(inside):4} type tests in the engine")
    print(f"  {walks(inside):4} functions of the engine that walk values by hand")
    print(f"  {compared_text(trees.values()):4} comparisons of message text")
    print("Functions")
    found = complexities(paths, package)
    print(f"  {len(found):4} functions, mean complexity {statistics.mean(c for c, _ in found):.1f}")
    for limit in _COMPLEX:
        print(f"  {sum(c > limit for c, _ in found):4} above {limit}")
    for complexity, place in found[:5]:
        print(f"       {complexity} {place}")
    print("Files")
    ordered = sorted(lengths.values())
    print(f"  {len(ordered):4} files, {sum(ordered)} lines, median {statistics.median(ordered):g}")
    long = sorted((n, path) for path, n in lengths.items() if n > _BUDGET)
    print(f"  {len(long):4} above {_BUDGET} lines")
    for length, path in reversed(long):
        print(f"       {length} {path.relative_to(checkout)}")


if __name__ == "__main__":
    main()
