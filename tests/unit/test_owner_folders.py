"""Folders that a killed rig could not remove are swept; those of the living stay."""

from __future__ import annotations

import subprocess
import sys
import tempfile

from rig.engines.host import sweep_folders

MAKE = """
import tempfile
from pathlib import Path
from rig.engines.host import _PREFIX, _SLASH, owner
print(tempfile.mkdtemp(prefix=f"{_PREFIX}{owner().replace('/', _SLASH)}-", dir=%r), flush=True)
input()
"""


def test_only_folders_of_the_dead_go(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "rig-box-of-somebody-else").mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", MAKE % str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as maker:
        assert maker.stdout is not None
        made = maker.stdout.readline().strip()
        assert sweep_folders() == 0
        maker.kill()
        maker.wait()
    assert sweep_folders() == 1
    left = [str(path) for path in tmp_path.iterdir()]
    assert made not in left
    assert len(left) == 1
