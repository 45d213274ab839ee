"""Whether what a core executes depends on its data: real traces, and cores that leak it."""

from __future__ import annotations

import pytest
from edits import LOAD, Edit, edited, line_of

from rig import campaign
from rig.report.fold import fold
from rig.verdicts import Verdict

INPUTS = 27
"""Nine kinds of data: as message and key, as a key alone, as state and block."""

SKIPS: Edit = (
    LOAD,
    f'{LOAD}\t\tif (m[15] == 0)\n\t\t\t__asm__ volatile("nop");\n',
)
"""One instruction more for blocks that end in a zero word; every digest stays right."""


def observed(lab, core, setups):
    """(verdict, the finding's text) of each setup, with one cheap check beside it."""
    chosen = tuple(lab.catalog.setups(setups, None))
    plan = campaign.Plan("check", (core,), chosen, checks=("object",), constant_time=True)
    events = []
    campaign.run(plan, lab, events.append)
    report = fold(events)
    found = {}
    for cell in report.cells:
        (check,) = [one for one in cell.checks if one.check == "constant-time"]
        (finding,) = check.findings
        found[cell.setup] = (cell.verdict, finding)
    return found


@pytest.mark.parametrize("name", ["rolled", "unrolled", "compact", "quick"])
def test_built_in_cores_execute_the_same_for_all_data(rig_lab, name):
    setups = ["i386/*/kernel", "arm32/*/kernel", "x86_64/*/kernel"]
    found = observed(rig_lab, rig_lab.catalog.core(name), setups)
    assert len(found) == 6
    for setup, (verdict, finding) in found.items():
        assert (verdict, finding.message) == (
            Verdict.PASS,
            f"no variation observed ({INPUTS} inputs)",
        ), setup
        assert "constant time" not in finding.message


def test_a_branch_on_the_message_is_told_with_its_line(rig_lab, tmp_path):
    core = edited(rig_lab, tmp_path, "skips", SKIPS)
    found = observed(rig_lab, core, ["i386/*/user", "arm32/*/user"])
    assert len(found) == 4
    line = line_of(core, "if (m[15] == 0)")
    for setup, (verdict, finding) in found.items():
        assert verdict is Verdict.DATA_DEPENDENT, (setup, finding)
        assert finding.case.startswith("hash ")
        assert "instructions depend on data after blake2b_compress+0x" in finding.message
        near = [f"skips.c:{number} " for number in (line - 1, line, line + 1)]
        assert any(place in finding.message for place in near), finding.message
