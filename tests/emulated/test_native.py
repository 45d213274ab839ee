"""Native time for real: the duel of two cores, on the CPU that runs these tests."""

from __future__ import annotations

import pytest
from edits import LOAD, ORDER, Edit, edited

from rig.events import TimeVerdict
from rig.measures.native_time import LENGTHS, NoTime
from rig.model import Cell, Pair
from rig.runners.native import refusal
from rig.timing import NATIVE, machine_of, native, time_all

IDLES: Edit = (
    LOAD,
    "\t\tfor (volatile int idle = 0; idle < 1000; idle++)\n\t\t\t;\n" + LOAD,
)
"""Counts before each block: some times slower than any core, whatever the machine."""


def pair_of(lab, setup, before, after):
    (chosen,) = lab.catalog.setups([setup], None)
    lab.build([Cell(chosen, before), Cell(chosen, after)])
    return Pair(chosen, before, after)


@pytest.fixture
def machine(rig_lab):
    """The machine, where it executes x86 itself; elsewhere the reason why nothing is timed."""
    (setup,) = rig_lab.catalog.setups(["x86_64/gcc/user"], None)
    found = machine_of(rig_lab, setup)
    reason = refusal(setup.target, found.name, found.cpuinfo)
    if reason:
        pytest.skip(reason)
    return found


@pytest.mark.parametrize("setup", ["i386/gcc/kernel", "x86_64/clang/kernel"])
def test_a_core_that_idles_is_slower_in_every_figure(rig_lab, machine, tmp_path, setup):
    idle = edited(rig_lab, tmp_path, "idle", IDLES)
    pair = pair_of(rig_lab, setup, rig_lab.catalog.core("rolled"), idle)
    with rig_lab.store.alone():
        timed = native(pair, rig_lab, machine)
    assert timed.verdict is TimeVerdict.SLOWER
    assert timed.ratio.high < 0.9
    assert timed.cpu
    figures = {item.name: item for item in timed.figures}
    for name in [f"{length} bytes" for length in LENGTHS]:
        assert figures[name].after.value < figures[name].before.value
    for kind in ("hot", "cold code", "flushed code"):
        block = figures[f"one block, {kind}"]
        assert block.after.value > block.before.value > 0


def test_two_cores_of_different_adapters_duel(rig_lab, machine):
    """Both define blake2b_compress, one of them init, update and final as well."""
    pair = pair_of(
        rig_lab,
        "i386/clang/user",
        rig_lab.catalog.core("unrolled"),
        rig_lab.catalog.core("quick"),
    )
    with rig_lab.store.alone():
        timed = native(pair, rig_lab, machine)
    assert timed.before.value > 0
    assert timed.after.value > 0


def test_a_wrong_core_is_not_timed(rig_lab, machine, tmp_path):
    wrong = edited(rig_lab, tmp_path, "wrong", (ORDER, "m[i] = ~m[i];"))
    pair = pair_of(rig_lab, "x86_64/gcc/user", rig_lab.catalog.core("rolled"), wrong)
    with rig_lab.store.alone(), pytest.raises(NoTime, match="wrong answers in the duel: after"):
        native(pair, rig_lab, machine)


def test_arm_gets_no_speed_figure_on_x86(rig_lab, machine):
    cores = [rig_lab.catalog.core(name) for name in ("unrolled", "rolled")]
    pair = pair_of(rig_lab, "arm32/gcc/user", *cores)
    events = []
    time_all([pair], rig_lab, events.append, [NATIVE])
    (told,) = [event for event in events if event.kind == "pair-timed"]
    assert (told.verdict, told.before.value, told.ratio.value) == (None, None, None)
    assert "no speed figure without arm32 hardware" in told.before.note


def test_an_emulator_in_between_is_found_out(rig_lab, machine):
    """The duel under QEMU answers with QEMU's CPU, whatever /proc/cpuinfo says."""
    from rig.cases import Case
    from rig.duel import duels
    from rig.lab import GUEST_LIMITS
    from rig.measures import native_time
    from rig.runners.native import disguise

    cores = [rig_lab.catalog.core(name) for name in ("unrolled", "rolled")]
    pair = pair_of(rig_lab, "x86_64/gcc/user", *cores)
    ready, facts = rig_lab.ready(pair.setup), rig_lab.facts(pair.setup)
    built = tuple(rig_lab.built(Cell(pair.setup, core)) for core in cores)
    programs = duels(rig_lab.engine, rig_lab.store, rig_lab.catalog, ready, facts, pair, built)

    def below(argv, files):
        """As binfmt_misc would do it, unseen by the script that starts the duel."""
        through = argv[2].replace("./fresh", f"{pair.setup.target.qemu} ./fresh")
        return rig_lab.engine.open(ready, (*argv[:2], through), files, GUEST_LIMITS)

    digest = rig_lab.oracle.answer(Case(native_time.MESSAGE))
    timed = native_time.time_native(below, programs, digest, pairs=3, copies=1)
    assert "QEMU" in timed.cpu
    assert "an emulator" in disguise(timed.cpu, machine.cpuinfo)
