"""Which items xdist's workers get together."""

from __future__ import annotations

import pytest

from rig.pytest_xdist import cell_in, whole


@pytest.mark.parametrize(
    ("nodeid", "cell"),
    [
        ("t.py::test_a[i386/gcc/kernel/rolled-vectors]", "i386/gcc/kernel/rolled"),
        ("t.py::test_b[i386/gcc/kernel/rolled]", "i386/gcc/kernel/rolled"),
        ("d/t.py::T::test_a[arm32/sid/gcc-15/user/mine-x]", "arm32/sid/gcc-15/user/mine"),
        ("t.py::test_a[i386/gcc/kernel/my-core-vectors]", "i386/gcc/kernel/my"),
        ("t.py::test_a[i386/gcc/kernel/my-core]", "i386/gcc/kernel/my"),
    ],
)
def test_items_of_a_cell_have_its_id_in_common(nodeid, cell):
    assert cell_in(nodeid) == cell


@pytest.mark.parametrize("nodeid", ["t.py::test_a", "a/b/c/d.py::test_a[1-2]", "t.py::t[a/b]"])
def test_an_item_without_a_cell_stands_alone(nodeid):
    assert cell_in(nodeid) == nodeid


ITEMS = [
    *(f"t.py::test_a[i386/gcc/kernel/one-{n}]" for n in range(4)),
    *(f"t.py::test_a[i386/gcc/kernel/two-{n}]" for n in range(4)),
    "t.py::test_b",
    "t.py::test_c",
]


@pytest.mark.parametrize(
    ("due", "given"), [(0, 0), (1, 4), (4, 4), (5, 8), (8, 8), (9, 9), (10, 10), (99, 99)]
)
def test_no_cell_is_cut_in_two(due, given):
    assert whole(ITEMS, range(len(ITEMS)), due) == given


def test_what_is_left_of_a_cell_goes_together():
    """After a worker died, what it had not done comes last and out of order."""
    assert whole(ITEMS, [9, 1, 3, 6], 2) == 3
