"""Cells of one core that follow each other in one box: what one does is no other's verdict."""

from __future__ import annotations

import pytest
from faults import core, judge

from rig import campaign, lab
from rig.verdicts import Verdict

SETUPS = ("x86_64", "i386")
"""Two cells of a core for each."""


@pytest.fixture
def opened(docker_lab, monkeypatch) -> list[object]:
    """Commands of the boxes in which guests run, two cells a box."""
    found: list[object] = []
    open_box = docker_lab.engine.open

    def noted(ready, argv, files, limits):
        if "guest" in files:
            found.append(argv)
        return open_box(ready, argv, files, limits)

    monkeypatch.setattr(docker_lab.engine, "open", noted)
    monkeypatch.setattr(campaign, "_together", lambda _cells, _jobs: 2)
    return found


def test_right_cells_share_a_box(docker_lab, opened):
    report = judge(docker_lab, [core("good")], SETUPS)
    assert {cell.verdict for cell in report.cells} == {Verdict.PASS}
    assert all(any(c.check == "stepwise" for c in cell.checks) for cell in report.cells)
    assert (len(report.cells), len(opened)) == (4, 2)


@pytest.mark.parametrize("name", ["segfault", "exit0", "wrong"])
def test_each_cell_shows_its_own_fault(docker_lab, opened, name):
    verdict = Verdict.MISMATCH if name == "wrong" else Verdict.GUEST_CRASH
    report = judge(docker_lab, [core(name)], SETUPS)
    assert [cell.verdict for cell in report.cells] == [verdict] * 4


def test_a_program_that_was_spoiled_gets_a_box_of_its_own(docker_lab, opened):
    report = judge(docker_lab, [core("spoil_next")], SETUPS)
    assert [cell.verdict for cell in report.cells] == [Verdict.PASS] * 4
    assert len(opened) == 4


def test_programs_for_which_a_box_has_no_room_get_their_own(docker_lab, opened, monkeypatch):
    monkeypatch.setattr(lab, "_ROOM", 1)
    report = judge(docker_lab, [core("good")], SETUPS)
    assert [cell.verdict for cell in report.cells] == [Verdict.PASS] * 4
    assert len(opened) == 4


def test_cores_keep_to_themselves(docker_lab, opened):
    report = judge(docker_lab, [core("spoil_next"), core("good")], ("x86_64",))
    assert [cell.verdict for cell in report.cells] == [Verdict.PASS] * 4
    assert len(opened) == 3


@pytest.mark.parametrize(
    ("cells", "jobs", "together"), [(12, 2, 2), (11, 2, 1), (12, 8, 1), (200, 2, 4), (1, 1, 1)]
)
def test_no_more_share_a_box_than_leave_work_for_all(cells, jobs, together):
    assert campaign._together(cells, jobs) == together
