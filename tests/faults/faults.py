"""Helpers of the fault tests: campaigns of broken cores, rig as a process, leftovers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from command import RIG

from rig import campaign, sources
from rig.engines.connect import connect
from rig.engines.image import LABEL
from rig.engines.owner import is_gone
from rig.errors import RigError
from rig.events import Event
from rig.lab import Lab
from rig.model import Core
from rig.report.document import Report
from rig.report.fold import fold

CORES = Path(__file__).parent / "cores"
DUE = "hash in=hex:000102"
"""The one case at which every broken core fails (cores/fault.h)."""

WAIT = 240.0
"""Seconds after which a test gives up; never a measure of anything."""


def docker_reason(engine: str) -> str:
    """Why containers cannot be used here; empty when they can."""
    if engine == "host":
        return "--rig-engine=host: no container engine is to be used"
    try:
        connect().close()
    except RigError as error:
        return f"no container engine: {error.what}"
    return ""


def host_reason() -> str:
    """Why this machine's own tools cannot be used; empty when they can."""
    tools = ("x86_64-linux-gnu-gcc", "qemu-x86_64")
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return f"the host engine needs {' and '.join(missing)} here" if missing else ""


class Place:
    """Folders of this session."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cache = root / "cache"
        self.tmp = root / "tmp"
        self.tmp.mkdir()

    def environ(self, **more: str) -> dict[str, str]:
        plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CI", "COLUMNS")}
        return {**plain, "RIG_CACHE": str(self.cache), "TMPDIR": str(self.tmp), **more}


@dataclass
class Recorder:
    """A sink that keeps everything."""

    events: list[Event] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, event: Event) -> None:
        with self.lock:
            self.events.append(event)


def core(name: str, **defines: object) -> Core:
    """A broken core of this folder; defines: macros for its unit."""
    loaded = sources.load(str(CORES / f"{name}.c"), _no_catalog())
    told = tuple(f"{key}={value}" for key, value in defines.items())
    return replace(loaded, defines=told)


def _no_catalog() -> Any:
    from rig import catalog

    return catalog.load()


def judge(
    lab: Lab, cores: Sequence[Core], on: Sequence[str], checks: Sequence[str] = ("vectors",)
) -> Report:
    """The report of a campaign over these cores."""
    recorder = Recorder()
    plan = campaign.Plan(
        kind="check",
        cores=tuple(cores),
        setups=tuple(lab.catalog.setups(on, "user")),
        checks=tuple(checks),
    )
    campaign.run(plan, lab, recorder)
    return fold(recorder.events)


# --------------------------------------------------------------------- rig as a process


@dataclass
class Ended:
    """A process of rig that has ended."""

    code: int
    out: str
    err: str


class Process:
    """rig in a process of its own, whose progress lines are watched."""

    def __init__(
        self,
        words: Sequence[str],
        environ: Mapping[str, str],
        cwd: Path | None = None,
        stdout: Any = subprocess.PIPE,
    ) -> None:
        self.popen = subprocess.Popen(
            [*RIG, *words],
            env=dict(environ),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.out = bytearray()
        self.err = bytearray()
        self._changed = threading.Condition()
        self._readers = [
            threading.Thread(target=self._read, args=(pipe, into), daemon=True)
            for pipe, into in (
                (self.popen.stdout, self.out),
                (self.popen.stderr, self.err),
            )
            if pipe is not None
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, pipe: Any, into: bytearray) -> None:
        while data := os.read(pipe.fileno(), 65536):
            with self._changed:
                into += data
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def wait_for(self, text: str) -> None:
        """Until its standard error holds ``text``; fails when it ends before."""
        self._wait_in(self.err, text)

    def wait_for_output(self, text: str) -> None:
        """As :meth:`wait_for`, of standard output."""
        self._wait_in(self.out, text)

    def _wait_in(self, stream: bytearray, text: str) -> None:
        wanted = text.encode()
        until = time.monotonic() + WAIT
        with self._changed:
            while wanted not in stream:
                assert self.popen.poll() is None or wanted in stream, self._story(text)
                assert time.monotonic() < until, self._story(text)
                self._changed.wait(0.1)

    def _story(self, text: str) -> str:
        return f"{text!r} never came:\n{self.err.decode(errors='replace')}"

    def signal(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def end(self) -> Ended:
        """Waits for its end and for all that it said."""
        try:
            code = self.popen.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            raise
        for reader in self._readers:
            reader.join(WAIT)
        for pipe in (self.popen.stdout, self.popen.stderr):
            if pipe is not None:
                pipe.close()
        return Ended(code, self.out.decode(errors="replace"), self.err.decode(errors="replace"))


def rig(place: Place, *words: str, cwd: Path | None = None, **environ: str) -> Ended:
    """Runs rig to its end."""
    return Process(words, place.environ(**environ), cwd).end()


# ---------------------------------------------------------------------------- leftovers


def boxes(client: Any) -> list[str]:
    """Containers of rig that nobody alive owns, or that this process does, with their state."""
    mine = f"/{os.getpid()}/"
    found = client.containers(all=True, filters={"label": f"{LABEL}.owner"})
    owners = ((box, box["Labels"][f"{LABEL}.owner"]) for box in found)
    return [
        f"{box['Id'][:12]} {box['Names']} {box['Status']}, of {owner} (this is {mine})"
        for box, owner in owners
        if mine in owner or is_gone(owner)
    ]


def boxes_of(client: Any, pid: int) -> list[str]:
    """Containers of a process of rig, running or not."""
    found = client.containers(all=True, filters={"label": f"{LABEL}.owner"})
    return [box["Id"] for box in found if f"/{pid}/" in box["Labels"][f"{LABEL}.owner"]]


RESTING = "resting"
"""The name that cores/rest.c takes when it waits to be ended."""


def resting_box(client: Any, pid: int, over: Callable[[], bool] = lambda: False) -> str:
    """Waits for a box of process ``pid`` in which a core rests; empty once all is over."""
    found: list[str] = []

    def rests() -> bool:
        for box in boxes_of(client, pid):
            with suppress(Exception):  # it has ended since, or has not begun
                rows = client.top(box, "-eo pid,comm")["Processes"]
                if any(row[-1] == RESTING for row in rows):
                    found.append(box)
        return bool(found) or over()

    eventually(rests, "a core that rests")
    return found[0] if found else ""


def resting_emulator(place: Place, over: Callable[[], bool]) -> int:
    """Waits for a process of this session in which a core rests; 0 once all is over."""
    found: list[int] = []

    def rests() -> bool:
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                where = str((folder / "cwd").readlink())
                name = (folder / "comm").read_text().strip()
                if where.startswith(str(place.root)) and name == RESTING:
                    found.append(int(folder.name))
        return bool(found) or over()

    eventually(rests, "a core that rests")
    return found[0] if found else 0


def volumes(client: Any) -> list[str]:
    """Volumes with rig's label."""
    found = client.volumes(filters={"label": LABEL})["Volumes"] or []
    return [volume["Name"] for volume in found]


def emulators(place: Place) -> list[str]:
    """Command lines of emulators that run in a folder of this session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            where = str((folder / "cwd").readlink())
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if where.startswith(str(place.root)) and b"qemu" in words[0]:
            found.append(b" ".join(words).decode(errors="replace"))
    return found


def scratch(place: Place) -> list[str]:
    """Files that only a process under way may have."""
    kinds = ("tmp/rig-*", "cache/store/tmp-*", "**/.*.json.*")
    return [str(path) for kind in kinds for path in place.root.glob(kind)]


def eventually(holds: Callable[[], bool], what: str) -> None:
    """Waits until something outside of us has happened."""
    until = time.monotonic() + WAIT / 3
    while not holds():
        assert time.monotonic() < until, f"{what}: never"
        time.sleep(0.05)
