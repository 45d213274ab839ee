"""Correct but unusual cores PASS: each on one default setup here, on all in tests/full."""

from __future__ import annotations

import pytest
from edits import judge, told
from unusual import NAMES, load

from rig import catalog
from rig.lab import Lab
from rig.report.document import CellReport
from rig.verdicts import Verdict

SETUPS = [setup.id for setup in catalog.load().setups()]


def place(name: str) -> str:
    """A setup for each core, all setups in turn."""
    return SETUPS[NAMES.index(name) % len(SETUPS)]


@pytest.fixture(scope="module")
def cells(rig_lab: Lab) -> dict[str, CellReport]:
    found: dict[str, CellReport] = {}
    for setup in SETUPS:
        cores = [load(rig_lab, name) for name in NAMES if place(name) == setup]
        report = judge(rig_lab, cores, [setup])
        found |= {cell.core: cell for cell in report.cells}
    return found


def test_there_are_at_least_twelve() -> None:
    assert len(NAMES) >= 12


@pytest.mark.parametrize("name", NAMES)
def test_an_unusual_core_passes(name: str, cells: dict[str, CellReport]) -> None:
    cell = cells[name]
    assert cell.verdict is Verdict.PASS, f"{cell.finding} {cell.failure} {cell.diagnosis}"
    assert cell.tried > 10_000


@pytest.mark.parametrize("name", ["sigma_modulo_12", "aliased_clear"])
def test_a_reported_case_passes_on_every_default_setup(name: str, rig_lab: Lab) -> None:
    """CASES C16 and C13: what looks wrong, and is not."""
    report = judge(rig_lab, [load(rig_lab, name)], SETUPS, "vectors", "memory", "compress")
    assert {cell.verdict for cell in report.cells} == {Verdict.PASS}, told(report)
    assert len(report.cells) == len(SETUPS)
