"""The parts of the benchmarks: how they measure, compare, make up code and print."""

from __future__ import annotations

import ast
import stat
import sys
import textwrap
import time
from pathlib import Path

import pytest

from jaxlint.session.session import Session

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

from benchmarks import corpora, editing, measure, phases, tables  # noqa: E402

HAZARD = """
import jax

@jax.jit
def relu(x):
    if x > 0:
        return x
    return 0.0 * x
"""


# -- measuring ------------------------------------------------------------------------------------


@pytest.mark.parametrize("power", [0.5, 1.0, 1.1, 2.0])
def test_an_exponent_is_the_power_that_costs_grow_with(power: float) -> None:
    sizes = (1, 2, 4, 8)
    costs = [3.0 * size**power for size in sizes]
    assert power == pytest.approx(measure.exponent(sizes, costs))


def test_an_exponent_is_that_of_the_line_of_least_squares() -> None:
    # log2 of the costs: 0, 1, 3; the slope is ((-1)(-4/3) + (1)(5/3)) / 2.
    assert 1.5 == pytest.approx(measure.exponent((1, 2, 4), (1, 2, 8)))


def test_a_ratio_is_the_median_of_those_of_neighbours() -> None:
    assert 2.0 == measure.ratio([2.0, 40.0, 9.0], [1.0, 20.0, 1.0])


def test_those_that_are_compared_take_turns() -> None:
    order: list[str] = []

    def measured(name: str) -> measure.Cost:
        order.append(name)
        return measure.Cost(len(order), 0, 0)

    costs = measure.turns({name: lambda name=name: measured(name) for name in "ab"}, 3)
    assert list("ababab") == order
    assert {"a": [1, 3, 5], "b": [2, 4, 6]} == {
        name: measure.cpu(each) for name, each in costs.items()
    }


def test_the_cpu_time_of_processes_that_a_process_waits_for_is_part_of_its_own() -> None:
    spin = "import time\nwhile time.process_time() < 0.3: pass"
    start = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {spin!r}], check=True)"
    assert measure.Command((sys.executable, "-c", start)).run().cpu >= 0.3


def test_a_measured_process_that_fails_stops_everything() -> None:
    fails = (sys.executable, "-c", "print('so it goes'); raise SystemExit(3)")
    with pytest.raises(SystemExit, match="ended with 3: so it goes"):
        measure.Command(fails).run()
    measure.Command(fails, may_fail=True).run()


