"""A core beside itself, twenty times, on this machine as it is and on a busy one.

Whatever is told apart there is a false winner. There is none, ever; and at least 19 of 20 are
"indistinguishable", the rest "unstable".
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from rig.events import TimeVerdict
from rig.model import Cell, Pair
from rig.runners.native import refusal
from rig.timing import machine_of, native

ROUNDS = 20
BUSY = "while True: sum(range(100000))"


@pytest.fixture
def others(request):
    """So many processes for each CPU that want it for themselves."""
    count = request.param * len(os.sched_getaffinity(0))
    started = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    yield
    for one in started:
        one.kill()
        one.wait()


@pytest.mark.parametrize("others", [0, 2], indirect=True, ids=["as it is", "busy"])
@pytest.mark.parametrize("name", ["unrolled", "rolled"])
def test_a_core_beside_itself_has_no_winner(lab, others, name):
    (setup,) = lab.catalog.setups(["i386/gcc/user"], None)
    machine = machine_of(lab, setup)
    reason = refusal(setup.target, machine.name, machine.cpuinfo)
    if reason:
        pytest.skip(reason)
    core = lab.catalog.core(name)
    again = replace(core, name=f"{name}-again")
    lab.build([Cell(setup, core), Cell(setup, again)])
    counts: Counter[TimeVerdict] = Counter()
    with lab.store.alone():
        for _ in range(ROUNDS):
            timed = native(Pair(setup, core, again), lab, machine)
            counts[timed.verdict] += 1
    assert counts[TimeVerdict.FASTER] == counts[TimeVerdict.SLOWER] == 0, counts
    assert counts[TimeVerdict.INDISTINGUISHABLE] >= 19, counts
