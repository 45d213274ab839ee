"""The matrix, for real: every check of every built-in core on every default target, by each of
its compilers, with the kernel's flags and with a library's.
"""

from __future__ import annotations

import hashlib

import pytest

from rig.catalog import load

TARGETS = [name for name, target in load().targets.items() if target.default]

pytestmark = pytest.mark.rig_on(
    *(f"{target}/*/{profile}" for target in TARGETS for profile in ("kernel", "user"))
)


def test_core(rig_check):
    """One item a check and cell; what it says is in docs/checks and `rig list checks`."""
    rig_check.require()


def test_object_is_measured(rig_cell):
    size = rig_cell.measurements["size"]
    assert size.exact
    assert size.value is not None
    assert size.value > 400


def test_guest_hashes(rig_guest):
    assert rig_guest.hash(b"abc") == hashlib.blake2b(b"abc").digest()
    keyed = hashlib.blake2b(b"abc" * 100, digest_size=20, key=b"k").digest()
    assert rig_guest.hash(b"abc" * 100, digest_size=20, key=b"k", cut=(1, 128)) == keyed
