"""Where the cores compact and quick must be: size and native speed beside rolled and unrolled.

Run by hand: .venv/bin/python benchmarks/pareto.py [--engine host]

i386, plain scalar -O2 (profile user), native, in every link order that a duel has: compact is
smaller than rolled and not slower than unrolled; quick is smaller than rolled or at least 1.2
times as fast as unrolled. Thumb-2: compact is at most half of rolled's size, with less work.
"""

from __future__ import annotations

import argparse
import sys

import duels

from rig.events import TimeVerdict
from rig.judging import measure
from rig.lab import Lab
from rig.model import Cell, Setup

COMPILERS = ("gcc", "clang")


def size(lab: Lab, setup: Setup, name: str) -> float:
    """Code of the compress function, split parts included."""
    cell = Cell(setup, lab.catalog.core(name))
    found = {item.name: item.value for item in measure(cell, lab.built(cell), lab)}
    value = found["size"]
    assert value is not None
    return value


def work(lab: Lab, setup: Setup, name: str) -> float:
    value = duels.figures(lab, Cell(setup, lab.catalog.core(name)))["work"].value
    assert value is not None
    return value


def told(good: bool, text: str) -> bool:
    print(f"{'reached' if good else 'MISSED '}  {text}", flush=True)
    return good


def on_i386(lab: Lab) -> bool:
    good = True
    machine = None
    for setup in duels.setups(lab, *(f"i386/{compiler}/user" for compiler in COMPILERS)):
        machine = machine or duels.headline(lab, setup)
        unrolled = lab.catalog.core("unrolled")
        rolled, large = (size(lab, setup, name) for name in ("rolled", "unrolled"))
        print(f"{setup.id}: rolled {rolled:.0f}, unrolled {large:.0f} bytes")
        for name in ("compact", "quick"):
            own = size(lab, setup, name)
            timed = duels.duel(lab, machine, setup, unrolled, lab.catalog.core(name))
            beside = duels.duel(
                lab, machine, setup, lab.catalog.core("rolled"), lab.catalog.core(name)
            )
            ratio, verdict = timed.ratio, timed.verdict
            assert ratio.value is not None
            assert ratio.low is not None
            text = (
                f"{name}: {own:.0f} bytes; beside unrolled {duels.text_of(ratio)} {verdict};"
                f" beside rolled {duels.text_of(beside.ratio)} {beside.verdict}"
            )
            if name == "compact":
                as_fast = verdict in (TimeVerdict.FASTER, TimeVerdict.INDISTINGUISHABLE)
                good &= told(own < rolled and as_fast, text)
            else:
                good &= told(own < rolled or ratio.low >= 1.2, text)
    return good


def on_thumb(lab: Lab) -> bool:
    good = True
    for setup in duels.setups(lab, *(f"arm32/{compiler}/thumb" for compiler in COMPILERS)):
        own, rolled = (size(lab, setup, name) for name in ("compact", "rolled"))
        less, more = (work(lab, setup, name) for name in ("compact", "rolled"))
        text = (
            f"{setup.id}: compact {own:.0f} of {rolled:.0f} bytes ({own / rolled:.2f}),"
            f" {less:.0f} of {more:.0f} instructions a block"
        )
        good &= told(own <= rolled / 2 and less < more, text)
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default="docker")
    asked = parser.parse_args()
    with duels.lab(asked.engine) as lab:
        results = [on_i386(lab), on_thumb(lab)]
    sys.exit(int(not all(results)))


if __name__ == "__main__":
    main()
