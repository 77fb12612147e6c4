"""Applications of transforms: what is data, and the words that messages make of it."""

import pytest

from jaxlint.knowledge.applications import Application, EntryKind
from jaxlint.knowledge.transforms import WRAPPERS, Wrapper


@pytest.mark.parametrize(
    ("application", "phrase"),
    [
        (Application(EntryKind.JITTED), "jitted"),
        (EntryKind.JITTED.by("nnx.jit"), "jitted by `nnx.jit`"),
        (EntryKind.MAPPED.by("jax.vmap"), "mapped by `jax.vmap`"),
        (EntryKind.RULED.by("jax.custom_vjp"), "given a rule by `jax.custom_vjp`"),
        (EntryKind.KERNEL.by("pl.pallas_call"), "a kernel of `pl.pallas_call`"),
        (Application(EntryKind.SUPPOSED), "taken to run in compiled code"),
    ],
)
def test_words_and_data_say_the_same(application: Application, phrase: str) -> None:
    assert application.phrase == phrase
    assert Application.declared(phrase) == application


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
def test_the_tables_are_data(wrapper: Wrapper) -> None:
    assert isinstance(wrapper.phrase, Application)
    assert Application.declared(wrapper.phrase.phrase) == wrapper.application


@pytest.mark.parametrize(
    "words", ["fused", "fused by `mylib.fuse`", "mapped of `mylib.map`", "a kernel by `mylib.run`"]
)
def test_a_model_has_words_of_its_own(words: str) -> None:
    application = Wrapper("jit", words).application
    assert application == Application(EntryKind.OTHER, words=words)
    assert application.phrase == words


def test_a_model_may_use_the_known_words() -> None:
    assert Wrapper("jit", "jitted").application.is_plain_jit
    assert not Wrapper("jit", "jitted by `mylib.jit`").application.is_plain_jit
    assert Wrapper("vmap", "mapped by `mylib.map`").application.kind is EntryKind.MAPPED
