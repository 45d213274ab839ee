"""Levels, LTO, Thumb and the sanitiser on the default targets, and messages past 4 GiB."""

from __future__ import annotations

import pytest
from edits import changed, judge, source, told, written

from rig import catalog
from rig.verdicts import Verdict

KNOWN = catalog.load()
DEFAULT = [target.name for target in KNOWN.targets.values() if target.default]
LEVELS = [name for name in KNOWN.profiles if name not in ("kernel", "user")]


@pytest.mark.parametrize("target", DEFAULT)
def test_built_in_cores_are_right_at_every_level(rig_lab, target):
    cores = [rig_lab.catalog.core(name) for name in ("rolled", "unrolled")]
    report = judge(rig_lab, cores, [f"{target}/*/*[!lr]", f"{target}/*/lto"])
    levels = {cell.setup.split("/")[2] for cell in report.cells} - {"kernel", "user"}
    assert levels == set(LEVELS) - (set() if target == "arm32" else {"thumb"})
    assert {cell.verdict for cell in report.cells} == {Verdict.PASS}, told(report)


def test_a_long_message_is_hashed_right(rig_lab):
    cores = [rig_lab.catalog.core("rolled")]
    report = judge(rig_lab, cores, ["x86_64/gcc/user"], "long", long=True)
    (cell,) = report.cells
    assert cell.verdict is Verdict.PASS, told(report)
    (asked,) = (check for check in cell.checks if check.check == "long")
    assert sum(finding.tried for finding in asked.findings) == 10


def test_a_length_of_32_bits_is_found_past_4_gib(rig_lab, tmp_path):
    """An update whose length is too short for a size_t passes everything that is shorter."""
    edit = (
        "void blake2b_update(struct blake2b_state *state, const void *in, size_t inlen)\n{\n",
    )
    around = changed(
        source(rig_lab, "blake2b.c"),
        (edit[0], f"{edit[0]}\tinlen = (uint32_t)inlen;\n\n"),
        ("iv[8] = {", "around_iv[8] = {"),
        ("state->h[i] = iv[i];", "state->h[i] = around_iv[i];"),
    )
    core = written(rig_lab, tmp_path, "short", f"{source(rig_lab, 'cores/rolled.c')}\n{around}")
    setup = ["x86_64/gcc/user"]
    report = judge(rig_lab, [core], setup, "long")
    assert report.cells[0].verdict is Verdict.PASS, told(report)
    report = judge(rig_lab, [core], setup, "long", long=True)
    assert report.cells[0].verdict is Verdict.MISMATCH, told(report)
    assert report.cells[0].finding.case.endswith("map=4097")


def test_a_count_of_blocks_of_16_bits_is_found_at_9_mib(rig_lab, tmp_path):
    loop = "} while (--nblocks);"
    text = changed(source(rig_lab, "cores/rolled.c"), (loop, "} while ((uint16_t)--nblocks);"))
    core = written(rig_lab, tmp_path, "counts", text)
    report = judge(rig_lab, [core], ["x86_64/gcc/user"], "long")
    assert report.cells[0].verdict is Verdict.PASS, told(report)
    report = judge(rig_lab, [core], ["x86_64/gcc/user"], "long", long=True)
    assert report.cells[0].verdict is Verdict.MISMATCH, told(report)
    assert report.cells[0].finding.case.endswith("map=9")
