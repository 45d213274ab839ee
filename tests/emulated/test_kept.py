"""What the store has costs neither a box nor a wait."""

from __future__ import annotations

import pytest


@pytest.mark.rig_on("x86_64/gcc")
def test_a_kept_cell_is_taken_without_lock_or_box(rig_lab, rig_cell, monkeypatch):
    def never(*_arguments: object) -> None:
        raise AssertionError("needed")

    assert rig_cell.built
    monkeypatch.setattr(rig_lab.store, "locked", never)
    monkeypatch.setattr(rig_lab.engine, "open", never)
    rig_lab.forget(rig_cell.cell)
    assert rig_lab.built(rig_cell.cell).reused
