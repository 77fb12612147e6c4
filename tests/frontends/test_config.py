"""`jaxlint config`, the schema and the reference: they say what the reader does."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxlint.base.errors import SettingsError
from jaxlint.frontends.cli import main
from jaxlint.frontends.cli_settings import Given, take
from jaxlint.project.file_systems.files import Memory
from jaxlint.settings import Configuration
from jaxlint.settings.keys import BY_NAME, KEYS, OUTPUT_FORMATS
from jaxlint.settings.read import read_file
from jaxlint.settings.schema import reference, schema, text, toml

Command = Callable[..., Result]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def nested(here: Path) -> Path:
    (here / "pkg").mkdir()
    (here / "jaxlint.toml").write_text('ignore = [\n  "JAX5",\n]\nseverity = {JAX7 = "info"}\n')
    (here / "pkg" / "pyproject.toml").write_text(
        '[tool.jaxlint]\nextend = "../jaxlint.toml"\nignore = ["JAX702"]\n'
        'transforms.foo.bar = "jax.jit"\nper-file-ignores = {"a.py" = ["JAX3"]}\n'
    )
    (here / "pkg" / "a.py").write_text("")
    return here


def test_settings_are_shown_as_toml_with_where_they_were_given(nested: Path, run: Command) -> None:
    shown = run(
        "config", "pkg", "--min-confidence", "high", "--config", "target-jax = '0.5'"
    ).stdout
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert lines[0] == "# settings for pkg, from pkg/pyproject.toml, jaxlint.toml"
    assert [
        "ignore = [",
        '"JAX5", # jaxlint.toml:1',
        '"JAX702", # pkg/pyproject.toml:3',
        "]",
        "markdown = false # default",
        'min-confidence = "high" # --min-confidence',
    ] == lines[lines.index("ignore = [") :][:6]
    assert 'severity.JAX7 = "info" # jaxlint.toml:4' in lines
    assert 'transforms."foo.bar" = "jax.jit" # pkg/pyproject.toml:4' in lines
    assert 'target-jax = "0.5" # --config' in lines
    assert "verify.timeout = 10.0 # default" in lines
    assert "# select is not set" in lines
    table = tomllib.loads(shown)
    assert (["JAX5", "JAX702"], "0.5") == (table["ignore"], table["target-jax"])


def test_what_is_shown_means_what_was_read(nested: Path, run: Command) -> None:
    shown = run("config", "pkg").stdout
    files = Memory({"/other/jaxlint.toml": shown})
    read, again = Configuration().near("pkg"), Configuration(files=files).near("/other")
    assert (read.transforms, read.verify, read.run) == (again.transforms, again.verify, again.run)
    assert [one.selector for one in read.severities] == [one.selector for one in again.severities]


def test_settings_are_shown_in_json_with_the_rules_that_are_on(nested: Path, run: Command) -> None:
    shown = json.loads(run("config", "pkg/a.py", "--output-format", "json").stdout)
    files = [str(nested / "pkg" / "pyproject.toml"), str(nested / "jaxlint.toml")]
    assert ("pkg/a.py", files) == (shown["path"], shown["files"])
    assert {key.name for key in KEYS} - {"extend"} == set(shown["settings"])
    assert {
        "value": ["JAX5", "JAX702"],
        "origins": [
            {"kind": "file", "file": files[1], "line": 1},
            {"kind": "file", "file": files[0], "line": 3},
        ],
    } == shown["settings"]["ignore"]
    assert {"value": None, "origins": [{"kind": "default"}]} == shown["settings"]["select"]
    assert "JAX101" in shown["rules"]
    assert not any(code.startswith(("JAX3", "JAX5", "JAX702")) for code in shown["rules"])


def test_to_select_forgets_what_was_turned_on_and_off_before(nested: Path, run: Command) -> None:
    chosen = ("--select", "JAX502", "--output-format", "json")
    shown = json.loads(run("config", "pkg", *chosen).stdout)
    assert ([], ["JAX502"]) == (
        shown["settings"]["ignore"]["value"],
        shown["settings"]["select"]["value"],
    )
    assert ["JAX001", "JAX009", "JAX502"] == [
        code for code in shown["rules"] if code in ("JAX001", "JAX009") or code > "JAX01"
    ]


def test_a_path_that_is_not_there_is_refused(here: Path, run: Command) -> None:
    result = run("config", "none")
    assert (2, "jaxlint: error: none: no such file or directory\n") == (
        result.exit_code,
        result.stderr,
    )


def test_every_key_that_names_an_option_names_one_of_the_command() -> None:
    names = {name for param in main.commands["check"].params for name in param.opts}
    assert {key.option for key in KEYS if key.option} <= names


def test_formats_are_those_of_the_option() -> None:
    choices = {
        tuple(param.type.choices)
        for param in main.commands["check"].params
        if param.name == "output_format"
    }
    assert {tuple(OUTPUT_FORMATS)} == choices


# -- schema and reference ------------------------------------------------------------------------


def test_the_schema_in_the_package_is_current(run: Command) -> None:
    published = (ROOT / "jaxlint" / "schema.json").read_text(encoding="utf-8")
    assert text() == published, "write it again: jaxlint config --schema > jaxlint/schema.json"
    assert published == run("config", "--schema").stdout
    jsonschema.Draft7Validator.check_schema(schema())


def properties(table: dict[str, Any], above: str = "") -> dict[str, Any]:
    """The leaves of the schema by dotted name."""
    found: dict[str, Any] = {}
    for name, one in table["properties"].items():
        found |= properties(one, f"{above}{name}.") if "properties" in one else {above + name: one}
    return found


def test_every_key_of_the_schema_has_a_title_a_description_and_the_default() -> None:
    found = properties(schema())
    assert set(BY_NAME) == set(found)
    for name, one in found.items():
        assert one["title"] and one["description"]
        assert "](" not in one["description"]
        assert BY_NAME[name].default == one.get("default")
        if "default" in one:
            assert not list(BY_NAME[name].kind.problems(one["default"]))


def test_the_reference_in_the_documentation_is_current() -> None:
    documented = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    _, _, rest = documented.partition("<!-- keys -->\n\n")
    assert reference() + "\n" == rest.partition("<!-- end of keys -->")[0]


def test_the_examples_of_the_reference_can_be_used() -> None:
    example = reference().partition("```toml\n")[2].partition("```")[0]
    read = Configuration(files=Memory({"/x/jaxlint.toml": example})).near("/x")
    assert ("0.4.30", 30.0) == (read.target_jax, read.verify.timeout)
    jsonschema.validate(tomllib.loads(example), schema())


SCALARS = st.one_of(
    st.booleans(),
    st.integers(-2, 20),
    st.floats(-1, 5, allow_nan=False),
    st.sampled_from(["", "JAX3", "0.4.30", "1.", "high", "full", "jaxpr", "error", "off", "a.b"]),
)
WORDS = st.sampled_from(["a", "a.b", "a-b", "JAX3", "a.b.c", "1a", "", "tests/**", "é.b"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=5,
)
NAMES = st.sampled_from([*sorted({key.parts[0] for key in KEYS}), "selct", "tool"])
LIKELY = {
    "Strings": st.lists(st.sampled_from(["JAX3", "x"]), max_size=2),
    "Flag": st.booleans(),
    "Number": st.floats(0.1, 9),
    "Text": st.sampled_from(["1.2", "x", ""]),
    "Choice": st.sampled_from(["high", "full", "jaxpr", "x"]),
    "Table": st.dictionaries(WORDS, st.sampled_from([["JAX3"], [1], "error", "f32[8]", 3])),
    "Names": st.recursive(
        st.just("jax.jit"), lambda it: st.dictionaries(WORDS, it, max_size=2), max_leaves=3
    ),
}


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """Tables that are nearly right: most keys exist, most values are of their kinds."""
    found: dict[str, Any] = {}
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=3, unique=True)):
        right = st.just(tomllib.loads(f"it = {key.example}")["it"])
        value = draw(st.one_of(right, right, right, LIKELY[type(key.kind).__name__], VALUES))
        if len(key.parts) > 1:
            found.setdefault(key.parts[0], {})[key.parts[1]] = value
        else:
            found[key.name] = value
    if draw(st.integers(0, 5)) == 0:
        found[draw(NAMES)] = draw(VALUES)
    return found


@given(tables())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_schema_accepts_what_the_reader_accepts(table: dict[str, Any]) -> None:
    written = "\n".join(f"{key} = {toml(value)}" for key, value in table.items())
    try:
        read_file("/x/jaxlint.toml", Memory({"/x/jaxlint.toml": written}))
        is_read = True
    except SettingsError as error:
        assert "not valid TOML" not in str(error)
        is_read = False
    assert is_read is jsonschema.Draft7Validator(schema()).is_valid(tomllib.loads(written))


def test_options_without_a_value_say_nothing() -> None:
    names = ("select", "ignore", "exclude", "force_exclude", "target_jax")
    nothing = dict.fromkeys(names) | {"config": (), "isolated": False}
    assert Given() == take(nothing)
    assert {} == nothing
