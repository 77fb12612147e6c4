"""Holds the explorer against plain JAX, against an independent witness, and across versions.

    python tests/verify/agreement.py [--programs N] [--seed S] [--witness WHERE] [--show] PYTHON...

Each interpreter goes through the same generated programs. Printed for each: whether the first
error of plain JAX is among the sites, whether the witness that wraps the failing expression and
runs again agrees, and whether all interpreters find the same (line, kind) pairs. The witness takes
most of the time: `--witness first` runs it in the first interpreter only, `none` in none.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))


def observe(seed: int, folder: str, *, witness: bool = True) -> dict[str, Any]:
    """What JAX, the explorer and the witness say about one program, as JSON values."""
    from programs import generate
    from rerun import is_conversion

    from jaxlint.verify.child.observing.explore import explore
    from jaxlint.verify.child.observing.places import UserFiles, error_places

    program = generate(seed)
    path = os.path.join(folder, f"program_{seed}.py")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(program.source)
    module: dict[str, Any] = {"__name__": f"program_{seed}"}
    exec(compile(program.source, path, "exec"), module)
    files = UserFiles([path])
    found = explore(functools.partial(stage, program.arguments, module), files, seconds=60.0)
    observed: dict[str, Any] = {
        "seed": seed,
        "python": sys.version_info[:2],
        "sites": [
            [
                site.place.line,
                site.kind,
                site.place.column,
                site.place.end_line,
                site.place.end_column,
                sighting.guarded,
            ]
            for site, sighting in found.sites.items()
        ],
        "runs": found.runs,
        "exhausted": found.exhausted,
        "native": None,
    }
    try:
        stage(program.arguments, module)
    except Exception as error:
        places = error_places(error, files)
        place = places[-1] if places else None
        observed["native"] = {
            "error": f"{type(error).__name__}: {str(error).splitlines()[0][:150]}",
            "conversion": is_conversion(error),
            "place": place and [place.line, place.column, place.end_line, place.end_column],
        }
    if witness and sys.version_info >= (3, 11):
        observed["witness"] = _witness(program.arguments, program.source, path)
    return observed


def _witness(arguments: Any, source: str, path: str) -> dict[str, Any]:
    from rerun import Rerun

    def again(module: dict[str, Any]) -> object:
        return stage(arguments, module)

    rerun = Rerun(source, path, again, seconds=20.0).run()
    return {
        "sites": [list(where) for where in rerun.sites],
        "finished": rerun.finished,
        "obstacles": rerun.obstacles[:3],
    }


def stage(arguments: Any, module: dict[str, Any]) -> object:
    """One fresh staging of a program's function."""
    import jax
    import jax.numpy as jnp
    from programs import SHAPES

    def abstract(kind: str) -> jax.ShapeDtypeStruct:
        dtype, shape = SHAPES[kind]
        return jax.ShapeDtypeStruct(shape, jnp.dtype(dtype))

    traced: dict[str, Any] = {}
    static: dict[str, Any] = {}
    for name, value in arguments:
        if value == "dict":
            traced[name] = {"a": abstract("f"), "b": abstract("v")}
        elif isinstance(value, str) and value in SHAPES:
            traced[name] = abstract(value)
        else:
            static[name] = value.strip("'") if isinstance(value, str) else value
    step: Callable[..., Any] = module["step"]

    @functools.wraps(step)
    def fresh(given: dict[str, Any]) -> Any:
        return step(**given, **static)

    return jax.make_jaxpr(fresh)(traced)


def child(seed: int, count: int, *, witness: bool) -> None:
    """Observe programs in this interpreter; one line of JSON each."""
    package = types.ModuleType("jaxlint")
    package.__path__ = [os.path.join(os.path.dirname(os.path.dirname(HERE)), "jaxlint")]
    sys.modules["jaxlint"] = package
    sys.path.insert(0, HERE)
    warnings.simplefilter("ignore")
    os.environ["JAX_TRACEBACK_FILTERING"] = "off"
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            print(json.dumps(observe(number, folder, witness=witness)), flush=True)
    print(json.dumps({"cpu": time.process_time() - start}))


def pairs(observed: dict[str, Any]) -> set[tuple[int, str]]:
    """The sites of a program that nothing handles, by line and kind.

    Hashing is left out: JAX 0.4 warns about it where later versions raise.
    """
    return {(site[0], site[1]) for site in observed["sites"] if not site[5] and site[1] != "hash"}


def judge_native(observed: dict[str, Any]) -> str:
    """Whether the first error of plain JAX is the first site."""
    native = observed["native"]
    sites = [site for site in observed["sites"] if not site[5]]
    if native is None:
        return "no error, no sites" if not sites else "SITES WITHOUT AN ERROR"
    if not native["conversion"]:
        return "other error"
    place = native["place"]
    spans = [[site[0], *site[2:5]] for site in sites]
    if place not in spans:
        return "MISSED"
    return "first site" if spans[0] == place else "among the sites"


