"""What the linter and the process that runs JAX tell each other: plain data, one JSON line each.

The child runs in the user's interpreter, so this module imports nothing but the standard
library and works on Python 3.10.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any, Literal

FORMAT = 1
"""Changes when old recordings cannot be read any more."""

IMPORT = "import"
"""The unit of work that is the import of a job's module."""

Hazard = Literal[
    "raises", "effects", "freezes", "leaks", "recompiles", "unrolls", "donates", "reuses-key"
]
Outcome = Literal["shown", "next", "absent", "eager"]
Source = Literal["run", "recorded", "given", "invented"]


@dataclass(frozen=True)
class Target:
    """A finding to judge: an expression or statement of one file and the witness of its rule.

    `file` is absolute. `line` and `end_line` count from 1, `column` and `end_column` count UTF-8
    bytes from 0, as the nodes of `ast` do. `errors` are the classes that a "raises" witness
    names; `anywhere` tells that the error may come from another place than the target.
    """

    id: int
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    hazard: Hazard
    errors: tuple[str, ...] = ()
    anywhere: bool = False


@dataclass(frozen=True)
class Observation:
    """What one experiment, or the user's own run, showed about one target.

    `outcome`: "shown" the hazard itself; "next" the hazard, behind an earlier one that the
    explorer stepped over; "absent" the target ran under staging without the hazard; "eager" it
    ran outside staging only. `source` says where the arguments came from: the program's own
    "run" (a script, a test, an import), a "recorded" signature, one "given" by the user, or an
    "invented" one; `assumption` is what an invention assumes ("`n` is a traced i32[]").
    `signature` is the abstract arguments as text ("x: f32[4], n=2").

    Keys of `evidence`, each only where it applies:

    - "jax": version; "python": version;
    - "error": class name; "message": first line of JAX's message; "depends_on": the inputs that
      JAX names; "site": the kind of conversion ("bool", "int", "array", "shape", ...);
    - "place": {"file", "line", "column", "end_line", "end_column"} of the failing expression;
    - "first_call", "second_call": evaluations of the target in two calls of one jitted function;
    - "effect": what the target was seen to do to the world outside; "stdout": what the first call
      printed;
    - "before", "after": the equation (or constant) that holds the frozen value, and the same
      after the value changed; "value", "changed": the two values, abbreviated;
    - "holder": where a dead tracer was found ("module.cache[0]");
    - "traces": how often one function was traced for one signature; "functions": how many
      function objects that took; "evaluations": how often the target ran;
    - "iterations", "equations_per_iteration": of an unrolled loop;
    - "deleted": the argument whose buffer was donated; "uses": places that consume one key;
    - "after_sites": lines of earlier sites that had to be stepped over ("next");
    - "program": the whole text (jaxpr or StableHLO), on request only.
    """

    target: int
    outcome: Outcome
    source: Source
    signature: str = ""
    assumption: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Miss:
    """Why a target could not be judged, in words: "import failed: No module named 'torch'"."""

    target: int
    reason: str


@dataclass(frozen=True)
class Example:
    """A call the user wrote for the verifier: Python source of a call's arguments.

    `function` is the qualified name in the module ("step", "Model.apply"), `arguments` the text
    between the parentheses ("f32[8, 3], n=2"), `origin` where it was written.
    """

    function: str
    arguments: str
    origin: str = ""


@dataclass(frozen=True)
class Recorded:
    """One function seen under trace, with one abstract signature.

    `line` is that of the code object (its first decorator or `def`), `qualname` as Python
    spells it. `arguments` is the encoded signature (`child.signatures`), never a value; `entry`
    tells that a transform was applied to this very function, `phrase` which ("jit", "scan").
    """

    file: str
    line: int
    qualname: str
    arguments: Any
    entry: bool = False
    phrase: str = ""


@dataclass(frozen=True)
class Job:
    """What the child does about one module: import it, then find arguments for its targets."""

    file: str
    targets: tuple[Target, ...]
    recorded: tuple[Recorded, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class Config:
    """How the child works. Times are in seconds, memory in bytes.

    `roots` are the directories whose files count as the user's; `paths` go on `sys.path`.
    `writable` is the temporary directory, `guess` and `execute` unlock what the user asked for.
    `program` is "", "jaxpr" or "stablehlo".
    """

    roots: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    writable: str = ""
    guess: bool = False
    execute: bool = False
    program: str = ""
    call_seconds: float = 10.0
    import_seconds: float = 60.0
    memory: int = 6 << 30


@dataclass(frozen=True)
class Ready:
    """The child's first message. `jax` is empty if this interpreter has none that will do.

    `problem` says why; with a `jax`, it says why nothing that this one shows can be trusted.
    """

    jax: str = ""
    python: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Start:
    """Work on a job, by its number.

    `skip` names units of work that are done, or that went wrong as the text says; `given_up`
    names files that cannot be imported, and why; `settled` are targets that need no more
    evidence.
    """

    job: int
    skip: dict[str, str] = field(default_factory=dict)
    given_up: dict[str, str] = field(default_factory=dict)
    settled: tuple[int, ...] = ()


@dataclass(frozen=True)
class Begin:
    """The child begins a unit of work: an import, or a call of one function.

    The unit should end within `seconds`.
    """

    unit: str
    seconds: float


@dataclass(frozen=True)
class End:
    """The unit of work that began last is over."""

    unit: str


@dataclass(frozen=True)
class Done:
    """The job is finished. `spoiled` says why this process must not judge another module.

    `given_up` is what later processes should know of as `Start` tells it.
    """

    job: int
    spoiled: str = ""
    given_up: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Note:
    """Something that a module did and its owner may want to know."""

    text: str


def dump(value: Any) -> str:
    """One line of JSON for a dataclass of this module, with its class name."""
    fields = {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    return json.dumps([type(value).__name__, fields], default=_plain)


def load(line: str) -> Any:
    """The dataclass in a line that `dump` wrote. Raises ValueError for anything else."""
    name, fields = json.loads(line)
    return _revive(name, fields)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} is not part of the protocol")


_NESTED: dict[tuple[str, str], type] = {
    ("Job", "targets"): Target,
    ("Job", "recorded"): Recorded,
    ("Job", "examples"): Example,
}
_KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *(Target, Observation, Miss, Example, Recorded, Job, Config),
        *(Ready, Start, Begin, End, Done, Note),
    )
}


def _revive(name: str, fields: dict[str, Any]) -> Any:
    kind = _KINDS.get(name)
    if kind is None:
        raise ValueError(f"unknown message {name!r}")
    values: dict[str, Any] = {}
    for item in dataclasses.fields(kind):
        if item.name not in fields:
            continue
        value = fields[item.name]
        nested = _NESTED.get((name, item.name))
        if nested is not None:
            value = tuple(_revive(nested.__name__, each) for each in value)
        elif isinstance(value, list) and str(item.type).startswith("tuple"):
            value = tuple(value)
        values[item.name] = value
    return kind(**values)
