"""Which rules are on, and what plugins may and may not do."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from jaxlint.api import Raises, Rule, Severity
from jaxlint.base.errors import JaxlintError, SettingsError, UnknownRuleError
from jaxlint.knowledge import lookup, models
from jaxlint.knowledge.libraries import BUILT_IN
from jaxlint.registry import loading
from jaxlint.registry.pages import page, summary
from jaxlint.registry.registry import Registry, rules_in
from jaxlint.session import session
from jaxlint.settings import Selection


def rule(module: str, code: str, default: bool = True) -> Rule:
    return Rule(
        module,
        code=code,
        severity=Severity.ERROR,
        witness=Raises("ValueError"),
        since="0.1",
        default=default,
    )


OWN = {"JAX001", "JAX003", "JAX005", "JAX007", "JAX009"}


@pytest.fixture
def registry() -> Registry:
    return Registry(
        [
            rule("p.third", "JAX310"),
            rule("p.first_one", "JAX301"),
            rule("p.second", "JAX302", default=False),
            rule("p.other", "JAX401"),
        ]
    )


def on(registry: Registry, *selections: Selection) -> list[str]:
    return sorted(registry.resolve(selections) - OWN)


def test_entries_are_sorted_by_code(registry: Registry) -> None:
    expected = [*sorted(OWN), "JAX301", "JAX302", "JAX310", "JAX401"]
    assert expected == [entry.code for entry in registry.entries]


@pytest.mark.parametrize(
    "selection, expected",
    [
        (Selection(), "301 310 401"),
        (Selection(select=("JAX3",)), "301 302 310"),
        (Selection(select=("JAX302",)), "302"),
        (Selection(select=("second",)), "302"),
        (Selection(select=("ALL",)), "301 302 310 401"),
        (Selection(select=()), ""),
        (Selection(extend_select=("JAX302",)), "301 302 310 401"),
        (Selection(ignore=("JAX3",)), "401"),
        (Selection(ignore=("first-one",)), "310 401"),
        (Selection(select=("JAX3",), ignore=("JAX30",)), "310"),
        (Selection(select=("JAX301",), ignore=("JAX3",)), "301"),
        (Selection(select=("JAX",), ignore=("JAX3",)), "401"),
        (Selection(select=("JAX3",), ignore=("JAX3",)), ""),
        (Selection(select=("first-one",), ignore=("JAX30",)), "301"),
        (Selection(select=("first-one",), ignore=("JAX301",)), ""),
        (Selection(select=("ALL",), ignore=("J",)), ""),
    ],
    ids=repr,
)
def test_the_more_specific_selector_wins(
    registry: Registry, selection: Selection, expected: str
) -> None:
    assert [f"JAX{number}" for number in expected.split()] == on(registry, selection)


def test_later_selections_stand_on_earlier_ones(registry: Registry) -> None:
    file = Selection(ignore=("JAX301",), extend_select=("JAX302",))
    assert on(registry, file, Selection(ignore=("JAX310",))) == ["JAX302", "JAX401"]
    assert on(registry, file, Selection(select=("JAX3",))) == ["JAX301", "JAX302", "JAX310"]


@pytest.mark.parametrize(
    "selection, expected",
    [
        (Selection(select=("JAX3",)), {"JAX001", "JAX009"}),
        (Selection(ignore=("JAX001",)), {"JAX009"}),
        (Selection(ignore=("JAX0",)), set()),
        (Selection(ignore=("internal-error",)), {"JAX001"}),
    ],
    ids=["one family", "a code", "a prefix", "a name"],
)
def test_our_own_codes_are_on_unless_ignored(
    registry: Registry, selection: Selection, expected: set[str]
) -> None:
    assert expected == registry.resolve([selection]) & {"JAX001", "JAX009"}


def test_what_a_file_ignores_of_our_own_codes_stays_ignored(registry: Registry) -> None:
    layers = [Selection(ignore=("JAX001",)), Selection(select=("JAX3",))]
    assert "JAX001" not in registry.resolve(layers)


@pytest.mark.parametrize(
    "word, hint", [("JAX4O1", "'JAX401'"), ("first_one", "'first-one'"), ("jax401", "'JAX401'")]
)
def test_an_unknown_selector_is_refused_with_a_suggestion(
    registry: Registry, word: str, hint: str
) -> None:
    with pytest.raises(UnknownRuleError, match=f"{word}.*did you mean {hint}"):
        registry.resolve([Selection(select=(word,))])


@pytest.mark.parametrize("word", ["", "E501", "JAX9"])
def test_a_selector_like_nothing_gets_no_suggestion_that_misleads(
    registry: Registry, word: str
) -> None:
    with pytest.raises(UnknownRuleError):
        registry.resolve([Selection(ignore=(word,))])


def test_an_unknown_selector_in_a_file_names_the_file(registry: Registry) -> None:
    with pytest.raises(SettingsError, match=r"pyproject\.toml: .*'JAX999'"):
        registry.resolve([Selection(ignore=("JAX999",), origin="pyproject.toml")])


@pytest.mark.parametrize(
    "module, code", [("q.first_one", "JAX777"), ("q.new", "JAX301"), ("q.new", "JAX001")]
)
def test_codes_and_names_are_unique(registry: Registry, module: str, code: str) -> None:
    before = registry.rules
    with pytest.raises(JaxlintError, match="two rules are called"):
        registry.add([rule("q.fine", "JAX778"), rule(module, code)])
    assert before == registry.rules


@pytest.mark.parametrize("code", ["JAXY100", "JAX1", "jax100", "JAX1000"])
def test_codes_that_flake8_would_drop_are_refused(registry: Registry, code: str) -> None:
    with pytest.raises(JaxlintError, match="three capitals and three digits"):
        registry.add([rule("q.new", code)])


PLUGIN = '''
"""Points at nothing.

