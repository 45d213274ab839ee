"""Podman's Docker-compatible socket runs the main job; so does an engine behind TCP.

Podman keeps its store in a folder of the test's own, and gets the base image from the engine
that is there, since no registry may be in reach.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))

from faults import Place, core, docker_reason, judge, rig
from forwarder import Forwarder, local_socket

from rig import catalog, lab
from rig.engines.connect import connect
from rig.report.document import load
from rig.store import Store
from rig.verdicts import Verdict

BASE = "debian:trixie-slim"
ON = ("--on", "x86_64/gcc")
FAULTS = {
    "segfault": Verdict.GUEST_CRASH,
    "exit139": Verdict.GUEST_CRASH,
    "spin": Verdict.TIMEOUT,
    "flood": Verdict.DESYNC,
    "escape_bytes": Verdict.DESYNC,
    "good": Verdict.PASS,
}


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


class Podman:
    """Podman's service on a socket, as a user: root, or one that has subordinate ids."""

    def __init__(self, folder: Path, user: str) -> None:
        self.folder = folder
        self.user = pwd.getpwnam(user)
        os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        self.address = f"unix://{folder}/p.sock"

    @property
    def limits_processes(self) -> bool:
        """Without root, version 1 of control groups sets no limits: no test for a fork bomb."""
        unified = Path("/sys/fs/cgroup/cgroup.controllers").exists()
        return self.user.pw_uid == 0 or unified

    def command(self, *words: str) -> list[str]:
        at = self.folder
        places = ["--root", f"{at}/root", "--runroot", f"{at}/run"]
        return ["podman", *places, "--storage-driver", "overlay", *words]

    def start(self, *words: str, **more: object) -> subprocess.Popen[bytes]:
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": self.user.pw_dir,
            "XDG_RUNTIME_DIR": str(self.folder),
        }
        return subprocess.Popen(
            self.command(*words),
            env=environ,
            cwd=self.folder,
            user=self.user.pw_uid,
            group=self.user.pw_gid,
            extra_groups=[],
            stderr=subprocess.STDOUT,
            start_new_session=True,
            **more,
        )

    def run(self, *words: str) -> str:
        with self.start(*words, stdout=subprocess.PIPE) as process:
            out, _ = process.communicate(timeout=300)
        assert process.returncode == 0, out
        return out.decode()


def refuse(user: str) -> str:
    """Why Podman cannot be tried as this user; empty when it can."""
    if shutil.which("podman") is None:
        return "podman is not installed (Debian: podman catatonit uidmap)"
    if os.geteuid() != 0:
        return "only root can start it as root and as another user"
    if user != "root":
        ids = Path("/etc/subuid")
        if not ids.is_file() or f"{user}:" not in ids.read_text():
            return f"{user} has no subordinate ids in /etc/subuid"
        if shutil.which("newuidmap") is None:
            return "newuidmap is not installed (Debian: uidmap)"
    return ""


def rootless_user() -> str:
    """The first user with subordinate ids who exists here."""
    path = Path("/etc/subuid")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":")[0] for line in lines]
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in names if name in known), "nobody")


@pytest.fixture(params=["rootful", "rootless"])
def podman(request, tmp_path_factory) -> Iterator[Podman]:
    user = "root" if request.param == "rootful" else rootless_user()
    reason = refuse(user) or docker_reason(request.config.getoption("--rig-engine"))
    if reason:
        pytest.skip(reason)
    folder = Path("/tmp") / f"rig-podman-{os.getpid()}-{request.param}"  # a short path
    folder.mkdir(mode=0o700)
    with ExitStack() as stack:
        service = Podman(folder, user)
        client = connect()
        with (folder / "base.tar").open("wb") as file:
            for chunk in client.get_image(BASE):
                file.write(chunk)
        client.close()
        (folder / "base.tar").chmod(0o644)
        service.run("load", "-q", "-i", "base.tar")
        process = service.start("system", "service", "--time=0", service.address)
        stack.callback(remove, service)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        until = time.monotonic() + 60
        while not (folder / "p.sock").exists():
            assert time.monotonic() < until, "podman's service never listened"
            time.sleep(0.1)
        yield service


def remove(service: Podman) -> None:
    """Its files belong to subordinate ids, so that only Podman can remove all of them."""
    service.run("system", "reset", "--force")
    shutil.rmtree(service.folder, ignore_errors=True)


def test_the_main_job_and_broken_cores(podman, place, tmp_path, monkeypatch):
    path = tmp_path / "report.json"
    words = ("compare", *ON, "--no-time", "--json", str(path))
    ended = rig(place, *words, DOCKER_HOST=podman.address)
    assert ended.code == 0, ended.err
    report = load(path)
    assert report.engine.startswith("Podman")
    assert [cell.verdict for cell in report.cells] == [Verdict.PASS, Verdict.PASS]

    monkeypatch.setenv("DOCKER_HOST", podman.address)
    known = catalog.load()
    engine = lab.open_engine("docker", known, place.cache)
    wanted = dict(FAULTS)
    if podman.limits_processes:
        wanted["fork_bomb"] = Verdict.TIMEOUT
    with lab.Lab(known, engine, Store(place.cache), lambda _event: None, jobs=2) as opened:
        judged = judge(opened, [core(name) for name in wanted], ["x86_64/gcc"])
    assert {cell.core: cell.verdict for cell in judged.cells} == wanted
    assert podman.run("ps", "-aq").split() == []


def test_the_main_job_over_tcp(request, place, tmp_path):
    """A daemon that sees nothing of this disk."""
    reason = docker_reason(request.config.getoption("--rig-engine"))
    if reason:
        pytest.skip(reason)
    engine = Forwarder(local_socket())
    path = tmp_path / "report.json"
    words = ("compare", *ON, "--json", str(path))
    ended = rig(place, *words, DOCKER_HOST=engine.address)
    engine.cut()
    assert ended.code == 0, ended.err
    assert load(path).complete
