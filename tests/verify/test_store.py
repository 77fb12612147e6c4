"""Recordings survive the process that made them, but not a change of the file they speak of."""

import json
import os
from dataclasses import replace

from jaxlint.verify import store
from jaxlint.verify.protocol import Observation, Recorded, Target


def target(file, line=1, code="JAX301", number=0):
    return Target(number, str(file), line, 4, line, 9, code, "raises", ("TypeError",))


def project(tmp_path):
    file = tmp_path / "model.py"
    file.write_text("def step(x):\n    return x\n")
    return file, store.directory(str(tmp_path))


def save(folder, file, name, observations, recorded=(), defects=()):
    targets = [target(file, 1, number=0), target(file, 2, number=1)]
    digests = {str(file): store.digest(str(file))}
    return store.save(folder, name, targets, observations, recorded, digests, defects)


def shown(number=0, signature="x: f32[4]", outcome="shown"):
    return Observation(number, outcome, "run", signature, evidence={"error": "TypeError"})


def test_observations_come_back_with_the_ids_of_another_run(tmp_path):
    file, folder = project(tmp_path)
    save(folder, file, "a", [shown(1)])
    again = [target(file, 2, number=70), target(file, 1, number=71)]
    assert store.read(folder).observations(again) == [replace(shown(1), target=70)]


def test_another_rule_at_the_same_place_gets_nothing(tmp_path):
    file, folder = project(tmp_path)
    save(folder, file, "a", [shown(0)])
    assert store.read(folder).observations([target(file, 1, "JAX310")]) == []


def test_what_several_processes_saw_is_merged_once(tmp_path):
    file, folder = project(tmp_path)
    one = Recorded(str(file), 1, "step", {"list": [[], {}]}, True, "jit")
    two = replace(one, arguments=None)
    save(folder, file, "a", [shown(0)], [one])
    save(folder, file, "b", [shown(0), shown(0, "x: f32[5]")], [one, two])
    found = store.read(folder)
    signatures = {each.signature for each in found.observations([target(file, 1)])}
    assert signatures == {"x: f32[4]", "x: f32[5]"}
    assert sorted(found.recorded, key=repr) == sorted([one, two], key=repr)


def test_a_process_replaces_what_it_wrote_before(tmp_path):
    file, folder = project(tmp_path)
    save(folder, file, "a", [shown(0), shown(1)])
    save(folder, file, "a", [shown(1)])
    assert store.read(folder).observations([target(file, 1)]) == []


def test_a_changed_file_makes_its_recordings_stale(tmp_path):
    file, folder = project(tmp_path)
    save(folder, file, "a", [shown(0)], [Recorded(str(file), 1, "step", None)])
    file.write_text("def step(x, y):\n    return x\n")
    found = store.read(folder)
    assert found.observations([target(file, 1)]) == []
    assert found.recorded == []
    assert found.stale == {str(file)}


def test_recordings_move_with_the_project(tmp_path):
    before = tmp_path / "before"
    before.mkdir()
    file, folder = project(before)
    save(folder, file, "a", [shown(0)])
    after = tmp_path / "after"
    before.rename(after)
    found = store.read(store.directory(str(after)))
    assert len(found.observations([target(after / "model.py", 1)])) == 1


def recorded_deep(depth, file):
    """A recording of a function whose argument is a list of lists."""
    arguments = "[" * depth + "]" * depth
    one = {"file": str(file), "line": 1, "qualname": "step", "arguments": 0}
    digests = {str(file): store.digest(str(file))}
    document = {"format": store.FORMAT, "files": digests, "recorded": [one], "seen": []}
    return json.dumps(document).replace('"arguments": 0', f'"arguments": {arguments}')


def test_a_file_that_nobody_can_read_is_a_warning(tmp_path):
    file, folder = project(tmp_path)
    save(folder, file, "a", [shown(0)])
    for name, content in [
        ("b", "{"),
        ("c", "[]"),
        ("d", '{"format": 0}'),
        ("e", '{"format": 1, "files": {}, "recorded": [{"bad": 1}], "seen": []}'),
        ("f", "[" * 100_000),
        ("g", recorded_deep(400, file)),
        ("h", recorded_deep(1, file).replace('"step"', "[]")),
    ]:
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as stream:
            stream.write(content)
    found = store.read(folder)
    left_out = {os.path.basename(one.split()[1]): one for one in found.warnings}
    assert sorted(left_out) == [f"{name}.json" for name in "bcdefgh"]
    assert all("nested too deep" in left_out[f"{name}.json"] for name in "fg")
    assert len(found.observations([target(file, 1)])) == 1


def test_few_signatures_are_kept_of_one_outcome(tmp_path):
    file, folder = project(tmp_path)
    many = [shown(0, f"x: f32[{size}]") for size in range(50)]
    save(folder, file, "a", [*many, shown(0, "x: f32[1]", "absent")])
    found = store.read(folder).observations([target(file, 1)])
    assert len(found) == store.MOST_SIGNATURES + 1


def test_compacting_keeps_what_was_seen_in_one_file(tmp_path):
    file, folder = project(tmp_path)
    save(folder, file, "a", [shown(0)])
    save(folder, file, "b", [shown(1)], [Recorded(str(file), 1, "step", None)])
    before = store.read(folder)
    store.compact(folder)
    after = store.read(folder)
    assert len(list(store.entries(folder))) == 1
    assert (after.seen, after.recorded) == (before.seen, before.recorded)


def test_the_cache_is_not_for_version_control(tmp_path):
    file, folder = project(tmp_path)
    path = save(folder, file, "a", [shown(0)])
    assert (tmp_path / ".jaxlint_cache" / ".gitignore").read_text() == "*\n"
    with open(path, encoding="utf-8") as stream:
        assert list(json.load(stream)["files"]) == ["model.py"]


def test_no_recordings_are_no_problem(tmp_path):
    assert store.read(str(tmp_path / "none")) == store.Recordings()
