"""Every target beyond the default matrix, both profiles, both compilers where there are two."""

from __future__ import annotations

import pytest
from edits import CASTS, FORGETS_ORDER, SEGFAULTS, edited, judge, line_of, told

from rig import catalog
from rig.model import ByteOrder
from rig.verdicts import Verdict

KNOWN = catalog.load()
FURTHER = [target.name for target in KNOWN.targets.values() if not target.default]


@pytest.mark.parametrize("target", FURTHER)
def test_built_in_cores_are_right(rig_lab, target):
    cores = [rig_lab.catalog.core(name) for name in ("rolled", "unrolled")]
    report = judge(rig_lab, cores, [f"{target}/*/kernel", f"{target}/*/user"])
    compilers = len(rig_lab.catalog.targets[target].compilers)
    assert len(report.cells) == 2 * 2 * compilers
    assert {cell.verdict for cell in report.cells} == {Verdict.PASS}, told(report)


def test_a_core_that_forgets_byte_order_is_wrong_on_every_big_endian_target(rig_lab, tmp_path):
    core = edited(rig_lab, tmp_path, "order", FORGETS_ORDER)
    report = judge(rig_lab, [core], ["*/gcc/user"], "vectors")
    wrong = {c.setup.split("/")[0] for c in report.cells if c.verdict is Verdict.MISMATCH}
    right = {c.setup.split("/")[0] for c in report.cells if c.verdict is Verdict.PASS}
    big = {t.name for t in KNOWN.targets.values() if t.byte_order is ByteOrder.BIG}
    assert wrong == big, told(report)
    assert right == set(KNOWN.targets) - big
    assert report.across == {"order": ("wrong only on big-endian targets",)}


@pytest.mark.parametrize("target", FURTHER)
def test_traps_and_crashes_are_told_with_their_lines(rig_lab, tmp_path, target):
    cast = edited(rig_lab, tmp_path, "cast", CASTS)
    segv = edited(rig_lab, tmp_path, "segv", SEGFAULTS)
    report = judge(rig_lab, [cast, segv], [f"{target}/*/ubsan"], "vectors", "alignment")
    lines = {
        "cast": line_of(cast, "const uint64_t *)blocks"),
        "segv": line_of(segv, "*(volatile int *)64"),
    }
    for cell in report.cells:
        assert cell.verdict is Verdict.GUEST_CRASH, told(report)
        assert f"at {cell.core}.c:{lines[cell.core]}, in " in cell.finding.got
