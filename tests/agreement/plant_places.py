"""Where hazards may be planted, which places are chosen, and the text that comes of it."""

from __future__ import annotations

import ast
import io
import keyword
import random
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hazards import MODULES, Kind
from observations import Observations, Seen, head

MOST_CALLS = 8
MOST_MODULES = 4

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Place = tuple[str, int]


@dataclass(frozen=True)
class Plant:
    """A hazard to be inserted before a statement. `name` is the name that held a tracer, empty
    where none is needed; `function` and `start` are the function and its first line."""

    kind: Kind
    file: str
    line: int
    name: str
    function: str
    start: int
    calls: int
    modules: int

    @property
    def key(self) -> str:
        """The same for the same plant in each run."""
        return f"{self.kind.name}:{self.file}:{self.line}:{self.name}"


@dataclass(frozen=True)
class _Slot:
    """A statement before which lines may stand: what is bound before it in its function, and
    what its function binds anywhere."""

    node: ast.stmt
    earlier: frozenset[str]
    bound: frozenset[str]

    def is_bound(self, name: str) -> bool:
        """Whether a name has a value when the statement is first reached, as far as the order of
        the lines tells."""
        plain = name.partition(".")[0]
        return plain in self.earlier or plain not in self.bound


class Sources:
    """The text of a checkout's files, and the statements before which lines may stand."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._texts: dict[str, str] = {}
        self._slots: dict[str, dict[int, _Slot]] = {}

    def text(self, file: str) -> str:
        """What a file holds."""
        if file not in self._texts:
            content = (self.root / file).read_bytes()
            encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
            self._texts[file] = content.decode(encoding).replace("\r\n", "\n")
        return self._texts[file]

    def slots(self, file: str) -> dict[int, _Slot]:
        """The statements of functions that begin a line of their own, by that line."""
        if file not in self._slots:
            text = self.text(file)
            self._slots[file] = dict(_slots(ast.parse(text), text.split("\n")))
        return self._slots[file]


def _slots(tree: ast.Module, lines: list[str]) -> Iterator[tuple[int, _Slot]]:
    for function in ast.walk(tree):
        if not isinstance(function, _FUNCTIONS):
            continue
        binders = list(_binders(function))
        bound = frozenset(name for name, _ in binders)
        for node in _statements(function.body):
            line = head(node)[0]
            before = lines[line - 1][: node.col_offset]
            if before.strip() or lines[line - 1].lstrip().startswith("elif"):
                continue
            if line > 1 and lines[line - 2].endswith("\\"):
                continue
            earlier = frozenset(name for name, at in binders if at < line)
            yield line, _Slot(node, earlier, bound)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a function, without those of functions and classes within."""
    for node in body:
        yield node
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, name, ()))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _statements(part.body)


def _binders(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, int]]:
    """The names that a function binds, each with the line after which it is bound."""
    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg):
            yield argument.arg, 0
    for statement in _statements(function.body):
        _, last = head(statement)
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            yield statement.name, last
            continue
        for part in _own_parts(statement):
            for node in ast.walk(part):
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    yield node.id, last
                elif isinstance(node, ast.alias):
                    yield (node.asname or node.name).partition(".")[0], last
                elif isinstance(node, ast.ExceptHandler) and node.name:
                    yield node.name, last


def _own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """A statement's parts that are no statements."""
    for part in ast.iter_child_nodes(statement):
        if not isinstance(part, ast.stmt):
            yield part


def choose(seen: Observations, sources: Sources, kind: Kind, most: int, seed: int) -> list[Plant]:
    """Places for one kind, spread over distances, then over functions; the same for the same
    seed."""
    groups: dict[tuple[int, int], dict[_Place, list[Plant]]] = defaultdict(dict)
    for plant in _candidates(seen, sources, kind):
        functions = groups[plant.calls, plant.modules]
        functions.setdefault((plant.file, plant.start), []).append(plant)
    chance = random.Random(f"{seed}:{kind.name}")
    queues = [_in_turn(functions, chance) for _, functions in sorted(groups.items())]
    chosen: list[Plant] = []
    while queues and len(chosen) < most:
        for queue in list(queues):
            plant = next(queue, None)
            if plant is None:
                queues.remove(queue)
            elif len(chosen) < most:
                chosen.append(plant)
    return chosen


