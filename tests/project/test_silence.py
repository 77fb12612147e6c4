"""Why tracing does not reach a function or a statement of a project: one reason for each."""

from __future__ import annotations

import pytest
from silences import PRELUDE, PROJECTS, of, reasons, silent

from jaxlint.base.surveys.silence import KINDS, Silence
from jaxlint.engine.queries.analyse import watch
from jaxlint.engine.queries.call_graph import surveyed
from jaxlint.syntax import ir
from jaxlint.syntax.ir import number
from jaxlint.syntax.parse import parse


def test_what_traced_code_enters_needs_no_reason() -> None:
    found = of("@jax.jit\ndef step(x):\n    return helper(x)\n\ndef helper(x):\n    return x\n")
    assert (found.known, found.functions, found.statements) == (2, (), ())
    assert found.reason("model.py", 4) is None
    assert found.reason("model.py", 6) is None


def test_what_nobody_calls_has_no_caller() -> None:
    found = of("def idle(x):\n    return jnp.sin(x)\n")
    reason = reasons(found)["idle"]
    assert reason.kind == "caller"
    assert reason.text == "nothing in the project calls `idle` or hands it on (model.py:4:1)"
    assert found.reason("model.py", 5) == reason


def test_recursion_is_no_caller() -> None:
    found = reasons(of("def idle(x):\n    return idle(x)\n"))
    assert found["idle"].kind == "caller"


def test_functions_that_call_each_other_and_nobody_else_have_no_caller() -> None:
    found = reasons(of("def ping(x):\n    return pong(x)\n\ndef pong(x):\n    return ping(x)\n"))
    assert found["ping"].kind == "caller"
    assert found["pong"].root == found["ping"].root


def test_what_host_code_calls_is_called_from_there_only() -> None:
    found = reasons(of("def main(x):\n    return x\n\nmain(1)\n"))
    assert found["main"].kind == "host"
    assert found["main"].spot is not None
    assert found["main"].spot.line == 7


def test_a_test_runs_on_the_host_and_so_does_what_it_calls() -> None:
    found = reasons(
        silent(
            {
                "lib.py": PRELUDE
                + "def norm(x):\n    return inner(x)\n\ndef inner(x):\n    return x\n",
                "test_lib.py": "import jax\nfrom lib import norm\n\n"
                "def test_norm():\n    norm(1)\n",
            }
        )
    )
    assert found["test_norm"].kind == "test"
    assert found["norm"].kind == "host"
    assert (found["inner"].kind, found["inner"].root) == ("callers", found["norm"].root)


def test_a_chain_of_callers_has_the_reason_of_the_outermost() -> None:
    source = (
        "def outer(x):\n    return middle(x)\n\n"
        "def middle(x):\n    return inner(x)\n\n"
        "def inner(x):\n    def body(y):\n        return y\n    return body(x)\n"
    )
    found = of(source)
    inner = reasons(found)["inner.body"]
    assert inner.kind == "callers"
    assert inner.through is not None
    assert inner.through.name == "outer"
    assert [(len(group.functions), group.root.kind) for group in found.groups()] == [(4, "caller")]


def test_a_chain_leads_to_the_most_telling_root() -> None:
    source = (
        "import torch\n"
        "def idle(x):\n    return helper(x)\n\n"
        "def given(x):\n    return helper(x)\n\n"
        "def helper(x):\n    return x\n\n"
        "@jax.jit\ndef step(x):\n    return torch.apply(given, x)\n"
    )
    found = reasons(of(source))
    assert found["idle"].kind == "caller"
    assert found["helper"].root == found["given"].root
    assert found["given"].kind == "given"


def test_an_unknown_call_of_a_method_may_be_one_of_any_such_method() -> None:
    source = (
        "class Newton:\n    def update(self, x):\n        return scale(x)\n\n"
        "def scale(x):\n    return 2 * x\n\n"
        "@jax.jit\ndef step(solver, x):\n    return solver.update(x)\n"
    )
    found = reasons(of(source))
    assert found["Newton.update"].kind == "unknown"
    assert found["Newton.update"].root.text.startswith("`solver.update` is called, and not known")
    assert found["Newton.update"].spot is not None
    assert found["Newton.update"].spot.line == 13
    assert found["scale"].root == found["Newton.update"].root


