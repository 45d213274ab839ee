"""What the benchmarks of time share: a lab of their own, and duels of two cores in it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rig import catalog
from rig.events import PairTimed, TimeVerdict
from rig.lab import Lab, open_engine
from rig.model import Cell, Core, Pair, Setup
from rig.store import Store
from rig.timing import Machine, machine_of, native
from rig.verdicts import Measurement

SIGNS = {TimeVerdict.FASTER: 1, TimeVerdict.SLOWER: -1}
"""Of what native time says; nothing for no difference and for no verdict."""


@contextmanager
def lab(engine: str) -> Iterator[Lab]:
    """With a store that is gone afterwards."""
    known = catalog.load()
    with (
        tempfile.TemporaryDirectory() as folder,
        Lab(
            known, open_engine(engine, known, Path(folder)), Store(Path(folder)), _deaf
        ) as made,
    ):
        yield made


def setups(made: Lab, *names: str) -> list[Setup]:
    return [setup for name in names for setup in made.catalog.setups([name], None)]


def headline(made: Lab, setup: Setup) -> Machine:
    """Prints whose times these are, and how busy the machine is."""
    machine = machine_of(made, setup)
    model = [line for line in machine.cpuinfo.splitlines() if "model name" in line][:1]
    load = os.getloadavg()[0]
    print(f"{''.join(model).partition(':')[2].strip()}, {machine.name}, load {load:.1f}")
    return machine


def duel(made: Lab, machine: Machine, setup: Setup, before: Core, after: Core) -> PairTimed:
    """Native time, alone as in a campaign. Raises NoTime and RigError."""
    made.build([Cell(setup, before), Cell(setup, after)])
    with made.store.alone():
        return native(Pair(setup, before, after), made, machine)


def figures(made: Lab, cell: Cell) -> dict[str, Measurement]:
    """Work, stack and lines of a cell whose guest takes raw states."""
    return {item.name: item for item in made.traced(cell, raw=True)}


def text_of(ratio: Measurement) -> str:
    return f"{ratio.value:.3f} ({ratio.low:.3f}-{ratio.high:.3f})"


def _deaf(_: object) -> None:
    return None