def judge_witness(observed: dict[str, Any]) -> str:
    """Whether the witness found sites that the explorer did not, or the other way round."""
    witness = observed.get("witness")
    if witness is None:
        return "not run"
    known = _tests(observed["seed"]) if tuple(observed["python"]) < (3, 12) else {}
    ours = {_known(known, (site[0], *site[2:5])) for site in observed["sites"] if not site[5]}
    theirs = {_known(known, where) for where in witness["sites"]}
    if theirs - ours:
        return "WITNESS HAS MORE"
    if not witness["finished"]:
        return "agrees, stopped early"
    return "same" if ours == theirs else "witness has fewer"


def _known(tests: dict[tuple[int, ...], tuple[int, ...]], where: Any) -> tuple[int, ...]:
    return tests.get(tuple(where), tuple(where))


def _tests(seed: int) -> dict[tuple[int, ...], tuple[int, ...]]:
    """What is tested in a program, by range: the range of the statement or expression that tests.

    Python 3.11 gives a truth test the range of its statement, or of a comparison before it.
    """
    from programs import generate

    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for node in ast.walk(ast.parse(generate(seed).source)):
        if isinstance(node, (ast.If, ast.While, ast.Assert, ast.IfExp)):
            holder = _range(node)
            waiting: list[ast.expr] = [node.test]
            found.setdefault(holder, holder)
            while waiting:
                part = waiting.pop()
                found[_range(part)] = found[holder]
                waiting += getattr(part, "values", [])
                waiting += [part.operand] if isinstance(part, ast.UnaryOp) else []
                waiting += [part.test, part.body] if isinstance(part, ast.IfExp) else []
    return found


def _range(node: Any) -> tuple[int, ...]:
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def report(results: dict[str, list[dict[str, Any]]], *, show: bool) -> bool:
    """Print the comparison. True if nothing contradicts the explorer."""
    is_sound = True
    for python, programs in results.items():
        sites = sum(len(pairs(each)) for each in programs)
        runs = sum(each["runs"] for each in programs)
        print(f"\n{python}: {len(programs)} programs, {sites} (line, kind) pairs, {runs} runs")
        print("  exhausted:", sum(each["exhausted"] for each in programs))
        for title, judge in (("plain JAX", judge_native), ("witness", judge_witness)):
            verdicts = Counter(judge(each) for each in programs)
            print(f"  {title}:", ", ".join(f"{count} {name}" for name, count in verdicts.items()))
            bad = [each for each in programs if judge(each).isupper()]
            is_sound &= not bad
            for each in bad if show else []:
                print(f"    seed {each['seed']}: {judge(each)} {json.dumps(each)[:700]}")
        theirs = sum(len(each.get("witness", {}).get("sites", ())) for each in programs)
        print(f"  the witness found {theirs} sites")
    names = list(results)
    for name in names[1:]:
        couples = list(zip(results[names[0]], results[name], strict=True))
        differing = [(a, b) for a, b in couples if pairs(a) != pairs(b)]
        is_sound &= not differing
        print(f"\n{names[0]} and {name}: {len(couples) - len(differing)}/{len(couples)} equal")
        for a, b in differing if show else []:
            only = sorted(pairs(a) - pairs(b)), sorted(pairs(b) - pairs(a))
            print(f"    seed {a['seed']}: only the first {only[0]}, only the second {only[1]}")
    return is_sound


def main() -> int:
    """Run the interpreters side by side and print what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--witness", choices=("all", "first", "none"), default="all")
    parser.add_argument("--show", action="store_true", help="print the programs that differ")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("pythons", nargs="*")
    options = parser.parse_args()
    if options.child:
        child(options.seed, options.programs, witness=options.witness == "all")
        return 0
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    script = [__file__, "--child", "--programs", str(options.programs)]
    script += ["--seed", str(options.seed), "--witness"]
    places = {"all": len(options.pythons), "first": 1, "none": 0}[options.witness]
    results = {}
    with contextlib.ExitStack() as stack:
        outputs = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in options.pythons]
        started = [
            subprocess.Popen(
                [python, *script, "all" if number < places else "none"],
                stdout=output,
                env=environment,
            )
            for number, (python, output) in enumerate(zip(options.pythons, outputs, strict=True))
        ]
        for python, process, output in zip(options.pythons, started, outputs, strict=True):
            process.wait()
            output.seek(0)
            lines = [json.loads(line) for line in output]
            if not lines or "cpu" not in lines[-1]:
                print(f"{python}: stopped after {len(lines)} programs", file=sys.stderr)
                return 1
            results[f"{python} ({lines[-1]['cpu']:.0f} s CPU)"] = lines[:-1]
    return 0 if report(results, show=options.show) else 1


if __name__ == "__main__":
    sys.exit(main())
