"""Each figure moves when what it measures moves, and not otherwise."""

from __future__ import annotations

import pytest
from edits import Edit, edited
from repeating import assert_identical, busy_cpus

from rig import sources
from rig.judging import measure
from rig.model import Cell

SETUPS = ("i386/gcc/kernel", "arm32/clang/kernel")
ROUND = "\t\t\tconst uint8_t *s = sigma[i];\n"
VARIABLES = "\tint i;\n\n\tdo {\n"

JUMP = """
#ifdef __arm__
	__asm__ volatile("b 1f\\n.skip 64\\n1:");
#else
	__asm__ volatile("jmp 1f\\n.skip 64\\n1:");
#endif
"""
BIGGER: Edit = (VARIABLES, f"{VARIABLES[:-6]}{JUMP}\tdo {{\n")
"""Bytes that are jumped over, once a call."""

LOADS: Edit = (ROUND, ROUND + "\n\t\t\t(void)*(volatile const uint32_t *)m;\n")
"""One load a round that nothing needs."""

DEEPER: Edit = (
    VARIABLES,
    f"\tvolatile uint8_t room[256];\n{VARIABLES[:-6]}\troom[0] = 1;\n\tdo {{\n",
)
"""A frame that is 256 bytes deeper."""

ROUNDS = 12
ALIKE = 0.02
"""An edit moves registers about: figures that should stay may change by so much."""


def figures(lab, setup, core) -> dict[str, float]:
    cell = Cell(setup, core)
    found = (*measure(cell, lab.built(cell), lab), *lab.traced(cell, raw=True))
    return {item.name: item.value for item in found}


@pytest.fixture(params=SETUPS)
def setup(request, rig_lab):
    (found,) = rig_lab.catalog.setups([request.param])
    return found


@pytest.fixture
def rolled(rig_lab, setup) -> dict[str, float]:
    return figures(rig_lab, setup, rig_lab.catalog.core("rolled"))


def test_a_bigger_core_shows_in_its_size(rig_lab, setup, rolled, tmp_path):
    found = figures(rig_lab, setup, edited(rig_lab, tmp_path, "bigger", BIGGER))
    assert found["size"] >= rolled["size"] + 64
    assert found["work"] == pytest.approx(rolled["work"], rel=ALIKE)
    assert abs(found["frame"] - rolled["frame"]) <= 16


def test_a_redundant_load_a_round_shows_in_its_work(rig_lab, setup, rolled, tmp_path):
    found = figures(rig_lab, setup, edited(rig_lab, tmp_path, "loads", LOADS))
    assert found["work"] >= rolled["work"] + ROUNDS - 1  # the compiler may save one elsewhere
    assert found["size"] == pytest.approx(rolled["size"], rel=ALIKE)
    assert abs(found["frame"] - rolled["frame"]) <= 16


def test_a_deeper_frame_shows_in_frame_and_stack(rig_lab, setup, rolled, tmp_path):
    found = figures(rig_lab, setup, edited(rig_lab, tmp_path, "deeper", DEEPER))
    assert found["frame"] >= rolled["frame"] + 256
    assert found["stack"] >= rolled["stack"] + 256
    assert found["gap/unexplained"] == 0


def test_an_equal_core_by_another_name_shows_in_nothing(rig_lab, setup, rolled, tmp_path):
    copy = tmp_path / "renamed.c"
    copy.write_bytes(next(iter(rig_lab.catalog.core("rolled").files.values())))
    core = sources.load(str(copy), rig_lab.catalog)
    assert core.name == "renamed"
    assert figures(rig_lab, setup, core) == rolled


def test_frames_and_stacks_of_the_built_in_cores_leave_no_gap_unexplained(rig_lab, setup):
    for name in ("rolled", "unrolled"):
        assert figures(rig_lab, setup, rig_lab.catalog.core(name))["gap/unexplained"] == 0


def test_repetitions_on_busy_cpus_give_one_set_of_figures(rig_lab):
    (setup,) = rig_lab.catalog.setups(["x86_64/gcc/kernel"])
    cell = Cell(setup, rig_lab.catalog.core("rolled"))
    rig_lab.built(cell)
    with busy_cpus():
        assert_identical(rig_lab, cell, 5)  # tests/full: twenty, of every cell


# -------------------------------------------------------------------- a trace cut short

DIES: Edit = (
    VARIABLES,
    f"{VARIABLES[:-6]}\n\tif (nblocks == 3)\n\t\t*(volatile int *)64 = 1;\n\tdo {{\n",
)
"""The second of the trace's cases has three blocks."""


def test_a_trace_that_a_crash_cuts_short_says_so(rig_lab, setup, tmp_path):
    from rig.judging import traced

    core = edited(rig_lab, tmp_path, "dies", DIES)
    found = {m.name: m for m in traced(Cell(setup, core), rig_lab, frozenset({"compress"}))}
    for name in ("work", "stack"):
        assert found[name].value is None
        assert "The trace was cut short: the emulator ended with signal 11" in found[name].note
