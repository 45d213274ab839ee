"""The control of native time: a core beside itself, on a quiet machine and on a busy one.

Run by hand: .venv/bin/python benchmarks/native.py [--rounds N] [--on SETUP] [--engine host]

Both cores of each pair are one and the same under two names, so every verdict but
"indistinguishable" is either a false winner or "unstable". Aim: at least 19 of 20
indistinguishable, never a winner.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import duels

from rig.events import TimeVerdict

BUSY = "while True: sum(range(100000))"


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that want a CPU each."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for one in others:
            one.kill()
            one.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--on", default="i386/gcc/user")
    parser.add_argument("--core", default="unrolled")
    parser.add_argument("--engine", default="docker")
    asked = parser.parse_args()
    wrong = False
    with duels.lab(asked.engine) as lab:
        (setup,) = duels.setups(lab, asked.on)
        core = lab.catalog.core(asked.core)
        again = replace(core, name=f"{core.name}-again")
        machine = duels.headline(lab, setup)
        cpus = len(os.sched_getaffinity(0))
        for others in (0, 2 * cpus):
            counts: Counter[str] = Counter()
            begun = time.perf_counter()
            with busy(others):
                for _ in range(asked.rounds):
                    timed = duels.duel(lab, machine, setup, core, again)
                    assert timed.verdict is not None
                    counts[timed.verdict.value] += 1
                    print(f"  {duels.text_of(timed.ratio)} {timed.verdict}", flush=True)
            seconds = (time.perf_counter() - begun) / asked.rounds
            said = ", ".join(f"{n} {name}" for name, n in counts.most_common())
            print(f"{setup.id}, {core.name} beside itself, {others} busy processes: {said}")
            print(f"{seconds:.1f} s a pair")
            winners = counts[TimeVerdict.FASTER] + counts[TimeVerdict.SLOWER]
            good = counts[TimeVerdict.INDISTINGUISHABLE]
            wrong = wrong or bool(winners) or good < 0.95 * asked.rounds
    print("aim reached" if not wrong else "aim missed")
    sys.exit(int(wrong))


if __name__ == "__main__":
    main()
