"""Do work and emulated time have the sign that native time has? Over compilers and levels.

Run by hand: .venv/bin/python benchmarks/agreement.py [--engine host] [--markdown]

A sign is faster or slower, after beside before. Pairs that native time cannot tell apart, or
that were unstable, have none and are not counted. Rolled against unrolled is one algorithm in
two lengths; compact and quick are of another shape than both.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass

import duels

from rig.lab import Lab
from rig.measures.emulated_time import NoTime
from rig.model import Cell, Pair, Setup
from rig.timing import Machine, emulated

TARGETS = ("i386", "x86_64")
COMPILERS = ("gcc", "clang")
LEVELS = ("Os", "O2", "O3")
SAME = (("unrolled", "rolled"),)
OTHER = tuple((old, new) for new in ("compact", "quick") for old in ("unrolled", "rolled"))


@dataclass(frozen=True)
class Row:
    """Ratios above 1 mean that after is ahead: speed, emulated speed, and work saved."""

    setup: str
    pair: tuple[str, str]
    native: float
    sign: int
    verdict: str
    work: float
    emulated: float | None

    def agrees(self, ratio: float | None) -> bool | None:
        """None where there is no sign to agree with."""
        if not self.sign or ratio is None or ratio == 1:
            return None
        return (ratio > 1) == (self.sign > 0)


def row(lab: Lab, machine: Machine, setup: Setup, pair: tuple[str, str]) -> Row:
    before, after = (lab.catalog.core(name) for name in pair)
    timed = duels.duel(lab, machine, setup, before, after)
    work = [duels.figures(lab, Cell(setup, core))["work"].value for core in (before, after)]
    try:
        with lab.store.alone():
            slow = emulated(Pair(setup, before, after), lab).ratio.value
    except NoTime:
        slow = None
    assert timed.verdict is not None
    assert timed.ratio.value is not None
    assert work[0]
    assert work[1]
    sign = duels.SIGNS.get(timed.verdict, 0)
    ratio = work[0] / work[1]
    return Row(setup.id, pair, timed.ratio.value, sign, timed.verdict.value, ratio, slow)


def shown(found: Row, markdown: bool) -> str:
    marks = {True: "", False: " WRONG", None: ""}
    slow = "-" if found.emulated is None else f"{found.emulated:.2f}"
    cells = [
        found.setup,
        " -> ".join(found.pair),
        f"{found.native:.2f} {found.verdict}",
        f"{found.work:.2f}{marks[found.agrees(found.work)]}",
        f"{slow}{marks[found.agrees(found.emulated)]}",
    ]
    if markdown:
        return f"| {' | '.join(cells)} |"
    widths = (18, 22, 24, 12, 12)
    return " ".join(
        text.ljust(width) for text, width in zip(cells, widths, strict=True)
    ).rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default="docker")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)
    with duels.lab(asked.engine) as lab:
        names = [f"{t}/{c}/{level}" for t in TARGETS for c in COMPILERS for level in LEVELS]
        chosen = duels.setups(lab, *names)
        machine = duels.headline(lab, chosen[0])
        print("| setup | pair | native | work saved | emulated |" if asked.markdown else "")
        if asked.markdown:
            print("|---|---|---|---|---|")
        for kind, pairs in (("same shape", SAME), ("other shape", OTHER)):
            for setup in chosen:
                for pair in pairs:
                    found = row(lab, machine, setup, pair)
                    print(shown(found, asked.markdown), flush=True)
                    for name, ratio in (("work", found.work), ("emulated", found.emulated)):
                        if (agrees := found.agrees(ratio)) is not None:
                            counts[kind, name].append(agrees)
    print()
    for (kind, name), all_ in counts.items():
        print(f"{kind}: {name} has the sign of native time in {sum(all_)} of {len(all_)} pairs")


if __name__ == "__main__":
    main()