def test_a_known_call_of_another_method_is_no_reason() -> None:
    source = (
        "class A:\n    def run(self, x):\n        return x\n\n"
        "class B:\n    def run(self, x):\n        return x\n\n"
        "@jax.jit\ndef step(x):\n    return A().run(x)\n"
    )
    found = reasons(of(source))
    assert list(found) == ["B.run"]
    assert found["B.run"].kind == "caller"


def test_a_function_that_goes_by_another_name_may_be_what_is_called_by_that() -> None:
    source = (
        "import torch\n"
        "def loss(x):\n    return x\n\n"
        "settings = torch.Settings(objective=loss.__wrapped__)\n"
        "class Holder:\n    def __init__(self, maker):\n        self.objective = loss\n"
        "        self.objective = maker()\n\n"
        "@jax.jit\ndef step(x, holder):\n    return holder.objective(x)\n"
    )
    found = reasons(of(source))
    assert found["loss"].kind == "unknown"
    assert "`holder.objective`" in found["loss"].root.text


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("@jax.jit\ndef step(x):\n    return torch.apply(loss, x)\n", 10),
        ("torch.apply(loss, 1.0)\n", 8),
        ("torch.apply([loss], 1.0)\n", 8),
        ("import functools\ntorch.apply(functools.partial(loss, 1.0))\n", 9),
        (
            "class Net:\n    def __init__(self, f):\n        self.f = f\n\ntorch.fit(Net(loss))\n",
            12,
        ),
    ],
)
def test_what_goes_to_unknown_code_is_given_away(source: str, line: int) -> None:
    found = reasons(of("import torch\n\ndef loss(x):\n    return x\n" + source))
    assert found["loss"].kind == "given"
    assert "third party without a model: torch" in found["loss"].root.text
    assert found["loss"].spot is not None
    assert found["loss"].spot.line == line


def test_an_unknown_decorator_is_given_the_function() -> None:
    found = reasons(of("import torch\n\n@torch.compile(1)\ndef loss(x):\n    return x\n"))
    assert found["loss"].kind == "given"
    assert "`torch.compile(1)`" in found["loss"].root.text


def test_an_unknown_decorator_of_a_class_is_given_its_methods() -> None:
    found = reasons(
        of("import torch\n\n@torch.model(1)\nclass M:\n    def go(self):\n        return 1\n")
    )
    assert found["M.go"].kind == "given"


def test_a_call_that_does_not_run_what_it_is_given_is_said() -> None:
    source = (
        "import jax.experimental\ndef show(x):\n    return x\n\n"
        "@jax.jit\ndef step(x):\n    jax.debug.callback(show, x)\n    return x\n"
    )
    found = reasons(of(source))
    assert found["show"].kind == "given"
    assert "`jax.debug.callback`" in found["show"].root.text


def test_what_is_only_kept_is_handed_on() -> None:
    found = reasons(of("def loss(x):\n    return x\n\nTABLE = {'loss': loss}\n"))
    assert found["loss"].kind == "stored"


def of_package(name: str) -> Silence:
    inner, outer = f"{name}/inner.py", f"{name}/outer.py"
    return silent(
        {
            f"{name}/__init__.py": "",
            inner: PRELUDE + "def norm(x):\n    return x\n",
            outer: PRELUDE
            + f"from {name}.inner import norm\n\n@jax.jit\ndef step(x):\n    return norm(x)\n",
        }
    )


def test_a_package_that_has_the_name_of_a_library_with_a_model() -> None:
    assert reasons(of_package("einops"))["norm"].root.text == (
        "the project's own `einops` is taken for a library with a model"
    )


def test_a_package_of_which_the_model_says_in_short_what_its_source_does_is_followed() -> None:
    assert not of_package("optax").functions


def test_a_declaration_has_nothing_to_run() -> None:
    source = (
        "import abc\n\nclass Base(abc.ABC):\n"
        "    @abc.abstractmethod\n    def one(self): ...\n\n"
        "    def two(self):\n        raise NotImplementedError\n"
    )
    found = reasons(of(source))
    assert {name: reason.kind for name, reason in found.items()} == {
        "Base.one": "stub",
        "Base.two": "stub",
    }


