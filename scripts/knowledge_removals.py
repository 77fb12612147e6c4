"""Reads which names JAX has taken away or warns about, and the releases in which it did.

Every module of JAX counts that has no private part in its path: what people import is not only
what was meant for them.
"""

from __future__ import annotations

import ast
import pkgutil
import re
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import knowledge_releases as public
import knowledge_worlds as worlds

TAG = re.compile(r"jax-v(\d+(?:\.\d+)+)$")
# Parts of paths whose modules nobody outside JAX imports.
INNER = re.compile(
    r"(^|/)(_[^/]*(?<!__init__\.py)|tests?|mosaic|pallas|jax2tf|tools|.*_test\.py)(/|$)"
)
# Where a message says what to use instead.
INSTEAD = re.compile(r"\b[Uu]sed?:? (?:instead )?:?`*((?:jax|jnp|scipy|flax|haiku)\.[\w.]*\w)`*")
# Names that warn when they are called, which no table of JAX's lists: since when.
# Source: JAX changelog, 0.2.13.
CALLED = {
    "jax.host_count": ("0.2.13", "jax.process_count"),
    "jax.host_id": ("0.2.13", "jax.process_index"),
    "jax.host_ids": ("0.2.13", "jax.process_indices"),
}
State = dict[str, str]
"""For each name "there", or "warns" and what to use instead."""


def source_of(clone: Path, version: str) -> dict[str, str]:
    """The public modules of a release, by their dotted names."""
    tag = f"jax-v{version}"
    listed = git(clone, "ls-tree", "-r", "--name-only", tag, "jax").decode().splitlines()
    files = [file for file in listed if file.endswith(".py") and not INNER.search(file)]
    asked = "".join(f"{tag}:{file}\n" for file in files).encode()
    answer = git(clone, "cat-file", "--batch", given=asked)
    found = {}
    for file in files:
        head, _, answer = answer.partition(b"\n")
        size = int(head.split()[2])
        found[module_of(file)] = answer[:size].decode()
        answer = answer[size + 1 :]
    return found


def git(clone: Path, *command: str, given: bytes | None = None) -> bytes:
    """What a command of Git prints."""
    full = ["git", "-C", str(clone), *command]
    return subprocess.run(full, input=given, capture_output=True, check=True).stdout


def module_of(file: str) -> str:
    """The dotted name of a file: "jax.lax" of "jax/lax/__init__.py"."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def offered(text: str) -> Iterator[tuple[str, str]]:
    """The names that a module has for others, each with its state."""
    for statement in public.statements(ast.parse(text).body):
        match statement:
            case ast.ImportFrom(module=home, level=level, names=names):
                if level or str(home).partition(".")[0] == "jax":
                    yield from ((one.asname or one.name, "there") for one in names)
            case ast.Import(names=names):
                yield from ((one.asname, "there") for one in names
                            if one.asname and one.name.startswith("jax."))  # fmt: skip
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, "there"
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, "there"
            case ast.Assign(targets=[ast.Name(id="_deprecations")], value=ast.Dict() as table):
                yield from warnings_of(table)
            case ast.Assign(targets=targets):
                yield from ((node.id, "there") for target in targets for node in ast.walk(target)
                            if isinstance(node, ast.Name))  # fmt: skip
            case ast.Delete(targets=targets):
                yield from ((target.id, "") for target in targets if isinstance(target, ast.Name))


def warnings_of(table: ast.Dict) -> Iterator[tuple[str, str]]:
    """The names of a table of deprecations; "" for those whose use is an error by now."""
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(value, ast.Tuple):
            last = value.elts[-1]
            gone = isinstance(last, ast.Constant) and last.value is None
            words = [n.value for n in ast.walk(value.elts[0])
                     if isinstance(n, ast.Constant) and isinstance(n.value, str)]  # fmt: skip
            said = INSTEAD.search("".join(words))
            instead = said[1].replace("jnp.", "jax.numpy.") if said else ""
            yield str(key.value), ("gone " if gone else "warns ") + instead


def state_of(modules: dict[str, str]) -> State:
    """All names of a release, modules among them."""
    found: State = dict.fromkeys(modules, "there")
    for module, text in modules.items():
        for name, state in offered(text):
            dotted = f"{module}.{name}"
            warns = not state and found.get(dotted, "").startswith("warns")
            if not name.startswith("_") and name != "*" and not warns:
                found[dotted] = state
    return found


def versions(clone: Path) -> list[str]:
    """The releases that a clone has tags of, the oldest first."""
    tags = git(clone, "tag").decode().split()
    found = {match[1] for tag in tags if (match := TAG.match(tag))}
    return sorted(found, key=public.number)


def changes(states: Iterator[tuple[str, State]]) -> dict[str, tuple[str, str, str]]:
    """When each name that is not simply there began to warn, when it went, and what to use."""
    deprecated: dict[str, str] = {}
    removed: dict[str, str] = {}
    instead: dict[str, str] = {}
    before: State = {}
    for version, state in states:
        for dotted in state.keys() | before.keys():
            kind, _, use = state.get(dotted, "").partition(" ")
            if use:
                instead[dotted] = use
            if kind in ("there", "warns"):
                removed.pop(dotted, None)
            elif before.get(dotted, "").partition(" ")[0] in ("there", "warns"):
                removed[dotted] = version
            if kind == "warns":
                deprecated.setdefault(dotted, version)
            elif kind == "there":
                deprecated.pop(dotted, None)
        before = state
    return {
        dotted: (deprecated.get(dotted, ""), removed.get(dotted, ""), instead.get(dotted, ""))
        for dotted in deprecated.keys() | removed.keys()
    }


def resolves(dotted: str) -> bool:
    """Whether a name can be used in this interpreter, with or without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pkgutil.resolve_name(dotted)
        except Exception:
            return False
    return True


def topmost(table: dict[str, tuple[str, str, str]]) -> dict[str, tuple[str, str, str]]:
    """The rows without those that go with a module of theirs."""
    gone = {dotted for dotted, (_, removed, _) in table.items() if removed}

    def goes_along(dotted: str) -> bool:
        home = dotted.rpartition(".")[0]
        while home:
            if home in gone:
                return True
            home = home.rpartition(".")[0]
        return False

    return {dotted: row for dotted, row in table.items() if not goes_along(dotted)}


def write(clone: Path) -> None:
    """Write the table: the releases of a clone, checked against the JAX of this interpreter."""
    known = versions(clone)
    found = changes((version, state_of(source_of(clone, version))) for version in known)
    found |= {dotted: (since, "", use) for dotted, (since, use) in CALLED.items()}
    table = topmost({d: row for d, row in found.items() if not (row[1] and resolves(d))})
    said = f"Read in the sources of JAX {known[0]} to {known[-1]}, {len(known)} releases."
    text = worlds.render(table, worlds.wrapped(said))
    (worlds.TABLES / "removals.py").write_text(text)
