"""Statements with an effect on the host, and others that look like them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Act:
    """Lines for the body of a function that has an array `{x}`.

    `setup` are lines for the module. `{s}` is a name of its own for the state, `{v}` one for a
    local variable, `{X}` one for a class. `declared` names what the function must declare
    `global`. An act that `returns` may change the array.
    """

    lines: tuple[str, ...]
    setup: tuple[str, ...] = ()
    declared: str = ""


def act(lines: str, setup: str = "", declared: str = "") -> Act:
    return Act(tuple(lines.split("\n")), tuple(setup.split("\n")) if setup else (), declared)


PRINTS = [
    act('print("level", {x}, sep="=")'),
    act('{v} = f"level {{{x}}}"\nprint({v})'),
    act("{v} = 'level {{}}'.format({x})\nprint({v})"),
    act("print('level %s' % {x})"),
    act("print({{'level': {x}}})"),
    act("print([{x}, 1])"),
    act("print(*[{x}.shape, {x}.dtype])"),
    act("print(len({x}.shape), {x}.ndim)"),
    act("{v} = ({x}, 2)\nprint({v}[0])"),
    act("{v} = ({x}, 2)\nprint({v}[1])"),
    act("{s}({x})", "def {s}(value):\n    print('kept', value)"),
    act("{s}({x})", "def {s}(value):\n    print('kept', value.shape)"),
    act('print("level", {x})'),
    act("print(f'sum {{{x}.sum()}}')"),
    act('print("shape", {x}.shape)'),
    act('print("one more step")'),
    act('sys.stdout.write(f"{{{x}}}\\n")'),
    act('jax.debug.print("level {{}}", {x})'),
    act('jax.debug.callback(lambda value: print("level", value), {x})'),
    act("pprint.pprint({{'level': {x}}})"),
    act("{v} = str({x}.dtype)\nprint({v})"),
]
LOGS = [
    act('{s}.log(logging.INFO, "level %s", {x})', '{s} = logging.getLogger("eval")'),
    act('logging.getLogger("eval").error("rank %d", {x}.ndim)'),
    act('warnings.warn(f"level {{{x}}}", stacklevel=1)'),
    act(
        "{s}.write({x}.ndim)",
        "class {X}:\n    def write(self, value):\n"
        "        logging.info('rank %d', value)\n{s} = {X}()",
    ),
    act('{s}.info("level %s", {x})', '{s} = logging.getLogger("training")'),
    act('{s}.debug("step")', "{s} = logging.getLogger(__name__)"),
    act('logging.warning("rank %d", {x}.ndim)'),
    act('warnings.warn("this is slow")'),
    act(
        'jax.debug.callback(lambda value: {s}.info("level %s", value), {x})',
        '{s} = logging.getLogger("training")',
    ),
    act(
        "{x} = {s}.info({x})",
        "class {X}:\n    def info(self, value):\n        return value * 0.5\n{s} = {X}()",
    ),
]
CLOCKS = [
    act("{v} = time.monotonic_ns() % 2\n{x} = {x} + 0.0 * {v}"),
    act("{v} = {s}()\n{x} = {x} + 0.0 * {v}", "{s} = time.perf_counter"),
    act("{x} = {s}({x})", "def {s}(value):\n    return value + 0.0 * time.time()"),
    act("{v} = time.strftime('%Y')"),
    act("{v} = time.perf_counter()\n{x} = {x} + 0.0 * {v}"),
    act("{v} = time.time()"),
    act("time.sleep(0.001)"),
    act("{v} = datetime.datetime.now().year\n{x} = {x} * (1.0 + 0.0 * {v})"),
    act("{x} = {x} * {s}", "{s} = time.monotonic() * 0.0 + 1.0"),
    act("jax.debug.callback(lambda _: {s}.append(time.time()), {x})", "{s} = []"),
    act(
        "{x} = {x} * {s}.time",
        "class {X}:\n    time = 0.5\n{s} = {X}()",
    ),
]
RNGS = [
    act("{x} = {x} + np.random.choice([0.5, 2.0])"),
    act("{v} = {s}.integers(0, 4)\n{x} = {x} + {v}", "{s} = np.random.default_rng(8)"),
    act("random.seed({x}.ndim)\n{x} = {x} + random.random()"),
    act("{v} = random.sample([0.5, 0.25, 2.0], 1)[0]\n{x} = {x} * {v}"),
    act("{v} = uuid.uuid4().hex"),
    act("{x} = {x} + {s}()", "def {s}():\n    return np.random.uniform(0.0, 1.0)"),
    act(
        "{x} = {x} + {s}.draw()",
        "class {X}:\n    def __init__(self):\n"
        "        self.rng = np.random.default_rng(3)\n    def draw(self):\n"
        "        return self.rng.normal()\n{s} = {X}()",
    ),
    act("{x} = {x} + np.random.normal(size={x}.shape)"),
    act("{x} = {x} * {s}.uniform()", "{s} = np.random.default_rng(3)"),
    act("{x} = {x} * random.random()"),
    act("{v} = random.choice([0.5, 0.25, 2.0])\n{x} = {x} * {v}"),
    act("{x} = {x} + {s}.gauss(0.0, 1.0)", "{s} = random.Random(5)"),
    act("{x} = {x} + {s}.randn()", "{s} = np.random.RandomState(1)"),
    act("np.random.seed(7)\n{x} = {x} + np.random.rand()"),
    act("{v} = np.random.default_rng(11)\n{x} = {x} + {v}.normal(size={x}.shape)"),
    act("{v} = random.Random(11)\n{x} = {x} * {v}.uniform(0.0, 1.0)"),
    act("{x} = {x} + {s}[0]", "{s} = np.random.default_rng(2).normal(size=4)"),
    act("{x} = {x} + jax.random.normal({s}, {x}.shape)", "{s} = jax.random.key(4)"),
]
FILES = [
    act('{v} = open("{s}.txt", "a")\n{v}.write("step;")\n{v}.close()'),
    act('pathlib.Path("{s}.txt").write_text("step")'),
    act('{s}.write("step;")', "{s} = io.StringIO()"),
    act('{v} = io.StringIO()\n{v}.write("step;")'),
    act("{x} = {x} * {s}['rate']", "{s} = json.loads('{{\"rate\": 0.5}}')"),
    act('with open("{s}.txt", "a") as {v}:\n    {v}.write("step;")'),
    act(
        "{x} = {x} * float({s}.read_text())", '{s} = pathlib.Path("{s}.txt")\n{s}.write_text("0.5")'
    ),
    act("{s}.write_text(str({x}.shape))", '{s} = pathlib.Path("{s}.txt")'),
    act('np.save("{s}.npy", np.ones({x}.shape))'),
    act(
        "io_callback({s}, None, {x}, ordered=True)",
        'def {s}(value):\n    with open("{s}.txt", "a") as file:\n        file.write(str(value))',
    ),
    act(
        "{x} = {s}.open({x})",
        "class {X}:\n    def open(self, value):\n        return value + 1.0\n{s} = {X}()",
    ),
    act('{v} = json.dumps({{"rank": {x}.ndim}})'),
]
CONTAINERS = [
    act("{s}[len({s}):] = [1]", "{s} = []"),
    act("{s}[-1].append(1)", "{s} = [[]]"),
    act("for {v} in {s}:\n    {v}.append(1)", "{s} = [[], []]"),
    act("{v}, _ = {s}\n{v}.append(1)", "{s} = ([], 0)"),
    act("{s}_push({s}, 1)", "def {s}_push(rows, row):\n    rows.append(row)\n{s} = []"),
    act("{s}_push({s}, {x})", "def {s}_push(rows, row):\n    rows.append(row)\n{s} = []"),
    act("{s}_push([], {x})", "def {s}_push(rows, row):\n    rows.append(row)"),
    act("{X}.rows.append(1)", "class {X}:\n    rows = []"),
    act("list(map({s}.append, [1]))", "{s} = []"),
    act("{s}.get('rows').append(1)", "{s} = {{'rows': []}}"),
    act("{s}['a']['b'] = len({s}['a']) + {s}['a'].get('b', 0)", "{s} = {{'a': {{}}}}"),
    act("{v} = {s}.append\n{v}(1)", "{s} = []"),
    act("np.add({s}, 1, out={s})", "{s} = np.zeros(2)"),
    act("if {x}.ndim > 5:\n    {s}.append({x})", "{s} = []"),
    act("{s} or {s}.append(len({s}))", "{s} = []"),
    act("{v} = {{k: v for k, v in {s}.items()}}\n{v}['n'] = {x}", "{s} = {{'n': 0}}"),
    act("{v} = {s}[:]\n{v}.append({x})", "{s} = [1]"),
    act("{v} = [*{s}, {x}]\n{v}.pop()", "{s} = [1]"),
    act("{v} = copy.deepcopy({s})\n{v}['rows'].append(1)", "{s} = {{'rows': []}}"),
    act("{v} = copy.copy({s})\n{v}['rows'].append(1)", "{s} = {{'rows': []}}"),
    act("{v} = {s} | {{'n': {x}}}\n{v}['m'] = 1", "{s} = {{'n': 0}}"),
    act("{v} = collections.defaultdict(list)\n{v}['n'].append({x})"),
    act("{v} = jax.tree.map(lambda leaf: leaf, {s})\n{v}.append({x})", "{s} = [1.0]"),
    act("{v} = {s}()\n{v}.append({x})", "def {s}():\n    return []"),
    act("{v} = {s}()\n{v}.append(1)", "{s}_rows = []\ndef {s}():\n    return {s}_rows"),
    act("{s}.append(1)", "{s} = []"),
    act("{s}.append({x}.shape)", "{s} = []"),
    act("{s}.append({x})", "{s} = []"),
    act('{s}["steps"] += 1', '{s} = {{"steps": 0}}'),
    act('{s}["last"] = {x}', '{s} = {{"last": None}}'),
    act('{s}["last"] = {x}.sum() * 2.0', "{s} = {{}}"),
    act("{x} = {x} * {s}.pop()", "{s} = [0.5] * 40"),
    act("{s}.update(steps=len({s}) + {s}.get('steps', 0))", "{s} = {{}}"),
    act("{s}.add(len({s}))", "{s} = set()"),
    act("{s}[0] += 1", "{s} = np.zeros(2)"),
    act("{s}.extend([1, 2])", "{s} = collections.deque()"),
    act("{s}.rotate(1)", "{s} = collections.deque([1, 2, 3, 4, 5, 6, 7])"),
    act("{s}['calls'].append(len({s}))", "{s} = collections.defaultdict(list)"),
    act("{s}['calls'] += 1", "{s} = collections.Counter()"),
    act("{s}.insert(0, 2.0)\n{x} = {x} * {s}[0]", "{s} = [1.0]"),
    act("del {s}[0]", "{s} = list(range(60))"),
    act("{s}.setdefault('rows', []).append(1)", "{s} = {{}}"),
    act("{v} = {s}\n{v}.append(1)", "{s} = []"),
    act("{v} = list({s})\n{v}.append(1)", "{s} = [1, 2]"),
    act("{v} = []\n{v}.append({x})\n{x} = {v}[0]"),
    act("{v} = {{**{s}}}\n{v}['rate'] = {x}", "{s} = {{'rate': 0.5}}"),
    act("{v} = dict({s})\n{v}['rate'] = 1.0", "{s} = {{'rate': 0.5}}"),
    act("{v} = {s}.copy()\n{v}.append({x})", "{s} = [1, 2]"),
    act("{v} = {s} + [{x}]\n{x} = {v}[-1]", "{s} = [1, 2]"),
    act("{v} = sorted({s})\n{v}.reverse()", "{s} = [2, 1]"),
    act("{v} = np.array({s})\n{v}[0] = 3.0\n{x} = {x} + {v}[0]", "{s} = [2.0, 1.0]"),
    act("{s}.append(int({s}[-1]) + 1)", "{s} = [1]"),
    act("{v} = {s}['inner']\n{v}['n'] += 1", "{s} = {{'inner': {{'n': 0}}}}"),
    act("[{s}.append(n) for n in range(2)]", "{s} = []"),
    act("for {v} in range(2):\n    {s}.append({v})", "{s} = []"),
    act("jax.debug.callback(lambda value: {s}.append(float(value.sum())), {x})", "{s} = []"),
    act("{s}.clear()\n{s}.append(len({s}))", "{s} = []"),
    act("{v} = {s}.index(2)\n{x} = {x} + {v}", "{s} = [1, 2]"),
    act("{v}, *_ = {s}\n{x} = {x} + {v}", "{s} = [1, 2]"),
    act("heapq.heappush({s}, len({s}))", "{s} = []"),
    act("operator.setitem({s}, len({s}), 1)", "{s} = {{}}"),
    act(
        "{x} = {s}({x})",
        "@functools.lru_cache\ndef {s}_table(n):\n    return np.ones(n)\n"
        "def {s}(value):\n    return value + {s}_table(3)[0]",
    ),
]
NAMES = [
    act("{s} = {s} + [1]", "{s} = []", "{s}"),
    act("{s} = not {s}", "{s} = False", "{s}"),
    act("{v} = ({s} := {s} + 1)", "{s} = 0", "{s}"),
    act("{s} = jnp.zeros(3) + {s}", "{s} = 0.0", "{s}"),
    act("{s} = np.zeros(3) + {s}", "{s} = 1.0", "{s}"),
    act("{s} = {x}.shape[0] + {s}", "{s} = 0", "{s}"),
    act("{s}_set()", "{s} = 0\ndef {s}_set():\n    global {s}\n    {s} += 1"),
    act("{s}_set({x})", "{s} = 0\ndef {s}_set(value):\n    global {s}\n    {s} = value"),
    act("{s} += 1", "{s} = 0", "{s}"),
    act("{s} = {s} * 2.0", "{s} = 1.0", "{s}"),
    act("{s} = {x}", "{s} = None", "{s}"),
    act("{s} = ({x}, 1)", "{s} = ()", "{s}"),
    act("{s}, {v} = {s} + 1, 0", "{s} = 0", "{s}"),
    act("{v} = {s} + 1\n{x} = {x} * {v}", "{s} = 0"),
    act("globals()['{s}'] += 1", "{s} = 0"),
]
ATTRIBUTES = [
    act(
        "{s}.inner.calls += 1", "{s} = types.SimpleNamespace(inner=types.SimpleNamespace(calls=0))"
    ),
    act(
        "object.__setattr__({s}, 'calls', {s}.calls + 1)", "class {X}:\n    calls = 0\n{s} = {X}()"
    ),
    act(
        "{s}.level = {s}.level + 1",
        "class {X}:\n    def __init__(self):\n        self.kept = 0\n"
        "    @property\n    def level(self):\n        return self.kept\n    @level.setter\n"
        "    def level(self, value):\n        self.kept = value\n{s} = {X}()",
    ),
    act(
        "{v} = {s}._replace(rate={s}.rate * 0.5)\n{x} = {x} * {v}.rate",
        "{s} = collections.namedtuple('Rates', 'rate')(0.5)",
    ),
    act(
        "{X}.count()",
        "class {X}:\n    calls = 0\n    @classmethod\n    def count(cls):\n        cls.calls += 1",
    ),
    act(
        "{v} = {X}({x})\n{v}.keep({x} * 2.0)\n{x} = {v}.rows",
        "class {X}:\n    def __init__(self, rows):\n        self.rows = rows\n"
        "    def keep(self, rows):\n        self.rows = rows",
    ),
    act(
        "{s}.rows += [1]",
        "class {X}:\n    def __init__(self):\n        self.rows = []\n{s} = {X}()",
    ),
    act(
        "{s}.table['calls'] = {s}.table.get('calls', 0) + 1",
        "class {X}:\n    def __init__(self):\n        self.table = {{}}\n{s} = {X}()",
    ),
    act(
        "{s}.table['last'] = {x}",
        "class {X}:\n    def __init__(self):\n        self.table = {{}}\n{s} = {X}()",
    ),
    act("{s}.calls += 1", "class {X}:\n    calls = 0\n{s} = {X}()"),
    act("{X}.calls += 1", "class {X}:\n    calls = 0"),
    act("{s}.last = {x}", "class {X}:\n    last = None\n{s} = {X}()"),
    act("setattr({s}, 'calls', {s}.calls + 1)", "class {X}:\n    calls = 0\n{s} = {X}()"),
    act(
        "{s}.count()",
        "class {X}:\n    def __init__(self):\n        self.calls = 0\n"
        "    def count(self):\n        self.calls += 1\n{s} = {X}()",
    ),
    act(
        "{s}.keep({x})",
        "class {X}:\n    def __init__(self):\n        self.rows = []\n"
        "    def keep(self, row):\n        self.rows.append(row)\n{s} = {X}()",
    ),
    act("{v} = {X}()\n{v}.calls += 1", "class {X}:\n    calls = 0"),
    act("{v} = copy.copy({s})\n{v}.calls += 1", "class {X}:\n    calls = 0\n{s} = {X}()"),
    act(
        "{v} = dataclasses.replace({s}, rate={s}.rate * 0.5)\n{x} = {x} * {v}.rate",
        "@dataclasses.dataclass\nclass {X}:\n    rate: float = 0.5\n{s} = {X}()",
    ),
    act(
        "{s}.rate *= 0.5\n{x} = {x} * {s}.rate",
        "@dataclasses.dataclass\nclass {X}:\n    rate: float = 0.5\n{s} = {X}()",
    ),
    act("{s}.calls = {s}.calls + 1", "def {s}(value):\n    return value\n{s}.calls = 0"),
    act("{s}.calls += 1", "{s} = types.SimpleNamespace(calls=0)"),
]
ITERATORS = [
    act("{v}, {v}_b = next({s}), next({s})\n{x} = {x} + {v}", "{s} = itertools.count(1)"),
    act("{x} = {x} + {s}.__next__()", "{s} = itertools.count(1)"),
    act("{x} = {x} + next({s})", "def {s}_all():\n    yield from range(60)\n{s} = {s}_all()"),
    act("{v} = dict(zip('ab', {s}))\n{x} = {x} + {v}['a']", "{s} = iter(range(90))"),
    act("{x} = {x} + next(iter({s}))", "{s} = {{2.0: 1}}"),
    act("{x} = {x} + sum(zip({s}, {s}), ())[0]", "{s} = [1.0, 2.0]"),
    act("for {v}, {v}_b in zip(range(1), {s}):\n    {x} = {x} + {v}_b", "{s} = iter(range(90))"),
    act("{v} = max({s})\n{x} = {x} + {v}", "{s} = (1.0, 2.0)"),
    act("{x} = {x} + next({s}, 0.0)", "{s} = iter([1.0] * 60)"),
    act("{x} = {x} * next({s})", "{s} = iter([0.5, 0.25, 2.0, 4.0] * 20)"),
    act("{x} = {x} + next({s})", "{s} = itertools.count(1)"),
    act("{v} = next({s})\n{x} = {x} + {v}.sum()", "{s} = (np.full(2, n) for n in range(60))"),
    act("{x} = {x} + sum({s})", "{s} = range(3)"),
    act("for {v} in {s}:\n    {x} = {x} + {v}", "{s} = [1.0, 2.0]"),
    act("for {v} in {s}:\n    {x} = {x} + {v}\n    break", "{s} = iter(range(60))"),
    act("{v} = iter({s})\n{x} = {x} + next({v})", "{s} = [1.0, 2.0]"),
    act("{x} = {x} + next({s})[1]", "{s} = enumerate([0.5] * 60)"),
    act("{v} = list(itertools.islice({s}, 1))\n{x} = {x} + {v}[0]", "{s} = iter(range(60))"),
    act("{x} = {x} + next({s}())", "def {s}():\n    yield 1.0\n    yield 2.0"),
]
ACTS = {
    "print": PRINTS,
    "log": LOGS,
    "clock": CLOCKS,
    "rng": RNGS,
    "io": FILES,
    "container": CONTAINERS,
    "name": NAMES,
    "attribute": ATTRIBUTES,
    "iterator": ITERATORS,
}
IMPORTS = """\
import collections
import copy
import dataclasses
import datetime
import functools
import heapq
import io
import itertools
import json
import logging
import operator
import pathlib
import pprint
import random
import sys
import time
import types
import uuid
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback
"""