The page goes on.
"""
from jaxlint.api import Raises, Rule, Severity

rule = Rule(
    __name__, code="{code}", severity=Severity.INFO, since="0.1", witness=Raises("ValueError")
)
'''


OWN = {"JAX001", "JAX003", "JAX005", "JAX007", "JAX009"}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Installs a package of one rule module and announces it as a plugin."""
    points: list[EntryPoint] = []
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(
        loading, "offered", lambda group: [point for point in points if point.group == group]
    )
    monkeypatch.setattr(models, "_installed", {})
    before = set(sys.modules)

    def announce(package: str, text: str, group: str = "jaxlint.rules") -> None:
        directory = tmp_path / package
        directory.mkdir()
        (directory / "__init__.py").write_text("")
        (directory / "_private.py").write_text("raise ImportError\n")
        (directory / "points_at_nothing.py").write_text(text)
        points.append(EntryPoint(package.partition("_")[2], package, group))

    yield announce
    models.of.cache_clear()
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_plugin_adds_its_rules(install) -> None:
    install("plug_good", PLUGIN.replace("{code}", "ZZ100"))
    registry = session.load_registry.__wrapped__()
    entry = registry.find("points-at-nothing")
    assert entry.code == "ZZ100"
    assert summary(entry) == "Points at nothing"
    assert page(entry) == "Points at nothing.\n\nThe page goes on.\n"
    assert registry.warnings == []


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("1 / 0\n", "ZeroDivisionError"),
        ("def f(:\n", "SyntaxError"),
        ("import no_such_module_anywhere\n", "ModuleNotFoundError"),
        ("x = 1\n", "has no `rule`"),
        (PLUGIN.replace("{code}", "JAX001"), "two rules are called JAX001"),
    ],
)
def test_a_broken_plugin_is_one_warning_with_its_name(install, text: str, complaint: str) -> None:
    install("plug_bad", text)
    install("plug_fine", PLUGIN.replace("{code}", "ZZ100"))
    registry = session.load_registry.__wrapped__()
    (warning,) = registry.warnings
    assert warning.startswith("rule plugin 'bad' is left out: ")
    assert complaint in warning
    assert registry.find("points-at-nothing").code == "ZZ100"


