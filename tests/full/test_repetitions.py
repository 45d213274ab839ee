"""Every exact figure of every cell, twenty times, with every CPU busy."""

from __future__ import annotations

import pytest
from repeating import assert_identical, busy_cpus, traced_again

from rig import catalog
from rig.errors import ImageFault
from rig.model import Cell, Toolchain

SETUPS = [setup.id for setup in catalog.load().setups()]


@pytest.mark.parametrize("name", ["unrolled", "rolled"])
@pytest.mark.parametrize("setup", SETUPS)
def test_twenty_repetitions_on_busy_cpus_give_one_set_of_figures(rig_lab, setup, name):
    (chosen,) = rig_lab.catalog.setups([setup])
    cell = Cell(chosen, rig_lab.catalog.core(name))
    rig_lab.built(cell)
    with busy_cpus():
        assert_identical(rig_lab, cell, 20)


@pytest.mark.parametrize("setup", SETUPS)
def test_two_versions_of_the_emulator_give_one_set_of_figures(rig_lab, setup):
    """One program under bookworm's QEMU 7.2 and trixie's 10.0."""
    (usual,) = rig_lab.catalog.setups([setup])
    target = usual.target.name
    older = Toolchain("gcc", release="bookworm")
    (other,) = rig_lab.catalog.setups([target], None, [older])
    cell = Cell(usual, rig_lab.catalog.core("rolled"))
    try:
        versions = [rig_lab.facts(one).qemu for one in (usual, other)]
    except ImageFault as fault:
        pytest.skip(f"no image of {other.id}: {fault}; .ci/base_image makes its base")
    print(f"{setup}: QEMU {versions}")
    assert versions[0] != versions[1]
    found = [next(traced_again(rig_lab, cell, 1, emulator=one)) for one in (usual, other)]
    assert found[0] == found[1]
