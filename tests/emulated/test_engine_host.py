"""The host engine keeps what every engine promises."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from engine_contract import LIMITS, EngineContract, read_all

from rig.engines.host import HostEngine
from rig.errors import ToolchainMissing
from rig.model import ImageSpec


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """An engine whose boxes lie in a folder of the test's own, empty at the end."""
    boxes = tmp_path / "boxes"
    boxes.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(boxes))
    engine = HostEngine()
    yield engine
    engine.close()
    assert list(boxes.iterdir()) == []


@pytest.fixture
def ready(engine):
    return engine.prepare(ImageSpec("any"), print)


class TestHostEngine(EngineContract):
    # The session's first process is the box's; field 6 of a process's stat names it.
    end_box = "kill -9 $(cut -d' ' -f6 /proc/self/stat)"

    def test_helpers_of_a_program_end_with_it(self, engine, ready):
        channel = engine.open(ready, ["sh", "-c", "sleep 1000 & echo $!; wait"], {}, LIMITS)
        helper = int(channel.read(100, 10))
        channel.close()
        assert ends(helper)

    def test_a_killed_rig_leaves_no_process_and_no_folder(self, ready, tmp_path):
        script = (
            "import time; from rig.engines.host import HostEngine; from rig.model import *\n"
            "e = HostEngine(); r = Ready(ImageSpec('any'), 'host', 'x')\n"
            "c = e.open(r, ['sh', '-c', 'echo $$; while :; do :; done'], {}, Limits())\n"
            "print(c.read(100, 10).decode(), flush=True); time.sleep(1000)"
        )
        rig = subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            env=os.environ | {"TMPDIR": str(tmp_path)},
        )
        guest = int(rig.stdout.readline())
        assert alive(guest)
        rig.send_signal(signal.SIGKILL)
        rig.wait()
        rig.stdout.close()
        assert ends(guest)
        assert list(tmp_path.glob("rig-box-*")) == []

    def test_a_missing_tool_is_named(self, engine, monkeypatch, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(ToolchainMissing, match="flock"):
            engine.prepare(ImageSpec("any"), print)

    def test_another_compiler_is_another_place(self, engine, ready, monkeypatch, tmp_path):
        (tmp_path / "i686-linux-gnu-gcc").write_text("")
        monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tmp_path}")
        assert engine.prepare(ImageSpec("any"), print).id != ready.id

    def test_the_environment_is_small(self, engine, ready, monkeypatch):
        monkeypatch.setenv("SECRET", "x")
        channel = engine.open(ready, ["env"], {}, LIMITS)
        names = {line.split(b"=")[0] for line in read_all(channel).splitlines()}
        channel.close()
        assert names <= {
            b"PATH",
            b"HOME",
            b"TMPDIR",
            b"LC_ALL",
            b"PWD",
            b"SHLVL",
            b"_",
            b"OLDPWD",
        }


def alive(number: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def ends(number: int) -> bool:
    """Whether a process ends within some seconds."""
    for _ in range(200):
        if not alive(number):
            return True
        time.sleep(0.05)
    return False
