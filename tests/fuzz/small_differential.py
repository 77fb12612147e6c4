"""Holds the rules against JAX over small generated modules, one family of hazards at a time.

python tests/fuzz/small_differential.py --programs 200 --seed 0 [--family effects] [--show 5]
"""

from __future__ import annotations

import argparse
import sys
import time

from small.census import STUDIES, Census, count, gaps


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100, help="modules of each family")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--family", choices=sorted(STUDIES), action="append")
    parser.add_argument("--show", type=int, default=10, help="differences printed per family")
    options = parser.parse_args(arguments)
    seeds = range(options.seed, options.seed + options.programs)
    worst = 0
    for name in options.family or STUDIES:
        started = time.process_time()
        census = count(name, seeds)
        _print(census, options.show, time.process_time() - started)
        worst = max(worst, len(census.false_alarms("error")))
    return 1 if worst else 0


def _print(census: Census, shown: int, seconds: float) -> None:
    score = census.score
    print(f"{census.family}: {score.programs} modules, {seconds / score.programs:.2f} s each")
    for failure in score.failures[:shown]:
        print(f"  did not run: seed {failure}")
    if score.hazards:
        kinds = ", ".join(
            f"{kind} {score.found[kind]}/{total}" for kind, total in sorted(score.hazards.items())
        )
        print(f"  hazards found: {census.recall:.1%} ({kinds})")
    for kind, reason in STUDIES[census.family].family.unclaimed.items():
        print(f"  {kind}: {score.unclaimed[kind]} hazards, {reason}")
    for severity in ("error", "warning", "perf"):
        false, right = len(census.false_alarms(severity)), score.right[severity]
        if right or false:
            unknown = score.unknown[severity]
            print(f"  {severity}: {right} right, {false} false alarms, {unknown} unknown")
    for gap in gaps():
        if gap.family == census.family:
            print(f"  known gap: {census.known[gap]} x {gap.what} at /{gap.line}/, {gap.reason}")
    for each in census.open[:shown]:
        what = f"false alarm ({each.severity})" if each.is_false_alarm else "missed"
        print(f"  {what}: seed {each.seed}, line {each.line}, {each.what}: {each.text}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
