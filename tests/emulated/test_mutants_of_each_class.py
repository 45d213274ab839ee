"""One fault of each class is found, where it should show; `make test-full` holds them all."""

from __future__ import annotations

import pytest

from rig import catalog
from rig.lab import Lab
from rig.mutants import Mutant, Shows
from rig.mutants.hunting import Hunt, default_setups, hunt
from rig.mutants.reading import load_mutants
from rig.mutants.suites import suites

SETUPS = {setup.target.name: setup for setup in default_setups(catalog.load())}


def one_of_each() -> dict[str, Mutant]:
    """The last of each class that any target shows; of `width`, one that 32 bits show."""
    chosen: dict[str, Mutant] = {}
    for mutant in load_mutants():
        wanted = Shows.BITS_32 if mutant.kind == "width" else Shows.EVERYWHERE
        if mutant.shows is wanted and not mutant.equivalent:
            chosen[mutant.kind] = mutant
    return chosen


CHOSEN = one_of_each()


@pytest.fixture(scope="module")
def found(rig_lab: Lab) -> Hunt:
    setups = [SETUPS["x86_64"], SETUPS["i386"]]
    return hunt(rig_lab, setups, list(CHOSEN.values()), [suites()["rig"]], print)


def test_every_class_is_here() -> None:
    assert set(CHOSEN) == {mutant.kind for mutant in load_mutants()}


@pytest.mark.parametrize("kind", CHOSEN)
def test_a_fault_is_killed_where_it_should_show(kind: str, found: Hunt) -> None:
    mutant = CHOSEN[kind]
    assert mutant.name not in found.troubles, found.troubles[mutant.name]
    kill = found.kills.get((mutant.name, "rig"))
    assert kill is not None, f"{mutant.name} survives: {mutant.edit}"
    assert kill.setup.target.name == ("i386" if kind == "width" else "x86_64")
