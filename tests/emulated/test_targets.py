"""What one more target, level or sanitiser shows that the default matrix does not."""

from __future__ import annotations

import pytest
from edits import (
    CASTS,
    FORGETS_ORDER,
    MISALIGNED,
    SEGFAULTS,
    THREE_BYTES,
    WRONG_WHEN_OPTIMISED,
    edited,
    judge,
    line_of,
    told,
)

from rig.verdicts import Verdict

SOME = ("object", "vectors", "compress", "guards")


def test_big_endian_arm_is_right_without_a_c_library(rig_lab):
    setups = ["armeb32/*/kernel", "armeb32/*/user"]
    report = judge(rig_lab, [rig_lab.catalog.core("rolled")], setups, *SOME)
    assert {cell.verdict for cell in report.cells} == {Verdict.PASS}, told(report)
    assert len(report.cells) == 4


def test_a_core_that_forgets_byte_order_is_wrong_on_big_endian_alone(rig_lab, tmp_path):
    core = edited(rig_lab, tmp_path, "order", FORGETS_ORDER)
    report = judge(rig_lab, [core], ["armeb32/*/user", "i386/*/user"], "vectors")
    verdicts = {cell.setup: cell.verdict for cell in report.cells}
    assert verdicts == {
        "i386/gcc/user": Verdict.PASS,
        "i386/clang/user": Verdict.PASS,
        "armeb32/gcc/user": Verdict.MISMATCH,
        "armeb32/clang/user": Verdict.MISMATCH,
    }, told(report)
    assert report.across == {"order": ("wrong only on big-endian targets",)}
    said = "the bytes of each message word are reversed when it is loaded"
    assert all(said in cell.diagnosis for cell in report.cells if "armeb" in cell.setup)


@pytest.mark.parametrize("target", ["i386", "armeb32"])
def test_undefined_behaviour_traps_at_its_line(rig_lab, tmp_path, target):
    core = edited(rig_lab, tmp_path, "cast", CASTS)
    report = judge(rig_lab, [core], [f"{target}/*/ubsan"], case=MISALIGNED)
    place = f"at cast.c:{line_of(core, 'const uint64_t *)blocks')}, in blake2b_compress"
    assert len(report.cells) == 2
    for cell in report.cells:
        assert cell.verdict is Verdict.GUEST_CRASH, told(report)
        assert place in cell.finding.got


@pytest.mark.parametrize("target", ["arm32", "x86_64"])
def test_a_crash_is_told_with_its_line(rig_lab, tmp_path, target):
    core = edited(rig_lab, tmp_path, "segv", SEGFAULTS)
    report = judge(rig_lab, [core], [f"{target}/*/user"], case=THREE_BYTES)
    place = f"SIGSEGV in the guest; at segv.c:{line_of(core, '*(volatile int *)64')}, in "
    assert len(report.cells) == 2
    for cell in report.cells:
        assert cell.verdict is Verdict.GUEST_CRASH, told(report)
        assert place in cell.finding.got


def test_under_lto_a_core_is_judged_and_not_measured(rig_lab):
    report = judge(rig_lab, [rig_lab.catalog.core("rolled")], ["i386/*/lto"], *SOME)
    assert len(report.cells) == 2
    for cell in report.cells:
        assert cell.verdict is Verdict.PASS, told(report)
        figures = {figure.name: figure for figure in cell.measurements}
        assert figures["size"].value is None
        assert "LTO" in figures["size"].note


def test_a_core_that_is_right_at_one_level_alone_is_said_to_be(rig_lab, tmp_path):
    core = edited(rig_lab, tmp_path, "level", WRONG_WHEN_OPTIMISED)
    report = judge(rig_lab, [core], ["i386/gcc/O[012]"], "vectors")
    assert report.across == {
        "level": ("wrong under profile O1, O2, right under profile O0",)
    }, told(report)
