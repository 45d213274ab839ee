"""What the pytest plugin costs, and how the matrix scales: ratios of one run, printed.

    .venv/bin/python benchmarks/plugin.py [--engine host] [--only idle,item,workers,...]

Every figure is of whole pytest processes, so nothing is left out: processor time for what the
plugin costs, wall time for how the matrix scales. Variants take turns. Of what is subtracted
the best of each counts, for what disturbs a run only ever slows it; of what is divided the
median over the rounds, for a machine's pace varies more between rounds than within one.
pytest-embedded is no part of rig's environment; to have it measured:

    .venv/bin/pip install pytest-embedded

Objects, programs and Python's bytecode are made before the clock starts, the last even where
the environment forbids it: an installed rig has its own. Other plugins than rig's and, for
workers, xdist's are left out. Two CPUs that do nothing else are needed for the figure of two
workers. Exits 1 when a bound is missed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from rig.catalog import load

ITEMS = 500
SETUP = "x86_64/gcc/user"
ROOT = Path(__file__).resolve().parent.parent
MATRIX = "tests/emulated/test_matrix.py"
"""The emulated matrix: all checks of all built-in cores on the default targets."""

OTHERS = ("-p", "no:hypothesispytest", "-p", "no:timeout")
ALONE = ("-p", "no:pytest_embedded", *OTHERS)
BARE = ("-p", "no:rig", "-p", "no:xdist", *ALONE)
EMBEDDED = ("-p", "no:rig", "-p", "no:xdist", *OTHERS)

EMPTY = "def test_nothing():\n    pass\n"
PLAIN = """\
import pytest

@pytest.mark.parametrize("n", range({count}))
def test_item({fixture}n):
    pass
