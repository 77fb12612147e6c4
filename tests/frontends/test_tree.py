"""The files that go to other machines with modules that are to be imported there."""

from __future__ import annotations

import pickle
from pathlib import Path

from jaxlint.frontends.pools import remote_paths


def test_what_cannot_be_read_keeps_nothing_else_back(tmp_path: Path) -> None:
    (tmp_path / "table.txt").write_text("1")
    (tmp_path / "model.py").write_text("x = 1\n")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "big.bin").write_bytes(bytes(300_000))
    contents = pickle.loads(remote_paths.packed([str(tmp_path)]))
    expected = {str(tmp_path / "model.py"): b"x = 1\n", str(tmp_path / "table.txt"): b"1"}
    assert expected == contents
    there = tmp_path / "there"
    remote_paths.unpack(remote_paths.packed([str(tmp_path)]), str(there))
    assert "x = 1\n" == Path(f"{there}{tmp_path}/model.py").read_text()
