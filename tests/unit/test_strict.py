"""What our own tests leave out: told with its reason, and a failure with --rig-strict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDS_QEMU = "a_program_that_the_emulator_cannot_load"


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ((), 0, "SKIPPED [2] tests/unit/test_guest.py"),
        (("--rig-strict",), 1, "not installed: qemu-i386 (--rig-strict)"),
    ],
    ids=["plain", "strict"],
)
def test_a_test_without_its_tool_is_told(tmp_path, words, status, told):
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    argv += ["tests/unit/test_guest.py", "-k", NEEDS_QEMU, *words]
    env = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(
        argv, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert told in done.stdout
