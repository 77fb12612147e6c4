"""The configuration file: what is read, from where, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jaxlint.base.errors import SettingsError
from jaxlint.base.finding import Confidence
from jaxlint.settings import KEYS, Configuration, Selection, Settings, VerifySettings, read_settings


def test_every_key_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        "[tool.jaxlint]\n"
        'select = ["JAX3"]\nignore = ["JAX301"]\nextend-select = ["x"]\n'
        'exclude = ["gen/"]\ntarget-jax = "0.4.30"\nmin-confidence = "high"\n'
        'transforms = {"fast.compile" = "jax.jit"}\nsrc = ["lib"]\nframework-methods = true\n'
    )
    origin = f"{path}: tool.jaxlint"
    expected = Settings(
        selections=(Selection(("JAX3",), ("JAX301",), ("x",), origin),),
        exclude=("gen/",),
        base=str(tmp_path),
        target_jax="0.4.30",
        min_confidence=Confidence.HIGH,
        transforms=(("fast.compile", "jax.jit"),),
        src=("lib",),
        framework_methods=True,
    )
    assert expected == read_settings(str(path))


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
    settings = read_settings(str(path))
    assert expected == settings.transforms
    assert hash(settings) == hash(read_settings(str(path)))


def test_an_unknown_transform_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.jaxlint]\ntransforms = {"a.b" = "jax.jitt"}\n')
    with pytest.raises(SettingsError) as caught:
        read_settings(str(path))
    complaint = str(caught.value)
    assert complaint.startswith(f"{path}: tool.jaxlint.transforms: a.b = 'jax.jitt': ")
    assert "jax.grad, " in complaint
    assert complaint.endswith("did you mean 'jax.jit'?")


def test_the_table_for_verification_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        "[tool.jaxlint.verify]\n"
        'python = ".venv/bin/python"\ntimeout = 2\nmemory = 1.5\nevidence = "jaxpr"\n'
        'arguments = {"pkg.mod:step" = "f32[8], n=2"}\n'
    )
    expected = VerifySettings(
        python=str(tmp_path / ".venv/bin/python"),
        arguments=(("pkg.mod:step", "f32[8], n=2"),),
        timeout=2.0,
        memory=1.5,
        evidence="jaxpr",
    )
    assert expected == read_settings(str(path)).verify


def test_an_interpreter_without_a_folder_is_a_command(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.jaxlint.verify]\npython = "python3.12"\n')
    assert VerifySettings(python="python3.12") == read_settings(str(path)).verify


@pytest.mark.parametrize(
    "text, complaint",
    [
        ('[tool.jaxlint]\nselct = ["JAX3"]\n', "unknown key tool.jaxlint.selct"),
        ('[tool.jaxlint]\nselect = "JAX3"\n', "tool.jaxlint.select must be a list of strings"),
        ("[tool.jaxlint]\nignore = [1]\n", "tool.jaxlint.ignore must be a list of strings"),
        ("[tool.jaxlint]\nexclude = true\n", "tool.jaxlint.exclude must be a list of strings"),
        ("[tool.jaxlint]\ntarget-jax = 0.4\n", "tool.jaxlint.target-jax must be a version"),
        ('[tool.jaxlint]\ntarget-jax = "new"\n', "tool.jaxlint.target-jax must be a version"),
        ("[tool.jaxlint]\nmin-confidence = 'sure'\n", 'must be one of "high", "medium", "low"'),
        ("[tool.jaxlint]\nmin-confidence = ['low']\n", "tool.jaxlint.min-confidence must be one"),
        ("[tool.jaxlint]\ntransforms = 3\n", "tool.jaxlint.transforms must be a table"),
        ("[tool.jaxlint]\ntransforms = {'a.b' = 3}\n", "tool.jaxlint.transforms must be a table"),
        ("[tool.jaxlint]\ntransforms = {'ab' = 'jax.jit'}\n", "'ab' is not a dotted name"),
        ("[tool.jaxlint]\ntransforms = {'a.b-c' = 'jax.jit'}\n", "is not a dotted name"),
        ("[tool.jaxlint]\nsrc = 'src'\n", "tool.jaxlint.src must be a list of strings"),
        ("[tool.jaxlint]\nframework-methods = 1\n", "must be true or false"),
        ("[tool.jaxlint]\nverify = true\n", "tool.jaxlint.verify must be a table"),
        ("[tool.jaxlint.verify]\npyton = 'x'\n", "unknown key tool.jaxlint.verify.pyton"),
        ("[tool.jaxlint.verify]\npython = 3\n", "tool.jaxlint.verify.python must be"),
        ("[tool.jaxlint.verify]\ntimeout = 0\n", "tool.jaxlint.verify.timeout must be a positive"),
        ("[tool.jaxlint.verify]\nmemory = true\n", "tool.jaxlint.verify.memory must be a positive"),
        ("[tool.jaxlint.verify]\nevidence = 'hlo'\n", "tool.jaxlint.verify.evidence must be"),
        ("[tool.jaxlint.verify]\narguments = ['f']\n", "tool.jaxlint.verify.arguments must be"),
        ("[tool.jaxlint.verify.arguments]\n'm:f' = 3\n", "tool.jaxlint.verify.arguments must be"),
        ("[tool]\njaxlint = 3\n", "tool.jaxlint must be a table"),
        ("[tool.jaxlint\n", "not valid TOML"),
    ],
)
def test_a_bad_value_names_file_and_key(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        read_settings(str(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert complaint in str(caught.value)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not valid TOML"):
        read_settings(str(path))


def test_the_nearest_file_with_our_table_counts(tmp_path: Path) -> None:
    inner = tmp_path / "pkg" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.jaxlint]\nignore = ["JAX3"]\n')
    (tmp_path / "pkg" / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    found = Configuration().near(str(inner))
    assert found.selections[0].ignore == ("JAX3",)
    (tmp_path / "pkg" / "pyproject.toml").write_text('[tool.jaxlint]\nignore = ["JAX4"]\n')
    found = Configuration().near(str(inner))
    assert found.selections[0].ignore == ("JAX4",)


def test_a_given_file_counts_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text('[tool.jaxlint]\nignore = ["JAX3"]\n')
    (tmp_path / "pyproject.toml").write_text('[tool.jaxlint]\nignore = ["JAX4"]\n')
    found = Configuration(str(path)).near(str(tmp_path))
    assert found.selections[0].ignore == ("JAX3",)


def test_a_file_without_our_table_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[project]\nname = 'x'\n")
    assert read_settings(str(path)).exclude == ()
    assert Settings() == Configuration().near(str(tmp_path))


def test_the_documentation_has_every_key() -> None:
    text = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| .+ \|$", text, re.MULTILINE)
    assert sorted(documented) == sorted(KEYS)
