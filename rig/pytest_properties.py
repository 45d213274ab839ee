"""What items tell of themselves: properties of their reports, for JUnit and for the summary.

All text is printable ASCII, so any terminal and any XML can take it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rig.report.layout import clean

if TYPE_CHECKING:
    from rig.pytest_support import CellUnderTest

FIGURES = ("size", "frame", "stack", "work")
"""Of a cell, those that its items tell."""


def describe(item: pytest.Item, when: str) -> None:
    """Adds properties: what the item is about, and after it ran, what was measured."""
    from rig.pytest_matrix import cell_of, params_of  # noqa: PLC0415 - only where items run

    found = cell_of(item)
    if found is None:
        return
    if when == "setup":
        core = found.id.removeprefix(f"{found.setup.id}/")
        _add(item, "setup", found.setup.id)
        _add(item, "core", core)
        check = params_of(item).get("rig_check")
        if check is not None:
            _add(item, "check", check.name)
    elif when == "call":
        cell = getattr(item, "funcargs", {}).get("rig_cell")
        if cell is not None and cell.is_built:
            _describe_built(item, cell)


def _describe_built(item: pytest.Item, cell: CellUnderTest) -> None:
    facts = cell.lab.facts(cell.cell.setup)
    _add(item, "engine", cell.engine)
    _add(item, "compiler", f"{facts.toolchain.family} {facts.version}")
    _add(item, "qemu", facts.qemu)
    _add(item, "image", facts.image)
    _add(item, "reused", "yes" if cell.built.reused else "no")
    for figure in cell.measured.values():
        if figure.name in FIGURES and figure.value is not None:
            _add(item, figure.name, f"{figure.value:.12g}")


def _add(item: pytest.Item, name: str, value: str) -> None:
    item.user_properties.append((f"rig.{name}", clean(value)))
