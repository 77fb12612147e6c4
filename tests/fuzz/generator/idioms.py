"""Things that people write in JAX code in a few lines, as patterns.

`$f` is an expression of kind f. `<norm:F>` stands for a new name that holds an F behind the
lines, `<norm>` for the same name again; the kind `_` is of no use behind them.
"""

from __future__ import annotations

import re

from generator.scope import Scope
from generator.writer import Writer

_ARRAYS = """\
<hidden:v> = $v
for <weight:_>, <bias:_> in [($m, $v2), ($m2, $v3)]:
    <hidden> = jnp.tanh(<weight> @ <hidden> + <bias>)

<layers:_> = [{'w': $m, 'b': $v}, {'w': $m2, 'b': $v2}]
<out:v> = $v3
for <layer:_> in <layers>:
    <out> = jax.nn.relu(<layer>['w'] @ <out> + <layer>['b'])

<low:_>, <high:_> = $v.min(), $v.max()
<scaled:v> = ($v - <low>) / (1e-6 + <high> - <low>)

<accuracy:F> = jnp.mean(jnp.argmax($m, axis=1) == $q)

<active_count:_> = jnp.sum($a)
<mean:F> = jnp.sum(jnp.where($a, $v, 0.0)) / jnp.maximum(<active_count>, 1)

<rows:n>, <columns:n> = $m.shape
<flat:V> = jnp.asarray($m).reshape(<rows> * <columns>)[:3]

*<batch_shape:_>, <features:n> = $m.shape
<padding:_> = jnp.zeros((*<batch_shape>, <features>))
<padded_total:F> = <padding>.sum() + $f

<buffer:V> = jnp.zeros(3)
for <i:_> in range(3):
    <buffer> = <buffer>.at[<i>].set($f)

<buffer:_> = np.zeros(3)
<buffer>[0] = $f
<filled:v> = <buffer> + 1.0

<spec:_> = jax.eval_shape(lambda values: values * 2.0, $V)
<like:V> = jnp.zeros(<spec>.shape, <spec>.dtype)

<norms:_> = []
for <each_row:_> in $m:
    <norms>.append(jnp.linalg.norm(<each_row>))
<mean_norm:F> = jnp.stack(<norms>).mean()

<half:n> = int($v.shape[0] / 2)
<front:F> = jnp.sum($v[:<half>])

<normalizer:p> = math.sqrt($v.shape[0])
<attended:V> = jax.nn.softmax($m @ $v / <normalizer>)

<out:v> = $v
for <apply:_> in (jnp.sin, jnp.cos):
    <out> = <apply>(<out>)

<bounds:_> = {'min': 0.0, 'max': $f}
<bounded:V> = jnp.clip($v, **<bounds>)

<reducers:_> = {'mean': jnp.mean, 'sum': jnp.sum, 'max': jnp.max}
<reduced:F> = <reducers>[$s]($v)

<order_by:_> = jnp.argsort($V)
<ordered:V> = $V2[<order_by>]

<similarity:f> = $v @ $v2 / (1e-6 + np.linalg.norm($v3))

<stacked:_> = jnp.stack([$v, $v2])
<best_row:V> = <stacked>[jnp.argmax(<stacked>.sum(axis=1))]

<dtype:_> = $v.dtype
<converted:V> = jnp.asarray($v2, <dtype>)
"""

