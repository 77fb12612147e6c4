"""Settings files: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.base.errors import SettingsError
from jaxlint.base.finding import Confidence, Severity
from jaxlint.settings import (
    Configuration,
    FileIgnore,
    FixChoice,
    RunSettings,
    Selection,
    Settings,
    SeverityOverride,
    VerifySettings,
)
from jaxlint.settings.keys import KEYS
from jaxlint.settings.places import lines_of


def read(path: Path) -> Settings:
    return Configuration(str(path)).near(str(path.parent))


EVERYTHING = """\
baseline = "known/it.json"
cache-dir = "c"
exclude = ["gen/"]
extend-exclude = ["out/"]
extend-per-file-ignores = {"b.py" = ["JAX7"]}
extend-safe-fixes = ["s"]
extend-select = ["x"]
extend-unsafe-fixes = ["u"]
fix = true
fixable = ["JAX1"]
force-exclude = true
framework-methods = true
ignore = ["JAX301"]
markdown = true
min-confidence = "high"
models = {"fast.relu" = "jax.nn.relu"}
output-format = "json"
per-file-ignores = {"!src/*" = ["JAX5", "y"]}
respect-gitignore = false
select = ["JAX3"]
severity = {JAX7 = "info"}
src = ["lib"]
target-jax = "0.4.30"
transforms = {"fast.compile" = "jax.jit"}
unfixable = ["JAX151"]
unsafe-fixes = true
verify.arguments = {"pkg.mod:step" = "f32[8], n=2"}
verify.evidence = "jaxpr"
verify.memory = 1.5
verify.python = ".venv/bin/python"
verify.timeout = 2
"""


@pytest.mark.parametrize(
    "name, head",
    [("pyproject.toml", "[tool.jaxlint]\n"), ("jaxlint.toml", ""), (".jaxlint.toml", "")],
)
def test_every_key_is_read(tmp_path: Path, name: str, head: str) -> None:
    path = tmp_path / name
    path.write_text(head + EVERYTHING)
    assert {key.name for key in KEYS} - {"extend"} == {
        ".".join(keys[2:] if head else keys) for keys in lines_of(head + EVERYTHING)
    } & {key.name for key in KEYS}
    origin = f"{path}: tool.jaxlint" if head else str(path)
    here = str(tmp_path)
    expected = Settings(
        selections=(Selection(("JAX3",), ("JAX301",), ("x",), origin),),
        exclude=((here, ("gen/",)), (here, ("out/",))),
        base=here,
        target_jax="0.4.30",
        verify=VerifySettings(
            python=str(tmp_path / ".venv/bin/python"),
            arguments=(("pkg.mod:step", "f32[8], n=2"),),
            timeout=2.0,
            memory=1.5,
            evidence="jaxpr",
        ),
        min_confidence=Confidence.HIGH,
        transforms=(("fast.compile", "jax.jit"), ("fast.relu", "jax.nn.relu")),
        src=(str(tmp_path / "lib"),),
        framework_methods=True,
        baseline=str(tmp_path / "known" / "it.json"),
        file_ignores=(
            FileIgnore("!src/*", ("JAX5", "y"), here, origin),
            FileIgnore("b.py", ("JAX7",), here, origin),
        ),
        severities=(SeverityOverride("JAX7", Severity.INFO, origin),),
        fixes=(
            FixChoice("fixable", ("JAX1",), origin),
            FixChoice("unfixable", ("JAX151",), origin),
            FixChoice("safe", ("s",), origin),
            FixChoice("unsafe", ("u",), origin),
        ),
        run=RunSettings("json", str(tmp_path / "c"), True, False, True, True, True),
    )
    assert expected == Configuration().near(here)
    assert expected == read(path)


@pytest.mark.parametrize(
    "table, expected",
    [
        ('transforms = {"a.b" = "jax.pmap"}', (("a.b", "jax.pmap"),)),
        (
            '[tool.jaxlint.transforms]\na.b.c = "jax.jit"\na.b.d = "jax.vmap"',
            (("a.b.c", "jax.jit"), ("a.b.d", "jax.vmap")),
        ),
        ('transforms = {"a.b" = "jax.experimental.pjit.pjit"}', (("a.b", "jax.jit"),)),
        ('transforms = {"a.b" = "equinox.filter_jit"}', (("a.b", "equinox.filter_jit"),)),
        ("transforms = {}", ()),
    ],
)
def test_transforms_are_pairs_of_canonical_names(
    tmp_path: Path, table: str, expected: tuple[tuple[str, str], ...]
) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f"[tool.jaxlint]\n{table}\n")
    settings = read(path)
    assert expected == settings.transforms
    assert hash(settings) == hash(read(path))


def test_an_unknown_transform_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.jaxlint]\ntransforms = {"a.b" = "jax.jitt"}\n')
    with pytest.raises(SettingsError) as caught:
        read(path)
    complaint = str(caught.value)
    assert complaint.startswith(f"{path}:2: tool.jaxlint.transforms: a.b = 'jax.jitt': ")
    assert "jax.grad, " in complaint
    assert complaint.endswith("did you mean 'jax.jit'?")


def test_an_interpreter_without_a_folder_is_a_command(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.jaxlint.verify]\npython = "python3.12"\n')
    assert VerifySettings(python="python3.12") == read(path).verify


@pytest.mark.parametrize(
    "text, line, complaint",
    [
        ('selct = ["JAX3"]', 2, "unknown key tool.jaxlint.selct; did you mean 'select'?"),
        ("EXTEND_SELECT = []", 2, "EXTEND_SELECT; did you mean 'extend-select'?"),
        ("timeout = 3", 2, "unknown key tool.jaxlint.timeout; did you mean 'verify.timeout'?"),
        ("verify.select = []", 2, "unknown key tool.jaxlint.verify.select; did you mean 'select'?"),
        ("zzz = 1", 2, "unknown key tool.jaxlint.zzz (known are baseline, cache-dir, "),
        ('select = "JAX3"', 2, "tool.jaxlint.select must be a list of strings, not 'JAX3'"),
        ("\nignore = [1]", 3, "tool.jaxlint.ignore must be a list of strings, and 1 is none"),
        ("exclude = true", 2, "tool.jaxlint.exclude must be a list of strings, not true"),
        ("target-jax = 0.4", 2, 'target-jax must be a version such as "0.4.30", not 0.4'),
        ('target-jax = "new"', 2, "tool.jaxlint.target-jax must be a version"),
        ("min-confidence = 'sure'", 2, 'must be one of "high", "medium", "low", not \'sure\''),
        ("min-confidence = ['low']", 2, "tool.jaxlint.min-confidence must be one"),
        ("transforms = 3", 2, "tool.jaxlint.transforms must be a table such as"),
        ("transforms = {'a.b' = 3}", 2, "tool.jaxlint.transforms.'a.b' must be a string such as"),
        ("transforms = {'ab' = 'jax.jit'}", 2, "'ab' is not a dotted name"),
        ("transforms = {'a.b-c' = 'jax.jit'}", 2, "is not a dotted name"),
        ("models = {'a.b' = 'jax.nn.reluu'}", 2, "no function 'jax.nn.reluu' is known"),
        ("src = 'src'", 2, "tool.jaxlint.src must be a list of strings"),
        ("framework-methods = 1", 2, "must be true or false, not 1"),
        ("cache-dir = ''", 2, "tool.jaxlint.cache-dir must be the path of a directory, not ''"),
        ("severity = {JAX3 = 'off'}", 2, "severity.JAX3 must be one of"),
        ("severity = {a = 1979-05-27}", 2, "not a date or time"),
        ("per-file-ignores = {a = 'JAX3'}", 2, "per-file-ignores.a must be a list of strings"),
        ("per-file-ignores = {'[' = []}", 2, "'[' is no pattern: a `[` is not closed"),
        ("per-file-ignores = {'a{b' = []}", 2, "'a{b' is no pattern: a `{` is not closed"),
        ("per-file-ignores = {'a}' = []}", 2, "'a}' is no pattern: a `}` closes nothing"),
        ("per-file-ignores = {'a\\' = []}", 2, "is no pattern: a backslash stands for nothing"),
        ("exclude = ['a', '!']", 2, "tool.jaxlint.exclude: '!' is no pattern of git's"),
        ("extend-exclude = ['a\\']", 2, "is no pattern of git's"),
        ("verify = true", 2, "tool.jaxlint.verify must be a table, not a boolean"),
        ("[tool.jaxlint.verify]\npyton = 'x'", 3, "verify.pyton; did you mean 'python'?"),
        ("verify.python = 3", 2, "tool.jaxlint.verify.python must be the path of an"),
        ("verify.timeout = 0", 2, "tool.jaxlint.verify.timeout must be a positive number, not 0"),
        ("verify.timeout = inf", 2, "tool.jaxlint.verify.timeout must be a positive number"),
        ("verify.memory = true", 2, "tool.jaxlint.verify.memory must be a positive number"),
        ("verify.evidence = 'hlo'", 2, "tool.jaxlint.verify.evidence must be one of"),
        ("verify.arguments = ['f']", 2, "tool.jaxlint.verify.arguments must be a table such as"),
        ("[tool.jaxlint.verify.arguments]\n'm:f' = 3", 3, "verify.arguments.'m:f' must be"),
        ("extend = 'none.toml'", 2, "none.toml is no file that exists"),
    ],
)
def test_a_bad_value_is_said_with_file_line_and_key(
    tmp_path: Path, text: str, line: int, complaint: str
) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f"[tool.jaxlint]\n{text}\n")
    with pytest.raises(SettingsError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert complaint in str(caught.value)


def test_all_that_is_wrong_in_a_file_is_said_at_once_in_the_order_of_its_lines(
    tmp_path: Path,
) -> None:
    path = tmp_path / "jaxlint.toml"
    path.write_text("select = 3\nsrcs = []\nsrc = [1, 2]\n[verify]\nmemory = 0\n")
    with pytest.raises(SettingsError) as caught:
        read(path)
    assert [
        f"{path}:1: select must be a list of strings, not 3",
        f"{path}:2: unknown key srcs; did you mean 'src'?",
        f"{path}:3: src must be a list of strings, and 1 is none",
        f"{path}:3: src must be a list of strings, and 2 is none",
        f"{path}:5: verify.memory must be a positive number, not 0",
    ] == str(caught.value).splitlines()


@pytest.mark.parametrize(
    "name, text, complaint",
    [
        (
            "pyproject.toml",
            "[tool]\njaxlint = 3\n",
            "2: tool.jaxlint must be a table, not a number",
        ),
        ("jaxlint.toml", "[tool.jaxlint]\nselect = []\n", "1: unknown key tool"),
        ("pyproject.toml", "[tool.jaxlint\n", " not valid TOML"),
    ],
)
def test_a_file_of_another_shape_is_refused(
    tmp_path: Path, name: str, text: str, complaint: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        Configuration().near(str(tmp_path))
    assert str(caught.value).startswith(f"{path}:{complaint}")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not valid TOML"):
        read(path)


def test_a_named_file_of_another_name_may_have_either_form(tmp_path: Path) -> None:
    flat, nested = tmp_path / "flat.toml", tmp_path / "nested.toml"
    flat.write_text("framework-methods = true\n")
    nested.write_text("[tool.jaxlint]\nframework-methods = true\n")
    assert read(flat).framework_methods
    assert read(nested).framework_methods


def test_a_file_without_our_table_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[project]\nname = 'x'\n")
    assert Settings() == read(path)
    assert Settings() == Configuration().near(str(tmp_path))


def test_lines_are_those_of_keys_and_tables_in_any_form_of_toml() -> None:
    text = (
        'a = """\nb = 1\u2028\n[c]\r\n"""\n'
        "# d = 2\r\n"
        "list = [\n  'x[y]',\n  { e = 1 },\n]\n"
        "x.'y z' = {w = 1, v = {}}\n"
        "[[many]]\nfirst = 1\r\n[[many]]\nfirst = 2\n"
        '  [t . "u"] # comment\nk = 1\n'
    )
    lines = lines_of(text)
    assert 1 == lines[("a",)]
    assert ("b",) not in lines and ("c",) not in lines and ("d",) not in lines
    assert (6, 10, 10) == (lines[("list",)], lines[("x", "y z", "w")], lines[("x", "y z", "v")])
    assert (12, 15, 16) == (lines[("many", "first")], lines[("t", "u")], lines[("t", "u", "k")])
