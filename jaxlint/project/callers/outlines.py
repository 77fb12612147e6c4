"""What the top-level statements of a file define and mention, read from its text."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Container, Iterator
from keyword import kwlist
from typing import NamedTuple

from jaxlint.base.dataclass import slotted
from jaxlint.project import transformed_methods
from jaxlint.project.class_members import ALIKE, LEAST_WORD, is_common, word_of
from jaxlint.project.imports import Import, imports_in

# Comments and strings. What a string holds stays where it may be a name or code:
# `getattr(x, "name")`, an annotation in quotes, an f-string.
TEXT = re.compile(
    r"#[^\n]*"
    r'|"""(?<![fF]""")(?<![fF][rR]""")(?:[^"\\]++|\\.|"(?!""))*+"""'
    r"|'''(?<![fF]''')(?<![fF][rR]''')(?:[^'\\]++|\\.|'(?!''))*+'''"
    r'|"""((?:[^"\\]++|\\.|"(?!""))*+)"""'
    r"|'''((?:[^'\\]++|\\.|'(?!''))*+)'''"
    r'|("[\w.]+)"'
    r"|('[\w.]+)'"
    r'|"(?:(?<=[fF]")|(?<=[fF][rR]"))((?:[^"\\\n]++|\\.)*+)"'
    r"|'(?:(?<=[fF]')|(?<=[fF][rR]'))((?:[^'\\\n]++|\\.)*+)'"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'(?:[^'\\\n]++|\\.)*+'",
    re.DOTALL,
)
_F_STRING = re.compile(r"[fF][rR]?[\"']")
_FIELD = re.compile(r"\{([^{}]*)\}")
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t.]*[\w.]+[ \t]+import[ \t]*(?:\([^()]*+\)|[^\n;]*)|import[ \t]+[^\n;]*)",
    re.MULTILINE,
)
# Where a top-level statement begins.
_BEGINNING = re.compile(r"\n(?=[^\s)\]}])(?!(?:else|elif|except|finally)\b)")
CHAIN = re.compile(r"(?<![.\w])[\"']?[^\W\d]\w*+(?:\.\w++)*+")
DEFINITION = re.compile(r"(?:async[ \t]+)?(def|class)[ \t]+(\w+)")
_BASES = re.compile(r"class[ \t]+\w+[ \t]*(?:\[[^\]]*\][ \t]*)?\(((?:[^()]|\([^()]*+\))*+)\)")
_BOUND = re.compile(
    r"^[ \t]*+\(?([^\W\d]\w*+(?:[ \t]*+,[ \t]*+\w++)*+)\)?[ \t]*+(?::[^=\n]++)?=(?!=)"
    r"|^[ \t]*+(?:async[ \t]++)?(?:def|class)[ \t]++(\w++)"
    r"|\b(?:for|as)[ \t]++\(?([^\W\d]\w*+(?:[ \t]*+,[ \t]*+\w++)*+)"
    r"|(?<==)[ \t]*+([^\W\d]\w*+)[ \t]*+=(?!=)"
    r"|(?<!\w)([^\W\d]\w*+)[ \t]*+(?:[+|:-])=",
    re.MULTILINE,
)
GLOBAL = re.compile(r"\bglobal[ \t]+([^\n]+)")
# A chain behind which `=` or `(` stands: what it begins with is changed, or may be.
CHANGE = re.compile(
    r"(?<![.\w])([^\W\d]\w*+)((?:\.\w++|\[[^\[\]\n]*+\])++)[ \t]*+(\(|[-+*/|&^@%]?=(?!=))"
)
# The same where nothing of what was there is read.
_PUT = re.compile(
    r"(?<![.\w])([^\W\d]\w*+)(?:\.(?:add|append|extend|insert|register|update|clear)[ \t]*\("
    r"|(?:\[[^\[\]\n]*+\])++[ \t]*=(?!=))|\b(?:in|len\()[ \t]*([^\W\d]\w*+)(?![.\[\w])"
)
# The methods that run when an object is made, or a class that derives from this one.
_CONSTRUCTORS = re.compile(
    r"\n[ \t]+(?:async[ \t]+)?def[ \t]+"
    r"(?:__init__|__new__|__post_init__|__call__|__init_subclass__|__set_name__)\b"
    r"(.*?)(?=\n[ \t]+(?:async[ \t]+)?def |\Z)",
    re.DOTALL,
)
# Methods that put something into what they are called on.
_ADDING = "add|append|appendleft|extend|insert|register|setdefault|update"
# A class with a hook for the classes that derive from it, or a metaclass; how it keeps them.
_HOOK = re.compile(r"\b(?:__init_subclass__|metaclass)\b")
_KEPT = re.compile(
    rf"\b(?:cls|mcs|self)\.\w+(?:\[[^\[\]\n]*+\][ \t]*=(?!=)|\.(?:{_ADDING})\()"
    rf"|\w\[[^\[\]\n]*+\][ \t]*=[ \t]*cls\b|\w\.(?:{_ADDING})\((?:[^()\n]*,[ \t]*)?cls\b"
)
# A method without a body, or a field that a class leaves to those that derive from it.
_LEFT = re.compile(
    r":\s*+(?:\.\.\.\s*+)?(?=(?:async |def |@|class )|\Z)"
    r"|\babstractmethod\b|\bAbstract(?:Class)?Var\b"
)
# What can be put into: a container that is written out, or made.
_CONTAINER = re.compile(
    r"=\s*+(?:[\[{]|(?:\w+\.)*+(?:dict|list|set|defaultdict|OrderedDict|deque|Counter|ChainMap"
    r"|WeakValueDictionary|WeakKeyDictionary|WeakSet|SimpleNamespace)\b)"
)
# Methods of containers that change nothing.
_READERS = re.compile(r"\.(?:copy|count|get|index|items|keys|values)$")
_ADDERS = re.compile(rf"\.(?:{_ADDING})$")
# What is called, and what decorates; a partial call is one of what it is given.
_CALLED = re.compile(r"(?<![.\w])([^\W\d]\w*+(?:\.\w++)*+)[ \t]*\(")
_DECORATOR = re.compile(
    r"^@[ \t]*([^\W\d]\w*+(?:\.\w++)*+)"
    r"(?:(?<=partial)\([ \t\n]*([^\W\d]\w*+(?:\.\w++)*+))?",
    re.MULTILINE,
)
# What is called of something, and what is called by a name alone.
_METHOD = re.compile(r"(?<![.\w)\]])([^\W\d][\w.]*?)\.([^\W\d]\w*+)[ \t]*\(")
_NAME = re.compile(r"(?<!def )(?<!class )(?<!\w)([^\W\d]\w*+)[ \t]*\(")
_FUNCTION = re.compile(r"\bdef[ \t]")
# What a value begins with that is given a name.
_VALUE = re.compile(r"(?<![=!<>])=[ \t\n(]*([^\W\d]\w*+(?:\.\w++)*+)")
# What stands before a name that is a string.
QUOTES = "\"'"
_KEYWORDS = frozenset(kwlist)
# pytest gives tests what they name as parameters.
_TESTS = re.compile(r"^(?:async[ \t]+)?def[ \t]+test|^class[ \t]+\w*Test|\bfixture\b", re.MULTILINE)

_TEST_WORDS = ("def test", "Test", "fixture")


class Statement(NamedTuple):
    """A top-level statement of a file, with its decorators. Names are given as in its text:
    `optax.sgd` is one, with the names that it is an attribute of. Behind a quote, they are strings.

    - `kind`: "function", "class" or "other".
    - `defines`: the names that it binds in its module; that of a definition comes first.
    - `names`: all that it mentions.
    - `import_calls`: what is called when the file is imported, decorators included.
    - `changed`: what it may change; `stored`: what of that it assigns something in or to.
    - `only_filled`: first names of what it only puts something into.
    - `bases`: what a class derives from.
    - `constructor_names`, `constructor_changes`: the names in the methods of a class that run when
      an object is made, and what they may change.
    - `value_names`: the names that the values of other statements begin with.
    - `asks`: the methods that functions call of objects that they do not name, those of one object
      in one word; behind `ALIKE`, the words that the names of other callees end in.
    - `registers`: a class keeps the classes that derive from it.
    - `is_abstract`: a class leaves methods to those that derive from it.
    - `is_container`: a statement that is no definition makes a container.
    """

    kind: str
    defines: tuple[str, ...]
    names: tuple[str, ...]
    import_calls: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()
    only_filled: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    constructor_names: tuple[str, ...] = ()
    constructor_changes: tuple[str, ...] = ()
    value_names: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    registers: bool = False
    is_abstract: bool = False
    is_container: bool = False


@slotted(frozen=True)
class Outline:
    """The imports of a file and its statements. `is_open`: names may come from elsewhere than its
    own statements, by a star or by pytest."""

    imports: tuple[Import, ...] = ()
    statements: tuple[Statement, ...] = ()
    is_open: bool = False


def outline(data: bytes, ignored: frozenset[str]) -> Outline:
    """The outline of Python source, without the imports of packages that are to be ignored."""
    imports = tuple(imports_in(data, ignored))
    text = _code(decoded(data))
    # What a star brings has names of its own.
    parts = [it for it in split(_IMPORT.sub("", text)) if not it[1].startswith("__all__")]
    is_open = any("*" in one.names for one in imports) or _may_be_test(text)
    defined = [_defined(part) for _, part in parts]
    known: set[str] | None = None
    if not is_open:
        known = set().union(*defined) if defined else set()
        for one in imports:
            known.update(one.bound)
    found = (
        _statement(before, part, names, known)
        for (before, part), names in zip(parts, defined, strict=True)
    )
    return Outline(imports, tuple(found), is_open)


def _may_be_test(text: str) -> bool:
    return any(word in text for word in _TEST_WORDS) and _TESTS.search(text) is not None


def _code(text: str) -> str:
    """A text without its comments, and without most strings."""
    if _F_STRING.search(text):
        return TEXT.sub(_kept, text)
    return TEXT.sub(r" \3\4 ", text)


def _kept(match: re.Match[str]) -> str:
    """What stays of a comment or a string: a name behind a quote, the fields of an f-string."""
    group = match.lastindex
    if group is None:
        return " "
    if group in (3, 4):
        return f" {match[group]} "
    return f" {' '.join(_FIELD.findall(match[group]))} ".replace("\n", " ")


def decoded(data: bytes) -> str:
    """The text of a file, whose lines end in newlines alone."""
    return data.removeprefix(BOM_UTF8).decode("utf-8", "replace").replace("\r", "")


def split(text: str) -> Iterator[tuple[str, str]]:
    """The top-level statements of code, each behind its decorators."""
    before = ""
    for part in _BEGINNING.split(text):
        if part.startswith("@"):
            before += f"{part}\n"
        elif part and not part.isspace():
            yield before, part
            before = ""


def _defined(part: str) -> list[str]:
    """The names that a statement binds in its module; that of a definition comes first."""
    if definition := DEFINITION.match(part):
        return [definition[2], *sorted(_globals(part) - {definition[2]})]
    return sorted(assigned(part) - _KEYWORDS)


def _globals(part: str) -> set[str]:
    """The names of its module that a function assigns."""
    declared = {name.strip() for group in GLOBAL.findall(part) for name in group.split(",")}
    if not declared:
        return declared
    return declared & assigned(part)


def assigned(part: str) -> set[str]:
    """The names that are bound anywhere in a text."""
    groups = (group for match in _BOUND.findall(part) for group in match if group)
    return {name.strip() for group in groups for name in group.split(",")}


def _statement(
    before: str, part: str, defines: list[str], known: Container[str] | None
) -> Statement:
    """What a statement behind these decorators tells. Only the names that begin with one of the
    `known` are kept, all where there are none."""
    definition = DEFINITION.match(part)
    is_class = definition is not None and definition[1] == "class"
    names = _names(known, before, part)
    changed, stored = _changes(part, known)
    found = Statement(
        "class" if is_class else "function" if definition else "other",
        tuple(defines),
        names,
        import_calls=_names(known, *_called(before, "" if definition else part)),
        changed=changed,
        stored=stored,
        only_filled=_only_filled(part, (*changed, *stored)),
    )
    if definition is not None:
        found = found._replace(asks=_asks(part, known or ()))
    if is_class:
        return _class(found, part, known)
    if definition is not None:
        return found
    return found._replace(
        value_names=_names(known, *_VALUE.findall(part)),
        is_container=_CONTAINER.search(part) is not None,
    )


def _asks(part: str, known: Container[str]) -> tuple[str, ...]:
    """What functions in a text call of objects other than the `known` names of the module."""
    found = set[str]()
    for function in _FUNCTION.split(part)[1:]:
        methods: dict[str, set[str]] = {}
        for owner, name in (
            *_METHOD.findall(function),
            *transformed_methods.IN_TEXT.findall(function),
        ):
            if not is_common(name) and owner.partition(".")[0] not in known:
                methods.setdefault(owner, set()).add(name)
        found.update(",".join(sorted(names)) for names in methods.values())
        words = (word_of(name) for name in _NAME.findall(function) if name not in known)
        found.update(ALIKE + word for word in words if len(word) >= LEAST_WORD)
    return tuple(sorted(found))


def _class(found: Statement, part: str, known: Container[str] | None) -> Statement:
    """What a class tells beyond what every statement does."""
    head = _BASES.match(part)
    listed = head[1] if head else ""
    constructors = "\n".join(_CONSTRUCTORS.findall(part))
    has_hook = _HOOK.search(part) is not None or "type" in listed
    return found._replace(
        bases=_names(known, listed),
        constructor_names=_names(known, constructors),
        constructor_changes=_changes(constructors, known)[0],
        registers=has_hook and _KEPT.search(part) is not None,
        is_abstract=_LEFT.search(part, part.find(":", head.end() if head else 0) + 1) is not None,
    )


def _names(known: Container[str] | None, *texts: str) -> tuple[str, ...]:
    """The names in texts, in order."""
    found = {name for text in texts for name in CHAIN.findall(text)} - _KEYWORDS
    if known is not None:
        found = {name for name in found if name.partition(".")[0].lstrip(QUOTES) in known}
    return tuple(sorted(found))


def _called(decorators: str, text: str) -> list[str]:
    """The names that are called in decorators and in a text."""
    heads = (head for match in _DECORATOR.findall(decorators) for head in match if head)
    return [*heads, *_CALLED.findall(decorators), *_CALLED.findall(text)]


def _changes(text: str, known: Container[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of what a text may change, and of what it assigns something in or to."""
    changed: set[str] = set()
    stored: set[str] = set()
    for first, rest, sign in CHANGE.findall(text):
        if known is not None and first not in known:
            continue
        name = first + rest.partition("[")[0]
        if sign != "(":
            stored.add(name)
        elif "[" in rest:
            # A method of an item: most others only use it.
            if _ADDERS.search(rest):
                changed.add(name)
        elif not _READERS.search(rest):
            changed.add(name.rpartition(".")[0])
    return tuple(sorted(changed | stored)), tuple(sorted(stored))


def _only_filled(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of these names that a text only puts something into."""
    if not names:
        return ()
    firsts = {name.partition(".")[0] for name in names}
    put = {group for match in _PUT.findall(text) for group in match if group} & firsts
    if not put:
        return ()
    read = {name.partition(".")[0] for name in CHAIN.findall(_PUT.sub(" ", text))}
    return tuple(sorted(put - read))