_TRANSFORMS = """\
def <body_fn:_>(carry, row):
    <summed:_>, <seen_rows:_> = carry
    return (<summed> + jnp.sum(row), <seen_rows> + 1), <summed>
(<row_total:F>, <row_count:I>), <partials:V> = jax.lax.scan(<body_fn>, (jnp.float32(0.0), 0), $M)

<next_key:k>, <noise_key:k> = jax.random.split($k)
<noise:V> = jax.random.normal(<noise_key>, $v.shape)

def <cost_fn:_>(w):
    <prediction:_> = w * $v
    return jnp.sum(<prediction> ** 2), <prediction>
(<cost:F>, <predicted:V>), <slope:V> = jax.value_and_grad(<cost_fn>, has_aux=True)($V)

<weighted:V> = jax.vmap(lambda row, weight: row.sum() * weight, in_axes=(0, None))($M, $f)

<learning_rate:p> = 0.1
<params_next:P> = jax.tree.map(lambda p, g: p - <learning_rate> * g, $P, $P2)

<square_norm:F> = sum(jnp.sum(leaf ** 2) for leaf in jax.tree.leaves($P))
<shrink:f> = 1.0 / <square_norm> if <square_norm> > 1.0 else 1.0
<clipped:P> = jax.tree.map(lambda leaf: leaf * <shrink>, $P)

<leaves:_>, <treedef:_> = jax.tree.flatten($P)
<rebuilt:P> = jax.tree.unflatten(<treedef>, [leaf * $f for leaf in <leaves>])

<deepened:P> = jax.tree_util.tree_map_with_path(lambda path, leaf: leaf * len(path), $P)

<block:_> = jax.checkpoint(lambda values: jnp.sin(values) * $f)
<blocked:V> = <block>($V)

<compiled_fn:_> = jax.jit(lambda value: value + $f)
<shifted:F> = <compiled_fn>($f2)

<choices:_> = [lambda value: value + 1.0, lambda value: value * 2.0, jnp.sin]
<chosen:F> = jax.lax.switch($n, <choices>, jnp.float32($f))

<picked:V> = jax.lax.select($b, $V, jnp.zeros(3))

<final_state:_>, <losses_seen:V> = jax.lax.scan(lambda c, x: (c + x, c * $f), jnp.float32(0.0), $V)

<pulled:_>, <pull:_> = jax.vjp(lambda values: jnp.sum(values * $f), $V)
(<cotangent:V>,) = <pull>(jnp.ones_like(<pulled>))

<batched_norm:_> = jax.vmap(jnp.linalg.norm)
<norms_of_rows:V> = <batched_norm>($M)

jax.debug.callback(lambda value: None, $F)
<after_debug:f> = $f

<outer_product:M> = jax.vmap(lambda left: jax.vmap(lambda right: left * right)($V))($V2)
"""

