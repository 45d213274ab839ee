"""No space while building, storing and reporting: told as such, and gone with its cause."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from faults import Process, core, host_reason, judge, rig

from rig.journal import read
from rig.report.document import load
from rig.report.fold import fold
from rig.verdicts import Verdict

ON = ("--on", "x86_64/gcc/user", "--checks", "vectors", "--engine", "host")


@pytest.fixture
def small(tmp_path):
    """Mounts a small disk; its size in KiB is given."""
    mounted: list[Path] = []

    def mount(size: int) -> Path:
        folder = tmp_path / f"disk{len(mounted)}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "small", str(folder)]
        if os.geteuid() != 0 or subprocess.run(command, check=False).returncode != 0:
            pytest.skip("a small disk can be mounted by root alone")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def needs_host() -> None:
    if host_reason():
        pytest.skip(host_reason())


def test_while_building(docker_lab):
    """The box has its own limit; a core beside the one that fills it is built all the same."""
    report = judge(docker_lab, [core("fat"), core("good")], ["x86_64/gcc"])
    fat, good = (report.cell("x86_64/gcc/user", name) for name in ("fat", "good"))
    assert fat.verdict is Verdict.BUILD_FAILED
    assert "No space left on device" in fat.failure.detail
    assert "disk is full" in fat.failure.hint
    assert good.verdict is Verdict.PASS


def test_while_storing(place, small, tmp_path):
    needs_host()
    disk, path = small(400), tmp_path / "report.json"
    words = ("check", "rolled", *ON, "--json", str(path))
    ended = rig(place, *words, RIG_CACHE=str(disk))
    assert ended.code == 3, ended.err
    report = load(path)
    assert report.cells[0].verdict is Verdict.ENVIRONMENT
    assert "the disk is full" in report.cells[0].finding.message
    assert list(disk.glob("store/tmp-*")) == []
    subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
    again = rig(place, *words, RIG_CACHE=str(disk))
    assert again.code == 0, again.err


def test_while_keeping_the_journal(place, small):
    needs_host()
    disk = small(4)
    ended = rig(place, "check", "rolled", *ON, RIG_CACHE=str(disk))
    assert ended.code == 3, ended.err
    assert "No space left on device" in ended.err or "disk is full" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("where", ["file", "device", "stdout"])
def test_while_reporting(place, small, tmp_path, where):
    """What was found is in the journal then, and `rig report` shows it."""
    needs_host()
    words = ["check", "rolled", *ON]
    if where == "file":
        words += ["--json", str(small(4) / "report.json")]
    elif where == "device":
        words += ["--json", "/dev/full"]
    if where == "stdout":
        with open("/dev/full", "wb") as full:
            process = Process(words, place.environ(), stdout=full)
            ended = process.end()
    else:
        ended = rig(place, *words)
    assert ended.code == 3, ended.err
    assert "No space left on device" in ended.err
    assert "--resume goes on from it" in ended.err
    journal = max((place.cache / "runs").glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    assert fold(read(journal)[0]).complete
    journal.unlink()
