"""Every exact figure of every cell, twenty times, with every CPU busy."""

from __future__ import annotations

import pytest
from repeating import assert_identical, busy_cpus

from rig import catalog
from rig.model import Cell

SETUPS = [setup.id for setup in catalog.load().setups()]


@pytest.mark.parametrize("name", ["unrolled", "rolled"])
@pytest.mark.parametrize("setup", SETUPS)
def test_twenty_repetitions_on_busy_cpus_give_one_set_of_figures(rig_lab, setup, name):
    (chosen,) = rig_lab.catalog.setups([setup])
    cell = Cell(chosen, rig_lab.catalog.core(name))
    rig_lab.built(cell)
    with busy_cpus():
        assert_identical(rig_lab, cell, 20)