MODEL = """
from jaxlint.api import FunctionSpec, Model, Wrapper

model = Model(
    "{library}",
    functions={"fastlib.norm": FunctionSpec("array", params=("x",), positional=1)},
    wrappers={"fastlib.compile": Wrapper("jit", "compiled", compiles=True)},
)
"""


def test_a_model_counts_once_the_registry_is_loaded(install) -> None:
    assert lookup.wrapper("fastlib.compile") is None
    install("plug_model", MODEL.replace("{library}", "fastlib"), "jaxlint.models")
    assert session.load_registry.__wrapped__().warnings == []
    wrapper, function = lookup.wrapper("fastlib.compile"), lookup.function("fastlib.norm")
    assert wrapper is not None and wrapper.kind == "jit"
    assert function is not None and function.result == "array"
    assert lookup.function("fastlib.other") is None


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("1 / 0\n", "ZeroDivisionError"),
        ("x = 1\n", "has no `model`"),
        ("from jaxlint.api import Model\nmodel = Model\n", "has no `model`"),
        (MODEL.replace("{library}", "jax"), "'jax' is not the top-level package of a library"),
        (MODEL.replace("{library}", "fast.lib"), "is not the top-level package of a library"),
        (MODEL.replace("{library}", "otherlib"), "fastlib.compile is no name of otherlib"),
        (MODEL.replace('"jit"', '"jitted"'), "fastlib.compile cannot be 'jitted', but ad, custom"),
        (MODEL.replace('"array"', '"arrays"'), "fastlib.norm cannot be 'arrays', but array, dict"),
    ],
)
def test_a_broken_model_is_one_warning_with_its_name(install, text: str, complaint: str) -> None:
    install("plug_bad", text.replace("{library}", "fastlib"), "jaxlint.models")
    install("plug_fine", PLUGIN.replace("{code}", "ZZ100"))
    registry = session.load_registry.__wrapped__()
    (warning,) = registry.warnings
    assert warning.startswith("model plugin 'bad' is left out: ")
    assert complaint in warning
    assert lookup.wrapper("fastlib.compile") is None
    assert registry.find("points-at-nothing").code == "ZZ100"


def test_the_model_of_the_documentation_can_be_used(install) -> None:
    page = Path(__file__).parents[2] / "docs" / "plugins.md"
    _, _, rest = page.read_text(encoding="utf-8").partition("```python\n")
    install("plug_mylib", rest.partition("```")[0], "jaxlint.models")
    assert session.load_registry.__wrapped__().warnings == []
    assert lookup.canonical("mylib.relu") == "jax.nn.relu"
    assert lookup.is_pytree_base("mylib.Params")


def test_two_models_of_one_library_are_one_too_many(install) -> None:
    text = MODEL.replace("{library}", "fastlib")
    install("plug_a", text, "jaxlint.models")
    install("plug_b", text.replace("jit", "vmap"), "jaxlint.models")
    (warning,) = session.load_registry.__wrapped__().warnings
    assert warning.startswith("model plugin 'b' is left out: ")
    assert "there is another model of fastlib" in warning
    wrapper = lookup.wrapper("fastlib.compile")
    assert wrapper is not None and wrapper.kind == "jit"


@pytest.mark.parametrize("library", BUILT_IN)
def test_every_built_in_model_is_about_its_own_library(library: str) -> None:
    model = models.of(library)
    assert model is not None
    assert models.objection(model) == ""


def test_every_built_in_rule_has_a_page_with_a_summary() -> None:
    for entry in session.load_registry().entries:
        assert summary(entry), entry
        assert not summary(entry).endswith("."), entry


def test_built_in_rules_are_found_by_walking_their_package() -> None:
    assert set(rules_in("jaxlint.rules")) <= set(session.load_registry().rules)
