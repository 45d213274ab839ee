"""Every target beyond the default matrix, both profiles, both compilers where there are two."""

from __future__ import annotations

import pytest
from edits import (
    CASTS,
    FORGETS_ORDER,
    MISALIGNED,
    SEGFAULTS,
    THREE_BYTES,
    edited,
    judge,
    line_of,
    told,
)

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


@pytest.mark.parametrize("target", KNOWN.targets)
def test_traps_and_crashes_are_told_with_their_lines(rig_lab, tmp_path, target):
    cast = edited(rig_lab, tmp_path, "cast", CASTS)
    segv = edited(rig_lab, tmp_path, "segv", SEGFAULTS)
    for core, case, culprit in (
        (cast, MISALIGNED, "const uint64_t *)blocks"),
        (segv, THREE_BYTES, "*(volatile int *)64"),
    ):
        report = judge(rig_lab, [core], [f"{target}/*/ubsan"], case=case)
        for cell in report.cells:
            assert cell.verdict is Verdict.GUEST_CRASH, told(report)
            assert f"at {core.name}.c:{line_of(core, culprit)}, in " in cell.finding.got
