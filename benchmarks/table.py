"""The patch's whole table: six rows, before / after, with work and stack, from an empty store.

Run by hand: .venv/bin/python benchmarks/table.py [--rounds N] [CORE CORE]

Images are ready, nothing is compiled: what is timed is `rig compare --no-time` as typed, checks
and traces included. kunit.py took 252 s for the first of twelve such builds on such a machine,
and gives no size, stack or comparison (one architecture, compiler and variant a run).
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

CPUS = len(os.sched_getaffinity(0))
KUNIT = 252.0
"""Seconds of kunit.py's first i386 build and run, two CPUs."""

WANTED = 20.0


def table(cores: list[str], *more: str) -> tuple[float, float, str]:
    """Seconds, CPU seconds of rig itself (engine and boxes not among them), and the report."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-c", "from rig.cli import main; main()", "compare"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        done = subprocess.run(
            [*command, *cores, "--no-time", *more],
            env={**os.environ, "RIG_CACHE": cache},
            capture_output=True,
            text=True,
            check=False,
        )
        elapsed = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"rig compare failed:\n{done.stderr}{done.stdout}")
    own = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return elapsed, own, done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("cores", nargs="*", default=["unrolled", "rolled"])
    asked = parser.parse_args()
    table(asked.cores)  # images and their facts
    load = os.getloadavg()[0]
    print(f"{CPUS} CPUs, load {load:.1f} before the first round")
    best = float("inf")
    for number in range(asked.rounds):
        elapsed, own, report = table(asked.cores)
        without, _, _ = table(asked.cores, "--no-work")
        best = min(best, elapsed)
        print(
            f"round {number + 1}: {elapsed:.1f} s ({own:.1f} s of it rig's own CPU time);"
            f" without work and stack {without:.1f} s"
        )
    print(report)
    print(
        f"best {best:.1f} s, wanted {WANTED:.0f} s; kunit.py's first build {best / KUNIT:.2f}"
    )


if __name__ == "__main__":
    main()