def _in_turn(functions: dict[_Place, list[Plant]], chance: random.Random) -> Iterator[Plant]:
    """One plant of each function, then a second of each, and so on."""
    ordered = [functions[place] for place in sorted(functions)]
    chance.shuffle(ordered)
    for plants in ordered:
        plants.sort(key=lambda plant: plant.key)
        chance.shuffle(plants)
    for turn in range(max(map(len, ordered), default=0)):
        for plants in ordered:
            if turn < len(plants):
                yield plants[turn]


def _candidates(seen: Observations, sources: Sources, kind: Kind) -> Iterator[Plant]:
    for (file, line), one in sorted(seen.statements.items()):
        function = one.function
        if function.calls is None or function.calls > MOST_CALLS:
            continue
        if (function.modules or 0) > MOST_MODULES or not one.traced or one.staged != one.traced:
            continue
        slot = sources.slots(file).get(line)
        if slot is None:
            continue
        names = [""] if not kind.needs_name else _names(one, slot, kind)
        for name in names:
            yield Plant(
                kind,
                file,
                line,
                name,
                function.name,
                function.line,
                function.calls,
                function.modules or 0,
            )


def _names(one: Seen, slot: _Slot, kind: Kind) -> Iterator[str]:
    """The names that held a tracer of a form that fits on each visit."""
    for name, kinds in sorted(one.names.items()):
        parts = name.split(".")
        if kinds != {"t"} or not all(it.isidentifier() for it in parts) or name == "self":
            continue
        if any(map(keyword.iskeyword, parts)) or not slot.is_bound(name):
            continue
        if kind.fits(name, one.forms.get(name, set())):
            yield name


# --- The text ---------------------------------------------------------------------------------

BIN = "planted_values"


@dataclass
class Planted:
    """A file's text with plants, and the lines that each of them takes."""

    text: str
    lines: dict[Plant, range]


def planted(sources: Sources, file: str, plants: Iterable[Plant], note: str = "") -> Planted:
    """Inserts plants into a file. With `note`, the name of a module, each is tried instead, and
    that module's function `note` is told what was raised."""
    text = sources.text(file)
    lines = text.split("\n")
    tree = ast.parse(text)
    wanted = list(plants)
    names, preamble = _modules(tree, {one for plant in wanted for one in plant.kind.modules})
    if note:
        preamble.append(f"from {note} import note as planted_note")
    inserted: dict[int, list[tuple[Plant | None, list[str]]]] = defaultdict(list)
    if preamble:
        inserted[_first_line(tree)].append((None, ["; ".join(preamble)]))
    for plant in wanted:
        indent = lines[plant.line - 1]
        indent = indent[: len(indent) - len(indent.lstrip())]
        body = plant.kind.text(plant.name, names, tried=bool(note))
        if note:
            body = _tried(plant, body)
        inserted[plant.line].append((plant, [indent + line for line in body]))
    result: list[str] = []
    places: dict[Plant, range] = {}
    for number, line in enumerate((*lines, None), start=1):
        for plant, body in inserted.get(number, ()):
            if plant is not None:
                places[plant] = range(len(result) + 1, len(result) + 1 + len(body))
            result += body
        if line is not None:
            result.append(line)
    return Planted("\n".join(result), places)


def _tried(plant: Plant, body: list[str]) -> list[str]:
    return [
        "try:",
        *(f"    {line}" for line in body),
        "except Exception as planted_error:",
        f"    planted_note({plant.key!r}, planted_error)",
        "else:",
        f"    planted_note({plant.key!r}, None)",
    ]


def _modules(tree: ast.Module, wanted: set[str]) -> tuple[dict[str, str], list[str]]:
    """What a file calls the modules that are wanted, and the statements that make it so."""
    known: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname or "." not in alias.name:
                    known[alias.name] = alias.asname or alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                known[f"{node.module}.{alias.name}"] = alias.asname or alias.name
    taken = {name for node in ast.walk(tree) if (name := _bound(node))}
    names: dict[str, str] = {}
    preamble: list[str] = []
    for name in sorted(wanted):
        if name == "bin":
            names[name] = BIN
            preamble.append(f"{BIN} = []")
            continue
        module = MODULES[name]
        if known.get(module, "") in ("", *taken):
            known[module] = f"planted_{name}"
            preamble.append(f"import {module} as planted_{name}")
        names[name] = known[module]
    return names, preamble


def _bound(node: ast.AST) -> str:
    """The name that a node binds, no import."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return node.id
    return node.arg if isinstance(node, ast.arg) else ""


def _first_line(tree: ast.Module) -> int:
    """The line before which a module's first import may stand."""
    last = 0
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_text and not is_future:
            return head(node)[0]
        last = node.end_lineno or node.lineno
    return last + 1
