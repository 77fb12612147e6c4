"""What came of tracing a file as plain data, and back.

Whoever wrote the data, what is made of it is text, numbers and the classes named here. Data of
another shape raises ValueError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from jaxlint.base.edit import Edit
from jaxlint.base.finding import Applicability, Because, Confidence, Finding, Fix, Severity
from jaxlint.base.text import Span
from jaxlint.project.dependencies import Asked, Question
from jaxlint.project.file_facts import Contents
from jaxlint.project.imports import Import
from jaxlint.results.merge import Examined, Located, Site

if TYPE_CHECKING:
    from jaxlint.project.callers.edits import Definitions
    from jaxlint.project.callers.outlines import Outline, Statement
    from jaxlint.syntax.parse import SyntaxProblem

T = TypeVar("T")
# The last fields of a statement of an outline are true or false.
_FLAGS = 3


def encode(examined: Examined) -> list[Any]:
    """What came of one file. Neither crashes nor surveys are kept, nor what was asked."""
    problem = examined.problem
    return [
        [_encode_located(one) for one in examined.located],
        sorted(map(list, examined.traced)),
        None if problem is None else [problem.path, problem.line, problem.column, problem.message],
    ]


def decode(data: Any) -> Examined:
    """The reverse of `encode`."""
    located, traced, problem = _parts(data, 3)
    return Examined(
        tuple(_decode_located(one) for one in _list(located)),
        frozenset(_names(one) for one in _list(traced)),
        problem=None if problem is None else _decode_problem(problem),
    )


def encode_asked(asked: Asked) -> list[Any]:
    """A question and its answer."""
    question, answer = asked
    return [*question, list(answer)]


def decode_asked(data: Any) -> Asked:
    """The reverse of `encode_asked`."""
    kind, about, name, level, answer = _parts(data, 5)
    question = Question(_text(kind), _text(about), _text(name), _number(level))
    return question, tuple(_text(one) for one in _list(answer))


def encode_contents(contents: Contents) -> list[Any]:
    """What a file tells, without the words that imports bind."""
    told = (contents.mentions, contents.telling, contents.x64)
    flags = (*told, contents.acts, contents.registers)
    imports = [[one.module, one.level, *one.names] for one in contents.imports]
    members = [" ".join(one) for one in contents.members]
    return [
        *map(int, flags),
        imports,
        [list(one) for one in contents.classes],
        members,
        " ".join(contents.called),
        " ".join(contents.stored),
        " ".join(contents.decorators),
        " ".join(contents.keepers),
    ]


def encode_definitions(definitions: Definitions) -> list[Any]:
    """The definitions in a file."""
    return [definitions.rest, {name: [*one] for name, one in definitions.by_name.items()}]


def decode_definitions(data: Any) -> Definitions:
    """The reverse of `encode_definitions`."""
    from jaxlint.project.callers.edits import Definition, Definitions

    rest, found = _parts(data, 2)
    if not isinstance(found, dict):
        raise ValueError("no definitions")
    by_name = {name: Definition(*map(_text, _parts(one, 3))) for name, one in found.items()}
    return Definitions(_text(rest), by_name)


def encode_outline(outline: Outline) -> list[Any]:
    """The outline of a file: names have no blanks in them."""
    imports = [
        [it.module, it.level, " ".join(it.names), " ".join(it.bound)] for it in outline.imports
    ]
    statements = [
        [" ".join(one) if isinstance(one, tuple) else one for one in statement]
        for statement in outline.statements
    ]
    return [int(outline.is_open), imports, statements]


def decode_outline(data: Any) -> Outline:
    """The reverse of `encode_outline`."""
    from jaxlint.project.callers.outlines import Outline

    is_open, imports, statements = _parts(data, 3)
    return Outline(
        tuple(_decode_bound(one) for one in _list(imports)),
        tuple(_decode_statement(one) for one in _list(statements)),
        bool(_number(is_open)),
    )


def decode_contents(data: Any) -> Contents:
    """The reverse of `encode_contents`."""
    *flags, imports, classes, members, called, stored, decorators, keepers = _parts(data, 12)
    mentions, telling, x64, acts, registers = (bool(_number(one)) for one in flags)
    listed = tuple(tuple(map(_text, _list(one))) for one in _list(classes))
    had = tuple(tuple(_text(one).split(" ")) for one in _list(members))
    listed_imports = tuple(_decode_import(one) for one in _list(imports))
    told = mentions, telling, x64, acts, registers
    used = map(_words, (called, stored, decorators, keepers))
    return Contents(listed_imports, *told, listed, had, *used)


def _decode_import(data: Any) -> Import:
    module, level, *names = _list(data)
    return Import(_text(module), _number(level), tuple(map(_text, names)))


def _encode_located(one: Located) -> list[Any]:
    sites = [[site.file, site.filename, _encode_span(site.span)] for site in one.sites]
    subjects = sorted([name, _encode_span(span)] for name, span in one.subjects)
    return [
        _encode_finding(one.finding),
        sites,
        int(one.ignored),
        one.eager_in,
        subjects,
        list(map(list, one.cells)),
    ]


def _decode_located(data: Any) -> Located:
    finding, sites, ignored, eager_in, subjects, cells = _parts(data, 6)
    found = tuple(_decode_site(site) for site in _list(sites))
    if not found:
        raise ValueError("a finding that is nowhere")
    return Located(
        _decode_finding(finding),
        found,
        bool(_number(ignored)),
        _text(eager_in),
        frozenset(_decode_subject(one) for one in _list(subjects)),
        tuple(_decode_cell(one) for one in _list(cells)),
    )


def _decode_cell(data: Any) -> tuple[int, int]:
    line, number = _parts(data, 2)
    return _number(line), _number(number)


def _decode_site(data: Any) -> Site:
    file, filename, span = _parts(data, 3)
    return Site(_text(file), _text(filename), _decode_span(span))


def _decode_subject(data: Any) -> tuple[str, Span]:
    name, span = _parts(data, 2)
    return _text(name), _decode_span(span)


def _encode_finding(one: Finding) -> list[Any]:
    if one.verdict is not None:
        raise ValueError("verdicts are not kept")
    return [
        one.filename,
        _encode_span(one.span),
        one.code,
        one.name,
        one.severity.value,
        one.message,
        one.help,
        [_encode_step(step) for step in one.because],
        [_encode_step(step) for step in one.trail],
        one.confidence.value,
        None if one.doubt is None else _encode_step(one.doubt),
        None if one.fix is None else _encode_fix(one.fix),
        one.minor,
    ]


def _decode_finding(data: Any) -> Finding:
    filename, span, code, name, severity, message, help, *reasons = _parts(data, 13)
    because, trail, confidence, doubt, fix, minor = reasons
    return Finding(
        _text(filename),
        _decode_span(span),
        _text(code),
        _text(name),
        Severity(severity),
        _text(message),
        _text(help),
        tuple(_decode_step(step) for step in _list(because)),
        tuple(_decode_step(step) for step in _list(trail)),
        confidence=Confidence(confidence),
        doubt=None if doubt is None else _decode_step(doubt),
        fix=None if fix is None else _decode_fix(fix),
        minor=_text(minor),
    )


def _encode_step(step: Because) -> list[Any]:
    return [_encode_span(step.span), step.message, step.filename]


def _decode_step(data: Any) -> Because:
    span, message, filename = _parts(data, 3)
    return Because(_decode_span(span), _text(message), _text(filename))


def _encode_fix(fix: Fix) -> list[Any]:
    edits, cleanup = (
        [[_encode_span(edit.span), edit.replacement] for edit in each]
        for each in (fix.edits, fix.cleanup)
    )
    return [fix.title, fix.applicability.value, edits, cleanup]


def _decode_fix(data: Any) -> Fix:
    title, applicability, *parts = _parts(data, 4)
    edits, cleanup = (tuple(_decode_edit(one) for one in _list(each)) for each in parts)
    return Fix(_text(title), Applicability(applicability), edits, cleanup)


def _decode_edit(data: Any) -> Edit:
    span, replacement = _parts(data, 2)
    return Edit(_decode_span(span), _text(replacement))


def _encode_span(span: Span) -> list[int]:
    return [span.line, span.column, span.end_line, span.end_column]


def _decode_span(data: Any) -> Span:
    line, column, end_line, end_column = map(_number, _parts(data, 4))
    return Span(line, column, end_line, end_column)


def _decode_problem(data: Any) -> SyntaxProblem:
    from jaxlint.syntax.parse import SyntaxProblem

    path, line, column, message = _parts(data, 4)
    return SyntaxProblem(_text(path), _number(line), _number(column), _text(message))


def _decode_bound(data: Any) -> Import:
    module, level, names, bound = _parts(data, 4)
    return Import(_text(module), _number(level), _words(names), _words(bound))


def _decode_statement(data: Any) -> Statement:
    from jaxlint.project.callers.outlines import Statement

    kind, *fields = _parts(data, len(Statement._fields))
    names, flags = fields[:-_FLAGS], fields[-_FLAGS:]
    return Statement._make([_text(kind), *map(_words, names), *map(_flag, flags)])


def _flag(data: Any) -> bool:
    return bool(_number(data))


def _words(data: Any) -> tuple[str, ...]:
    return tuple(_text(data).split())


def _names(data: Any) -> tuple[str, str]:
    first, second = _parts(data, 2)
    return _text(first), _text(second)


def _parts(data: Any, count: int) -> list[Any]:
    if not isinstance(data, list) or len(data) != count:
        raise ValueError("not as many parts as expected")
    return data


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError("no list")
    return data


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise ValueError("no text")
    return data


def _number(data: Any) -> int:
    if not isinstance(data, int):
        raise ValueError("no number")
    return data


def believed(make: Callable[[Any], T], data: Any) -> T | None:
    """What is made of the data, None for data of another shape."""
    try:
        return make(data)
    except (ValueError, TypeError):
        return None
