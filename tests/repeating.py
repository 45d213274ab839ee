"""The same figures again and again, with every CPU busy."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rig.build import LIMITS
from rig.engines import box
from rig.lab import GUEST_LIMITS, Lab
from rig.measures import frame, size
from rig.measures.traced import measure as trace
from rig.model import Cell, Job, Setup
from rig.runners.qemu_user import QemuUser
from rig.trace import Emulator, qemu_version

Figures = dict[str, float | None]
COMPILED = ("core.o", "core.su")


@contextmanager
def busy_cpus() -> Iterator[None]:
    """A loop without end on each CPU that this process may use, at the same priority."""
    loops = [
        subprocess.Popen(["sh", "-c", "while :; do :; done"])
        for _ in range(len(os.sched_getaffinity(0)))
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def compiled_again(lab: Lab, cell: Cell, times: int) -> Iterator[Figures]:
    """Sizes and frames of so many compilations; the store is not asked."""
    command, files = lab.built(cell).command, cell.core.files
    jobs = [Job(f"again{number}", command, files, COMPILED) for number in range(times)]
    shared = lab.catalog.guest_files
    for done in box.run(lab.engine, lab.ready(cell.setup), [jobs], shared, LIMITS, 2):
        assert done.code == 0, done.stderr
        found = size.of(done.outputs["core.o"], cell.core.symbol)
        found += frame.of(done.outputs["core.su"], cell.core.symbol)
        yield {item.name: item.value for item in found}


def traced_again(
    lab: Lab, cell: Cell, times: int, emulator: Setup | None = None
) -> Iterator[Figures]:
    """What so many traces give; the store is not asked.

    emulator: the setup whose image runs the program, by default the cell's own.
    """
    place = emulator or cell.setup
    ready, program = lab.ready(place), lab.built(cell).program
    argv = QemuUser(place.target).argv("guest")[:-1]
    qemu = Emulator(argv, qemu_version(lab.facts(place).qemu))

    def open_channel(argv: Sequence[str], files: dict[str, bytes]) -> object:
        return lab.engine.open(ready, argv, files, GUEST_LIMITS)

    for _ in range(times):
        found = trace(open_channel, qemu, program, cell.core.symbol)
        assert found.stable
        yield {item.name: item.value for item in found.measurements}


def assert_identical(lab: Lab, cell: Cell, times: int) -> None:
    """Every exact figure, each time the same."""
    for takes in (compiled_again(lab, cell, times), traced_again(lab, cell, times)):
        first, *others = list(takes)
        assert len(others) == times - 1
        assert None not in first.values(), f"{cell.id}: {first}"
        for other in others:
            assert other == first, cell.id
