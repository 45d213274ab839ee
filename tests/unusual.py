"""The correct but unusual cores of tests/cores, which nothing may call wrong."""

from __future__ import annotations

from pathlib import Path

from rig import sources
from rig.lab import Lab
from rig.model import Core, Setup

FOLDER = Path(__file__).parent / "cores"
NAMES = sorted(path.stem for path in FOLDER.glob("*.c"))

STRICT = ("aliased_clear",)
"""Right only under -fno-strict-aliasing, as the kernel builds (CASES C13)."""


def load(lab: Lab, name: str) -> Core:
    return sources.load(str(FOLDER / f"{name}.c"), lab.catalog)


def suits(name: str, setup: Setup) -> bool:
    """Whether the C of a core is defined under the flags of a setup."""
    flags = setup.flags.core.of(setup.toolchain.family)
    return name not in STRICT or "-fno-strict-aliasing" in flags
