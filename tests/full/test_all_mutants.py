"""Every mutant, on the union of four targets, by rig's checks and by those that others use."""

from __future__ import annotations

import pytest

from rig.lab import Lab
from rig.mutants import Shows
from rig.mutants.hunting import TARGETS, Hunt, default_setups, hunt
from rig.mutants.reading import load_mutants
from rig.mutants.suites import suites
from rig.mutants.telling import compared, told


@pytest.fixture(scope="module")
def found(rig_lab: Lab) -> Hunt:
    setups = default_setups(rig_lab.catalog)
    assert [setup.target.name for setup in setups] == list(TARGETS)
    result = hunt(rig_lab, setups, load_mutants(), list(suites().values()), print)
    print(told(result, "rig"))
    print(compared(result))
    return result


def test_all_were_judged(found: Hunt) -> None:
    assert found.troubles == {}


def test_no_fault_survives(found: Hunt) -> None:
    assert [mutant.name for mutant in found.survivors("rig")] == []


def test_what_is_argued_equivalent_is_killed_nowhere(found: Hunt) -> None:
    assert [mutant.name for mutant in found.wrongly_equivalent()] == []


def test_faults_show_where_they_are_said_to(found: Hunt) -> None:
    wrong = []
    for mutant in found.mutants:
        kill = found.kills.get((mutant.name, "rig"))
        if kill is None:
            continue
        target = kill.setup.target
        holds = {
            Shows.EVERYWHERE: target.name == TARGETS[0],
            Shows.BITS_32: target.bits == 32,
            Shows.BIG_ENDIAN: target.byte_order.value == "big",
            Shows.SOMEWHERE: True,
        }
        if not holds[mutant.shows]:
            wrong.append(f"{mutant.name}: {mutant.shows}, killed on {target.name}")
    assert wrong == []


@pytest.mark.parametrize("suite", [name for name in suites() if name != "rig"])
def test_other_tests_let_faults_live(suite: str, found: Hunt) -> None:
    """Else these checks would be no better, and this campaign would prove nothing."""
    assert len(found.survivors(suite)) > 10
