"""Zero false alarms: the unusual cores over all targets, compilers and profiles.

Every check on the default matrix; on the other setups those that show what a compiler makes of
a core, since the rest ask the driver, which is the same.
"""

from __future__ import annotations

import pytest
from edits import judge, told
from unusual import NAMES, load, suits

from rig import catalog
from rig.lab import Lab
from rig.verdicts import Verdict

KNOWN = catalog.load()
USUAL = [setup.id for setup in KNOWN.setups()]
OTHERS = [setup.id for setup in KNOWN.all_setups() if setup.id not in USUAL]
QUICK = ("object", "vectors", "memory", "alignment", "compress", "counters", "guards")


@pytest.mark.parametrize("setup", USUAL)
def test_all_checks_pass_on_the_default_matrix(setup: str, rig_lab: Lab) -> None:
    check(rig_lab, setup)


@pytest.mark.parametrize("setup", OTHERS)
def test_all_else_passes_what_shows_the_compiler(setup: str, rig_lab: Lab) -> None:
    check(rig_lab, setup, *QUICK)


def check(lab: Lab, name: str, *checks: str) -> None:
    (setup,) = lab.catalog.setups([name])
    cores = [load(lab, core) for core in NAMES if suits(core, setup)]
    report = judge(lab, cores, [name], *checks)
    assert {cell.verdict for cell in report.cells} == {Verdict.PASS}, told(report)
    assert len(report.cells) == len(cores)
