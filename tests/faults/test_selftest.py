"""rig selftest catches three broken cores, and says so when it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from faults import host_reason, rig

from rig import catalog, selftest
from rig.errors import ExitCode, RigError
from rig.report.document import CellReport, Report
from rig.verdicts import Verdict


def test_three_are_caught_and_one_passes_in_containers(client, place):
    ended = rig(place, "selftest")
    assert ended.code == 0, ended.err
    assert ended.out.count("caught ") == 3
    assert ended.out.count("passed ") == 1


def test_the_same_on_this_machine(place):
    if host_reason():
        pytest.skip(host_reason())
    ended = rig(place, "selftest", "--engine", "host", "--on", "x86_64/gcc/user")
    assert ended.code == 0, ended.err
    assert ended.out.count("caught ") == 3


def report(**verdicts: Verdict) -> Report:
    cells = tuple(CellReport("s", name, verdict) for name, verdict in verdicts.items())
    return Report("0", (), "", 1, "engine", True, cells=cells)


RIGHT = {edit.name: edit.wanted for edit in selftest.EDITS} | {"rolled": Verdict.PASS}


def test_a_broken_core_that_passes_is_a_fault_of_rig():
    assert selftest.exit_code(report(**RIGHT)) is ExitCode.GOOD
    for edit in selftest.EDITS:
        found = report(**{**RIGHT, edit.name: Verdict.PASS})
        assert selftest.exit_code(found) is ExitCode.RIG_FAULT
        assert "WRONG" in selftest.render(found)


def test_a_machine_that_fails_is_not_a_fault_of_rig():
    found = report(**{**RIGHT, "trap": Verdict.ENVIRONMENT})
    assert selftest.exit_code(found) is ExitCode.ENVIRONMENT


def test_an_edit_that_no_longer_fits_is_told():
    core = catalog.load().core("rolled")
    for edit in selftest.EDITS:
        assert selftest.broken(core, edit).digest != core.digest
    with pytest.raises(RigError, match="not in rolled once"):
        selftest.broken(core, replace(selftest.EDITS[0], at="nowhere"))