_PYTHON = """\
<guess:f> = $f
for <_round:_> in range(3):
    <guess> = 0.5 * (<guess> + $f2 / (1.0 + abs(<guess>)))
    if abs(<guess>) < 0.001:
        break

<tries:_> = 0
while True:
    <tries> += 1
    if <tries> > $n:
        break
<tried:n> = <tries>

<best:f> = None
for <candidate:_> in $L:
    if <best> is None or <candidate> > <best>:
        <best> = <candidate>

<counts:_> = {}
for <reduction_name:_> in ('mean', 'sum', 'mean'):
    <counts>[<reduction_name>] = <counts>.get(<reduction_name>, 0) + 1
<counted:n> = sum(<counts>.values())

<pairs:_> = [(left, right) for left in $L for right in (0.5, 1.5) if right > 1]
<products:l> = [left * right for left, right in <pairs>]

<ranked:_> = sorted($L, key=lambda term: -term)
<top_term:f> = <ranked>[0]

<running_sums:_> = list(itertools.accumulate($L))
<last_sum:f> = <running_sums>[-1]

<joined:l> = list(itertools.chain($L, $L2))

<crossed:f> = 0.0
for <left:_>, <right:_> in itertools.product((0.5, 1.0), $L):
    <crossed> = <crossed> + <left> * <right>

<adjusted:_> = lambda value, factor=$f: value * factor
<adjusted_value:f> = <adjusted>($f2)

<scalers:_> = [lambda value, by=by: value * by for by in range(2)]
<scaled_sum:f> = sum(scaler($f) for scaler in <scalers>)

<merged:d> = {name: left + right for (name, left), right in zip($d.items(), $d2.values())}

<sign:f> = 1.0 if $f > 0 else -1.0 if $f2 < 0 else 0.0

<older:f>, <newer:f> = $f, $f2
<older>, <newer> = <newer>, <older>

<scratch:_> = $v
<kept:f> = <scratch>.sum()
del <scratch>

<unused:_>, <used:v> = $f, $v
del <unused>

<copied:_> = dict($d)
del <copied>['shift']
<left_over:n> = len(<copied>)

<items_left:_> = list($L)
del <items_left>[0]
<items_count:n> = len(<items_left>)

<tree:_> = {'encoder': $P, 'head': {'scale': $f}}
<head_scale:f> = <tree>['head']['scale']
<encoder_kernel:m> = <tree>['encoder']['w']

<level_set:_> = {1, 2} & set(range($n))
<has_levels:b> = len(<level_set>) > 0

<saturated:f> = $f
if <saturated> > 1.0:
    <saturated> = 1.0
elif <saturated> < -1.0:
    <saturated> = -1.0

<inner_sum:f> = 0.0
for <place:_>, (<left_part:_>, <right_part:_>) in enumerate(zip($v, $v2)):
    <inner_sum> = <inner_sum> + <left_part> * <right_part> * <place>

<both:_> = ($f, $f2)
<larger:f> = max(*<both>)

<caption:_> = 'step ' + str($n)
print(<caption>)

<is_tracer:b> = isinstance($f, jax.core.Tracer)
<guarded:f> = 0.0 if <is_tracer> else $f2

<held_dtype:_> = getattr($v, 'dtype', None)
<is_known:b> = <held_dtype> is not None

<grid:_> = [[left * right for right in (0.5, 1.0)] for left in $L]
<corner:f> = <grid>[0][-1]

<queue:_> = collections.deque($L)
<queue>.append($f)
<oldest:f> = <queue>.popleft()

<groups:_> = collections.defaultdict(list)
<groups>['all'].append($f)
<group_total:f> = sum(<groups>['all'])

<remaining:_> = list($L)
<last_term:f> = <remaining>.pop()

<nonzero:l> = list(filter(lambda term: term != 0, $L)) or [1.0]

<either:f> = $f or 1.0

<lowest:f>, <highest:f> = min($L), max($L)

<message:_> = f'{$name:.3f}'
<message_length:n> = len(<message>)

<walker:_> = iter($L)
<head_term:f> = next(<walker>)
<next_term:f> = next(<walker>, 0.0)

<found_at:n> = 0
for <at:_>, <term_at:_> in enumerate($L):
    if <term_at> > $f:
        <found_at> = <at>
        break
else:
    <found_at> = 3

<getter:_> = operator.itemgetter('scale')
<got:f> = <getter>($d)

<pair_of:T> = ($f, $v)
match <pair_of>:
    case (<pair_scale:_>, <pair_vector:_>):
        <pair_vector> = <pair_vector> * <pair_scale>
"""


def _read(text: str) -> list[tuple[str, ...]]:
    return [tuple(each.splitlines()) for each in text.strip("\n").split("\n\n")]


IDIOMS = [*_read(_ARRAYS), *_read(_TRANSFORMS), *_read(_PYTHON)]

_NAME = re.compile(r"<(\w+)(?::(\w+))?>")


def idiom(w: Writer, scope: Scope, depth: int) -> None:
    """The lines of one idiom."""
    names: dict[str, str] = {}
    bound: dict[str, str] = {}

    def named(match: re.Match[str]) -> str:
        plain, kind = match[1], match[2]
        if kind is not None and plain not in names:
            names[plain] = w.fresh(scope, kind, plain)
            if kind != "_":
                bound[names[plain]] = kind
        return names[plain]

    lines = w.choice(IDIOMS)
    if len(lines) > 3:
        w.branches += 1
    for line in lines:
        text = line.lstrip()
        indent = line[: len(line) - len(text)]
        w.emit(indent + w.form(_NAME.sub(named, text), scope, 1))
    for name, kind in bound.items():
        w.bind(scope, name, kind)


STATEMENTS = ((14, idiom),)
