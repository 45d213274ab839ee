"""rig doctor tells causes apart; the engines here are sockets that behave so."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from rig import catalog, doctor
from rig.doctor import Line, State
from rig.engines import connect
from rig.engines.host import TOOLS
from rig.errors import ExitCode


@pytest.fixture
def lines(monkeypatch, tmp_path):
    """The lines of an examination with this engine, by what they are about."""

    def examine(address: str, engine: str = "docker") -> dict[str, Line]:
        monkeypatch.setenv("DOCKER_HOST", address)
        monkeypatch.setenv("RIG_CACHE", str(tmp_path / "cache"))
        known = catalog.load()
        return {line.what: line for line in doctor.examine(engine, known, known.setups())}

    return examine


@contextmanager
def listening(path, answer: bytes | None):
    """An engine that answers everything alike, or accepts and is silent."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        held = []
        while True:
            try:
                peer, _ = server.accept()
            except OSError:
                return
            held.append(peer)
            if answer is not None:
                peer.recv(65536)
                peer.sendall(answer)
                peer.close()

    threading.Thread(target=serve, daemon=True).start()
    yield f"unix://{path}"
    server.close()


def http(body: object) -> bytes:
    text = json.dumps(body).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(text)}"
    return head.encode() + b"\r\nConnection: close\r\n\r\n" + text


def test_an_absent_engine_names_the_path(lines, tmp_path):
    line = lines(f"unix://{tmp_path}/none")["engine"]
    assert (line.state, f"{tmp_path}/none" in line.found) == (State.BAD, True)
    assert "listens" in line.found
    assert line.advice


def test_an_old_engine_gives_both_versions(lines, tmp_path):
    with listening(tmp_path / "s", http({"ApiVersion": "1.35", "Version": "17"})) as address:
        line = lines(address)["engine"]
    assert line.state is State.BAD
    assert "1.35" in line.found
    assert connect.MINIMUM_API in line.found


def test_a_silent_engine_is_told_from_an_absent_one(lines, tmp_path, monkeypatch):
    monkeypatch.setattr(connect, "PROBE_SECONDS", 0.3)
    monkeypatch.setattr(connect.connect, "__defaults__", (os.environ, 0.3, ""))
    with listening(tmp_path / "s", None) as address:
        line = lines(address)["engine"]
    assert line.state is State.BAD
    assert "timeout" in line.found


def test_a_denied_engine_is_told_from_an_absent_one(tmp_path):
    """As another user, since no permission bit binds root."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with listening(tmp_path / "s", None):
        os.chmod(tmp_path / "s", 0o600)
        for folder in (tmp_path, *tmp_path.parents[:2]):
            os.chmod(folder, 0o755)
        code = (
            "import os, sys; sys.path[:0] = sys.argv[2:]\n"
            "from rig.engines.connect import connect\n"
            "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
            "try: connect({'DOCKER_HOST': sys.argv[1]})\n"
            "except Exception as error: print(type(error).__name__, error)\n"
        )
        words = [sys.executable, "-c", code, f"unix://{tmp_path}/s", *sys.path]
        told = subprocess.check_output(words, text=True)
    assert told.startswith("EngineDenied")
    assert f"{tmp_path}/s" in told


def test_a_cache_that_cannot_be_written(lines, monkeypatch, tmp_path):
    found = lines(f"unix://{tmp_path}/none")
    assert found["cache"].state is State.GOOD
    monkeypatch.setenv("RIG_CACHE", "/proc/rig")
    line = doctor._cache()
    assert (line.state, "RIG_CACHE" in line.advice) == (State.BAD, True)


@pytest.mark.parametrize(
    ("free", "state"),
    [(3 << 30, State.GOOD), (1 << 30, State.NOTE), (1 << 20, State.BAD)],
)
def test_the_disk_is_judged_by_its_free_space(monkeypatch, tmp_path, free, state):
    class FakeUsage:
        pass

    FakeUsage.free = free
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _folder: FakeUsage)
    line = doctor._disk("disk", tmp_path)
    assert line.state is state
    assert bool(line.advice) == (state is not State.GOOD)


def test_the_exit_code_is_that_of_what_is_bad():
    good, note = Line("a", State.GOOD, "x"), Line("b", State.NOTE, "x", "y")
    bad = Line("c", State.BAD, "x", "y")
    assert doctor.exit_code([good, note]) is ExitCode.GOOD
    assert doctor.exit_code([good, bad]) is ExitCode.ENVIRONMENT


def test_a_line_is_told_with_its_advice_and_without_control_bytes():
    assert doctor.told(Line("a", State.BAD, "x\x1b[2J", "do y")).split("\n") == [
        "BAD   a: x\\x1b[2J",
        "      do y",
    ]


def test_this_machine_without_compilers_names_the_first_missing(lines, monkeypatch, tmp_path):
    """A folder with the shell's tools and nothing else stands for the machine."""
    for tool in TOOLS:
        real = next(p for d in ("/bin", "/usr/bin") if os.path.exists(p := f"{d}/{tool}"))
        (tmp_path / tool).symlink_to(real)
    monkeypatch.setenv("PATH", str(tmp_path))
    line = lines("", engine="host")["tools of i386"]
    assert line.state is State.BAD
    assert "qemu-i386" in line.found
    assert "gcc-i686-linux-gnu" in line.advice
