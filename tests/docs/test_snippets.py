"""What documents show of files is valid where it is used: settings, Python and the like."""

from __future__ import annotations

import ast
import configparser
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner
from documents import DOCUMENTS, Block, blocks
from pre_commit.clientlib import load_config
from sessions import SHELLS

from jaxlint.settings import Configuration
from jaxlint.settings.schema import schema

ALL = [block for path in DOCUMENTS for block in blocks(path)]
SETTINGS = jsonschema.Draft7Validator(schema())


def read_ini(text: str) -> None:
    configparser.ConfigParser().read_string(text)


def read_lisp(text: str) -> None:
    """As much as can be said without Emacs: the brackets match."""
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        assert depth >= 0
    assert 0 == depth


def read_any(text: str) -> None:
    """Nothing is to be said of pictures, of what programs print and of other languages."""


READERS: dict[str, Callable[[str], Any]] = {
    "ini": read_ini,
    "json": json.loads,
    "lisp": read_lisp,
    "lua": read_any,
    "py": ast.parse,
    "python": ast.parse,
    "text": read_any,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
}


@pytest.mark.parametrize(
    "block",
    [block for block in ALL if block.language not in SHELLS],
    ids=lambda block: block.place,
)
def test_a_block_is_what_its_fence_says(block: Block) -> None:
    READERS[block.language](block.text)


def workflow(content: Any) -> dict[str, Any] | None:
    """A workflow of GitHub around what shows one or some of its steps."""
    if isinstance(content, dict) and "jobs" in content:
        # YAML 1.1 reads the key `on` as true.
        return {"on" if key is True else key: value for key, value in content.items()}
    steps = content.get("steps") if isinstance(content, dict) else content
    if not isinstance(steps, list):
        return None
    return {"on": "push", "jobs": {"one": {"runs-on": "ubuntu-latest", "steps": steps}}}


def test_jobs_and_hooks_are_what_their_services_read(tmp_path: Path) -> None:
    files: dict[str, list[str]] = {"github-workflows": [], "gitlab-ci": []}
    for block in [it for it in ALL if it.language == "yaml"]:
        content = yaml.safe_load(block.text)
        path = tmp_path / f"{block.place.replace('/', '-').replace(':', '-')}.yaml"
        if "repos" in content:
            path.write_text(block.text)
            assert load_config(path)["repos"]
            continue
        jobs = workflow(content)
        path.write_text(json.dumps(jobs or content))
        files["gitlab-ci" if jobs is None else "github-workflows"].append(str(path))
    for name, paths in files.items():
        assert paths
        arguments = ["--builtin-schema", f"vendor.{name}", *paths]
        result = CliRunner().invoke(check_jsonschema, arguments)
        assert 0 == result.exit_code, result.output


def settings(block: Block) -> tuple[str, dict[str, Any]] | None:
    """The file that a block is, if it is one of settings of ours, and what it says."""
    if block.language != "toml":
        return None
    content = tomllib.loads(block.text)
    if "jaxlint" in content.get("tool", {}):
        return "pyproject.toml", content["tool"]["jaxlint"]
    if block.path.name == "configuration.md":
        return "jaxlint.toml", content
    return None


OURS = [block for block in ALL if settings(block)]


@pytest.mark.parametrize("block", OURS, ids=lambda block: block.place)
def test_settings_are_read_and_fit_the_schema(block: Block, tmp_path: Path) -> None:
    name, content = settings(block) or ("", {})
    (tmp_path / "jaxlint.toml").write_text("")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / name).write_text(block.text)
    assert Configuration().near(str(tmp_path / "project"))
    assert [] == [error.message for error in SETTINGS.iter_errors(content)]


def test_settings_of_every_document_are_found() -> None:
    found = {block.path.name for block in OURS}
    assert {"README.md", "configuration.md", "suppression.md", "verification.md"} <= found