"""
CHECKS = "def test_core(rig_check):\n    rig_check.require()\n"

missed: list[str] = []


def _pytest(folder: Path, *words: str) -> tuple[float, float]:
    """(wall, processor) seconds of one pytest run, which must pass, with all it started."""
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as out:
        begun = time.perf_counter()
        process = subprocess.Popen(argv, cwd=folder, env=env, stdout=out, stderr=out)
        _, status, usage = os.wait4(process.pid, 0)
        taken = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            out.seek(0)
            text = out.read().decode("utf-8", "replace")
            raise SystemExit(f"{' '.join(words)} failed:\n{text[-3000:]}")
    return taken, usage.ru_utime + usage.ru_stime


def wall(folder: Path, *words: str) -> float:
    return _pytest(folder, *words)[0]


def processor(folder: Path, *words: str) -> float:
    return _pytest(folder, *words)[1]


def turns(rounds: int, variants: dict[str, Callable[[], float]]) -> list[dict[str, float]]:
    """What each variant took, round by round."""
    return [{name: run() for name, run in variants.items()} for _ in range(rounds)]


def best(rounds: int, **variants: Callable[[], float]) -> dict[str, float]:
    """The least of each variant; they take turns."""
    found = turns(rounds, variants)
    return {name: min(times[name] for times in found) for name in variants}


def tell_ratio(what: str, bound: float, rounds: int, **variants: Callable[[], float]) -> None:
    """Of each round the other variants, in sum, over the first; the median counts."""
    found = turns(rounds, variants)
    for name in variants:
        print(f"  {name:<8}" + " ".join(f"{times[name]:6.2f}" for times in found) + "  s")
    ratios = [sum(others) / one for one, *others in (times.values() for times in found)]
    print(f"  {'ratio':<8}" + " ".join(f"{ratio:6.3f}" for ratio in ratios))
    tell(what, median(ratios), bound)


def tell(what: str, value: float, bound: float, unit: str = "") -> None:
    good = value <= bound
    if not good:
        missed.append(what)
    print(
        f"  {what:<52}{value:8.3f}{unit} (at most {bound:g}{unit}){'' if good else '  MISSED'}"
    )


def written(folder: Path, name: str, text: str) -> Path:
    """A folder of its own with one test file."""
    place = folder / name
    place.mkdir()
    (place / "test_it.py").write_text(text)
    return place


def idle(folder: Path, _rig: Sequence[str]) -> None:
    """Installed and not used."""
    place = written(folder, "idle", EMPTY)
    others = ("-p", "no:xdist", *ALONE)
    times = best(
        15,
        without=lambda: processor(place, "-p", "no:rig", *others),
        installed=lambda: processor(place, *others),
    )
    tell("idle: a run with the plugin, beside one without", _ms(times), 20.0, " ms")


def _ms(times: dict[str, float]) -> float:
    return 1000 * (times["installed"] - times["without"])


def item(folder: Path, rig: Sequence[str]) -> None:
    """What an item costs over a bare one: many items less one, on a guest that runs."""
    rig = ("-p", "no:xdist", *rig, "--rig-on", SETUP, "--rig-core", "rolled")
    kinds = {"bare": ("", BARE), "rig": ("rig_guest, ", rig)}
    if importlib.util.find_spec("pytest_embedded"):
        kinds["embedded"] = ("dut, ", EMBEDDED)
    costs: dict[str, float] = {}
    for kind, (fixture, words) in kinds.items():
        few, many = (
            written(folder, f"{kind}{count}", PLAIN.format(count=count, fixture=fixture))
            for count in (1, ITEMS)
        )
        times = best(
            3,
            few=lambda few=few, words=words: processor(few, *words),  # type: ignore[misc]
            many=lambda many=many, words=words: processor(many, *words),  # type: ignore[misc]
        )
        costs[kind] = 1000 * (times["many"] - times["few"]) / (ITEMS - 1)
    print(
        "  " + ", ".join(f"{kind} {cost:.3f} ms" for kind, cost in costs.items()) + " an item"
    )
    over = costs["rig"] - costs["bare"]
    tell("item: of a cell, over a bare one", over, 1.0, " ms")
    if "embedded" in costs:
        tell(
            "item: over a bare one, rig / pytest-embedded",
            over / (costs["embedded"] - costs["bare"]),
            0.5,
        )
    else:
        print("  item: rig / pytest-embedded: not measured (it is not installed)")


def company() -> float:
    """What a plain loop takes beside another, on the other CPU, over what it takes alone."""

    def loops(count: int) -> float:
        argv = [sys.executable, "-c", "for n in range(10_000_000): n * n"]
        begun = time.perf_counter()
        for process in [subprocess.Popen(argv) for _ in range(count)]:
            process.wait()
        return time.perf_counter() - begun

    times = best(3, alone=lambda: loops(1), beside=lambda: loops(2))
    return times["beside"] / times["alone"]


def workers(_folder: Path, rig: Sequence[str]) -> None:
    """The matrix by two workers, beside serial."""
    print(f"  a plain loop beside another one takes {company():.2f} of its time alone")
    words = (*rig, MATRIX)
    wall(ROOT, *words)
    tell_ratio(
        "workers: -n 2 / serial",
        0.65,
        7,
        serial=lambda: wall(ROOT, *words),
        two=lambda: wall(ROOT, *words, "-n", "2"),
    )


def cells(folder: Path, rig: Sequence[str]) -> None:
    """Ten cores beside one."""
    place = written(folder, "cells", CHECKS)
    source = load().guest / "cores" / "rolled.c"
    names = []
    for number in range(10):
        names.append(str(place / f"core{number}.c"))
        shutil.copy(source, names[-1])
    every = [word for name in names for word in ("--rig-core", name)]
    wall(place, *rig, "--rig-on", SETUP, *every)
    tell_ratio(
        "cells: ten times the cells / one",
        11.0,
        2,
        one=lambda: wall(place, *rig, "--rig-on", SETUP, *every[:2]),
        ten=lambda: wall(place, *rig, "--rig-on", SETUP, *every),
    )


def shards(_folder: Path, rig: Sequence[str]) -> None:
    """Two shards, in sum, beside the whole."""
    words = (*rig, MATRIX)
    wall(ROOT, *words)
    tell_ratio(
        "shards: both, in sum / whole",
        1.1,
        3,
        whole=lambda: wall(ROOT, *words),
        first=lambda: wall(ROOT, *words, "--rig-shard", "1/2"),
        second=lambda: wall(ROOT, *words, "--rig-shard", "2/2"),
    )


PARTS = {"idle": idle, "item": item, "workers": workers, "cells": cells, "shards": shards}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--engine", choices=("docker", "host"), default="docker")
    parser.add_argument("--only", default=",".join(PARTS), metavar="NAMES")
    chosen = parser.parse_args()
    rig = (*ALONE, "--rig-engine", chosen.engine)
    cpus = len(os.sched_getaffinity(0))
    print(f"pytest plugin, engine {chosen.engine}, {cpus} CPUs, load {os.getloadavg()[0]:.1f}")
    for name in chosen.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](Path(folder), rig)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