@pytest.mark.parametrize(
    ("line", "counted"),
    [("123456,,instructions:u,900,100.00,,", 123456.0), ("<not supported>,,instructions:u", None)],
)
def test_instructions_are_counted_where_the_machine_does(
    line: str, counted: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    perf = tmp_path / "perf"
    script = f"""\
        #!{sys.executable}
        import sys
        with open(sys.argv[sys.argv.index("-o") + 1], "w") as counts:
            counts.write("# started\\n\\n{line}\\n")
        """
    perf.write_text(textwrap.dedent(script))
    perf.chmod(perf.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    measure.counts_instructions.cache_clear()
    try:
        assert counted == measure.Command(("true",)).instructions()
    finally:
        measure.counts_instructions.cache_clear()


def test_an_inner_phase_does_not_count_for_the_one_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([0.0, 1.0, 4.0, 6.0])
    monkeypatch.setattr(phases.time, "process_time", lambda: next(clock))
    measured = phases.Phases()
    with measured.during("outer"), measured.during("inner"):
        pass
    assert {"outer": 3.0, "inner": 3.0} == measured.seconds


# -- what is measured with ------------------------------------------------------------------------


def test_a_sample_is_spread_over_the_whole_list() -> None:
    whole = corpora.Corpus("letters", "", tuple("abcdefghij"), 0)
    assert ("a", "c", "f", "h") == whole.sample(4)
    assert whole.files == whole.sample(0) == whole.sample(99)


@pytest.mark.parametrize("count", [10, 250, 1000])
def test_a_made_up_function_has_as_many_statements_as_it_says(count: int) -> None:
    text = corpora.function(count)
    function = ast.parse(text).body[-1]
    assert isinstance(function, ast.FunctionDef)
    inside = [node for node in ast.walk(function) if isinstance(node, ast.stmt)]
    # The function itself, and what it begins and ends with.
    assert count == len(inside) - 3


def test_a_made_up_function_is_traced_and_has_nothing_to_report(tmp_path: Path) -> None:
    (file,) = corpora.write_functions([50]).values()
    assert () == Session().check(file).findings
    branch = corpora.function(50).replace("if deep:", "if y1[0, 0] > 0:")
    assert "JAX301" in {one.code for one in Session().check_source(branch, file).findings}


def test_an_edit_adds_a_statement_to_a_function_half_way_down() -> None:
    first, second = editing.edited(HAZARD, 2)
    assert [first, second] == [
        HAZARD.replace("    if x", f"    edited_{number} = {number}\n    if x") for number in (0, 1)
    ]


SERVER = """
import json, sys, time

def say(**message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()

def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

configured = False
while True:
    length = int(sys.stdin.buffer.readline().split(b":")[1])
    sys.stdin.buffer.readline()
    message = json.loads(sys.stdin.buffer.read(length))
    method, document = message.get("method"), (message.get("params") or {}).get("textDocument")
    if method == "exit":
        break
    if method == "initialized":
        say(id=7, method="workspace/configuration", params={"items": [{}]})
    elif method is None:
        configured = message == {"jsonrpc": "2.0", "id": 7, "result": [None]}
    elif "id" in message:
        say(id=message["id"], result=None)
    elif method == "textDocument/didOpen" or configured:
        spin(0.05 if configured else 0)
        given = {"uri": document["uri"], "version": document["version"], "diagnostics": []}
        say(method="textDocument/publishDiagnostics", params=given)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the clock of another process")
def test_the_language_server_is_charged_for_what_it_does_until_it_has_answered(
    tmp_path: Path,
) -> None:
    script, file = tmp_path / "server.py", tmp_path / "hazard.py"
    script.write_text(SERVER)
    file.write_text(HAZARD)
    with editing.Server([sys.executable, str(script)], file) as server:
        before, started = server.cpu(), time.perf_counter()
        server.change(HAZARD + "\n")
        spent, passed = server.cpu() - before, time.perf_counter() - started
    assert 0.05 <= spent <= passed + 0.05


# -- printing -------------------------------------------------------------------------------------


def test_a_table_is_markdown() -> None:
    table = tables.Table("Cold", ("seconds",), "x P", notes=["A note."])
    table.add("parser", "1.5", figure=1.0)
    table.add("jaxlint", "0.9", figure=0.6, allowed=0.65)
    table.add("slow", "9", figure=6.0, allowed=0.65)
    table.add("nobody", absent="not there")
    expected = """\
        ### Cold

        |         | seconds |   x P | allowed |           |
        | ------- | ------: | ----: | ------: | --------: |
        | parser  |     1.5 |  1.00 |         |           |
        | jaxlint |     0.9 | 0.600 |    0.65 |        ok |
        | slow    |       9 |  6.00 |    0.65 |  too much |
        | nobody  |       - |     - |         | not there |

        A note.
        """
    assert textwrap.dedent(expected) == table.markdown()


def test_the_last_table_has_what_is_bounded_and_what_is_missing() -> None:
    table = tables.Table("Cold")
    table.add("parser", figure=1.0)
    table.add("jaxlint", figure=0.6, allowed=0.65)
    table.add("nobody", absent="not there")
    every = tables.judged([table])
    assert [("Cold: jaxlint", "ok"), ("Cold: nobody", "not there")] == [
        (one.name, one.verdict) for one in every.rows
    ]