def test_a_file_that_leads_to_no_jax_is_left_aside() -> None:
    found = silent({"plain.py": "def area(r):\n    return r * r\n"})
    assert reasons(found)["area"].kind == "jaxless"


def test_a_file_that_cannot_be_parsed_is_a_reason_for_all_its_lines() -> None:
    found = silent({"broken.py": "import jax\ndef (:\n"})
    reason = found.reason("broken.py", 2)
    assert reason is not None
    assert reason.kind == "file"
    assert "broken.py could not be analysed" in reason.text


def test_a_file_that_was_not_asked_about_is_said_to_be_none_of_them() -> None:
    reason = of("x = 1\n").reason("nowhere.py", 1)
    assert reason is not None
    assert reason.kind == "file"


def test_code_of_a_module_runs_on_the_host() -> None:
    reason = of("x = 1\n").reason("model.py", 4)
    assert reason is not None
    assert reason.kind == "module"


def test_recursion_that_is_left_out_is_a_cut() -> None:
    calls = "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n\n" for n in range(60))
    source = calls + "def f60(x):\n    return x\n\n@jax.jit\ndef step(x):\n    return f0(x)\n"
    found = reasons(of(source))
    assert found["f45"].root.kind == "cut"
    first = min(found, key=lambda name: int(name[1:]))
    assert found[first].kind == "cut"
    assert found["f60"].through is not None


def test_a_named_lambda_is_a_function() -> None:
    found = of("double = lambda x: 2 * x\n")
    assert reasons(found)["double"].kind == "caller"
    assert found.reason("model.py", 4) == reasons(found)["double"]


def test_a_lambda_without_a_name_has_a_reason_of_its_own() -> None:
    source = (
        "import torch\n\n@jax.jit\ndef step(x):\n    return torch.apply(lambda y: helper(y), x)\n"
    )
    found = of(source + "\ndef helper(y):\n    return y\n")
    assert found.reason("model.py", 8) is None
    reason = found.reason("model.py", 8, is_lambda=True)
    assert reason is not None
    assert reason.kind == "given"
    assert reasons(found)["helper"].root == reason.root
    assert found.known == 2


def test_what_runs_for_any_arguments_only_is_reached_and_counted() -> None:
    found = of("@jax.jit\ndef step(x):\n    return x\n")
    assert (found.functions, found.supposed) == ((), 1)
    assert of("@jax.jit\ndef step(x):\n    return x\n\nstep(1.0)\n").supposed == 0


def fixture_files(name: str) -> dict[str, str]:
    root = PROJECTS / name
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*.py"))
    }


@pytest.mark.parametrize("name", sorted(path.name for path in PROJECTS.iterdir()))
def test_every_function_of_a_project_is_reached_or_has_a_reason(name: str) -> None:
    files = fixture_files(name)
    found = silent(files)
    assert found.known > 0
    for hidden in (*found.functions, *found.statements):
        assert hidden.reason.kind in {*KINDS, "callers"}
        assert hidden.reason.root.kind in KINDS
        assert hidden.reason.text
    for group in found.groups():
        assert group.functions or group.statements
    assert sum(row[1] for row in found.totals()) == len(found.functions)
    assert sum(row[2] for row in found.totals()) == len(found.statements)


@pytest.mark.parametrize("name", sorted(path.name for path in PROJECTS.iterdir()))
def test_the_order_of_files_does_not_matter(name: str) -> None:
    files = fixture_files(name)
    forwards, backwards = (silent(files, order) for order in (sorted(files), sorted(files)[::-1]))
    assert forwards.functions == backwards.functions
    assert forwards.statements == backwards.statements
    assert forwards.groups() == backwards.groups()


@pytest.mark.parametrize("name", sorted(path.name for path in PROJECTS.iterdir()))
def test_what_holds_values_in_traced_code_is_reached(name: str) -> None:
    for path, source in fixture_files(name).items():
        module = parse(source, path)
        assert isinstance(module, ir.Module)
        covered = surveyed(module)[0].coverage
        assert covered is not None
        came = {key.number for key in covered.came}
        ran = {key.number for key in covered.entered | covered.supposed}
        for holding in watch(module):
            assert number(holding.statement) in came
            assert number(holding.function) in ran
