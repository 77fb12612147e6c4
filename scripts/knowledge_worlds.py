"""What the versions of JAX were observed to do, merged into one table with its exceptions."""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import textwrap
import warnings
from pathlib import Path
from pprint import pformat
from typing import Any

Table = dict[str, Any]
SCRIPT = Path(__file__).resolve().parent / "generate_knowledge.py"
TABLES = SCRIPT.parent.parent / "jaxlint" / "knowledge" / "tables"
FILES = {
    "jax.numpy.": "jax_numpy",
    "jax.lax.": "jax_lax",
    "jax.random.": "jax_random",
    "jax.scipy.": "jax_scipy",
}
# Tables of other names of objects. A version need not have a name that another one has.
NAMES = ("aliases", "private_aliases")
HEADER = '"""Written by scripts/generate_knowledge.py ({digest}); do not edit.\n\n{seen}\n"""\n\n'


def file_of(dotted: str) -> str:
    """The table that holds a JAX function."""
    return next((name for prefix, name in FILES.items() if dotted.startswith(prefix)), "jax_other")


def observe() -> dict[str, Any]:
    """What the JAX of this interpreter does: its tables, and the functions without a row."""
    import jax
    import knowledge_aliases
    import knowledge_methods
    import knowledge_names
    import knowledge_numpy
    import knowledge_probe
    import knowledge_public
    import knowledge_signatures
    import knowledge_transforms
    import numpy as np

    # Most calls of a probe raise, and JAX takes longer to shorten a traceback than to trace.
    jax.config.update("jax_traceback_filtering", "off")
    failed: list[str] = []
    tables: dict[str, Table] = {name: {} for name in [*FILES.values(), "jax_other"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dotted, function in knowledge_probe.public_functions():
            row = knowledge_probe.row(dotted, function)
            if row is None:
                failed.append(dotted)
            else:
                tables[file_of(dotted)][dotted] = row
        tables["higher_order"] = knowledge_transforms.rows(failed)
        tables["methods"] = knowledge_methods.method_rows(failed)
        tables["numpy_outcomes"] = knowledge_numpy.outcomes()
        tables["signatures"] = knowledge_signatures.rows()
        tables["names"] = knowledge_names.rows()
        aliases = knowledge_aliases.aliases(knowledge_public.MODULES)
    tables["aliases"] = {key: value for key, value in aliases.items() if "._src." not in key}
    tables["private_aliases"] = {key: value for key, value in aliases.items() if "._src." in key}
    # What a call is refused for, and what a module has, says nothing of a result.
    described = {
        dotted
        for name, table in tables.items()
        if name not in ("signatures", "names")
        for dotted in table
    }
    reasons = {
        dotted: reason
        for dotted, value in knowledge_public.public_callables().items()
        if dotted not in described and (reason := knowledge_public.left_out(dotted, value))
    }
    version = (jax.__version__, np.__version__)
    return {"version": version, "tables": tables, "failed": failed, "left out": reasons}


def observe_with(python: str) -> dict[str, Any]:
    """What the JAX of another interpreter does."""
    command = [python, "-W", "ignore", str(SCRIPT), "--observe"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = ast.literal_eval(done.stdout)
    return found


def merge(worlds: list[dict[str, Any]]) -> dict[str, Table]:
    """One table each, the newest version's row for each name, and what other versions do."""
    tables: dict[str, Table] = {}
    for world in worlds:
        for name, table in world["tables"].items():
            tables.setdefault(name, {}).update(table)
    tables["versions"] = {}
    for world in worlds:
        exceptions = {}
        for name, table in world["tables"].items():
            asked = table if name in NAMES else tables[name]
            other = {key: table.get(key) for key in asked if table.get(key) != tables[name][key]}
            if other:
                exceptions[name] = other
        tables["versions"][world["version"][0]] = {"numpy": world["version"][1], **exceptions}
    return tables


def as_of(version: str, name: str, table: Table, versions: Table) -> Table:
    """A table as one version of JAX was observed; None stands for what it does not have."""
    patched = {**table, **versions[version].get(name, {})}
    return {key: row for key, row in patched.items() if row is not None}


def differences(found: Table, expected: Table) -> list[str]:
    """What is written in a table and not observed, or observed and not written."""
    return [
        f"{key}: {expected.get(key)} is written, {found.get(key)} is observed"
        for key in sorted({*found, *expected})
        if found.get(key) != expected.get(key)
    ]


def digest(table: Table) -> str:
    """A word that changes with every row."""
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]


def render(table: Table, seen: str) -> str:
    """The source of a table's module, one entry a line."""
    header = HEADER.format(digest=digest(table), seen=seen)
    rows = (f"    {key!r}: {pformat(table[key], width=10**6)},\n" for key in sorted(table))
    return f"{header}TABLE = {{\n{''.join(rows)}}}\n"


def render_versions(versions: Table, seen: str) -> str:
    """The source of the table of exceptions, one entry a line."""
    lines = [HEADER.format(digest=digest(versions), seen=seen), "TABLE = {\n"]
    for version, tables in versions.items():
        lines.append(f"    {version!r}: {{\n")
        for name, rows in tables.items():
            if isinstance(rows, str):
                lines.append(f"        {name!r}: {rows!r},\n")
                continue
            lines.append(f"        {name!r}: {{\n")
            lines.extend(
                f"            {key!r}: {pformat(rows[key], width=10**6)},\n" for key in sorted(rows)
            )
            lines.append("        },\n")
        lines.append("    },\n")
    return "".join([*lines, "}\n"])


def seen_by(worlds: list[dict[str, Any]]) -> str:
    """A sentence that names the versions."""
    versions = ", ".join("{} with NumPy {}".format(*world["version"]) for world in worlds)
    return wrapped(f"Seen in JAX {versions}.")


def wrapped(text: str) -> str:
    """A text in lines of the length of the others."""
    return "\n".join(textwrap.wrap(text, 98))


def load(name: str) -> Table:
    """The rows of a written table."""
    scope: dict[str, Any] = {}
    exec((TABLES / f"{name}.py").read_text(), scope)
    rows: Table = scope["TABLE"]
    return rows


def compare(found: dict[str, Any]) -> list[str]:
    """What differs between the written tables and what one version of JAX was observed to do."""
    version, numpy = found["version"]
    versions = load("versions")
    if version not in versions:
        return [f"the tables do not record JAX {version}"]
    lines = [f"{dotted}: no arguments are known for which it works" for dotted in found["failed"]]
    for name, table in found["tables"].items():
        if name == "numpy_outcomes" and minor(versions[version]["numpy"]) != minor(numpy):
            continue
        written = as_of(version, name, load(name), versions)
        if name in NAMES:
            written = {key: row for key, row in written.items() if key in table}
        lines += [f"{name}: {line}" for line in differences(table, written)]
    return lines


def minor(version: str) -> str:
    """The first two numbers of a version."""
    return ".".join(version.split(".")[:2])
