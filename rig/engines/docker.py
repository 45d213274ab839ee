"""The container engine: one locked-down container a box, nothing left behind.

Files and conversation travel over one attached connection, so the daemon may be on another
machine: nothing here assumes that it sees this disk.
"""

from __future__ import annotations

import atexit
import itertools
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import requests
from docker.errors import APIError, NotFound
from docker.types import LogConfig, Ulimit

from rig.engines import Emit
from rig.engines.clean import remove_container, sweep
from rig.engines.connect import connect, translated
from rig.engines.image import LABEL, Recipe, ensure_image
from rig.engines.owner import owner
from rig.engines.streams import Frames, StreamChannel, pack, receive
from rig.errors import EngineFault
from rig.model import Exit, Files, ImageSpec, Limits, Ready

WORK = "/tmp"  # noqa: S108 - within the box
"""The work folder within every box: a tmpfs, the only place that can be written.

One that images have, open to all: runc gives a tmpfs the mode of the folder below it.
"""

USER = "65534:65534"
"""A plain user id that owns nothing, in the box or outside."""

START_SECONDS = 60.0
"""How long a box may take to start and to take its files in."""

PROCESSES = 1024
"""Of all boxes together; each has a limit of its own, which is lower."""

DRAIN_SECONDS = 20.0
"""How long the output of a killed box is waited for; it ends at once as a rule."""

READY = b"\x06"
"""What the box prints once its files are there; everything after it is the program's."""

# head reads exactly the tar's bytes; tar alone would drain the pipe, the program's input too.
_START = (
    'head -c "$1" | tar -xpf - -C . && printf "\\006" && shift && exec "$@"; '
    "echo 'the box could not take its files in' >&2; exit 125"
)


class DockerEngine:
    """Boxes by a container engine over docker-py's low-level client."""

    name = "docker"
    isolated = True

    def __init__(self, recipe: Recipe, client: Any = None) -> None:
        """``client``: a docker.APIClient, by default of the engine that connect() finds."""
        self._client = client or connect()
        self._recipe = recipe
        self._open: set[DockerChannel] = set()
        self._run = f"{os.getpid()}-{time.time_ns():x}"
        self._numbers = itertools.count(1)
        self._boxes: set[str] = set()  # names of what may be in the engine
        self._swept = False
        self._closed = False
        atexit.register(self.close)

    @property
    def client(self) -> Any:
        """The engine's client, for what looks at it without boxes."""
        return self._client

    def describe(self) -> str:
        return self._description

    @cached_property
    def _description(self) -> str:
        """Asked for once, since each item of a pytest run tells it."""
        with translated(self._client.base_url):
            version = self._client.version()
        kind = "Podman" if "Podman" in str(version.get("Components", "")) else "Docker"
        platform = f"{version.get('Os', '?')}/{version.get('Arch', '?')}"
        return f"{kind} {version.get('Version', '?')} ({platform}, API {self._client._version})"

    def prepare(self, spec: ImageSpec, emit: Emit) -> Ready:
        return ensure_image(self._client, self._recipe, spec, emit)

    def open(
        self, ready: Ready, argv: Sequence[str], files: Files, limits: Limits
    ) -> DockerChannel:
        archive = pack(files)
        with translated(self._client.base_url):
            self._sweep_once()
            name = f"hashrig-{self._run}-{next(self._numbers)}"
            self._boxes.add(name)  # before it exists: an answer may be lost, a box not
            try:
                self._create(name, ready, argv, len(archive), limits)
                stream = _attach(self._client, name)
                channel = DockerChannel(self._client, name, stream, self._open, self._remove)
                self._client.start(name)
            except BaseException:
                self._remove(name)
                raise
        try:
            _hand_over(channel, archive)
            if self._closed:  # another thread ended all that was open meanwhile
                raise EngineFault("the engine was closed while a box was being opened")
        except BaseException:
            channel.close()
            raise
        return channel

    def close(self) -> None:
        self._closed = True
        for channel in list(self._open):
            with suppress(Exception):  # the rest must still be removed; nobody can help here
                channel.close()
        for name in list(self._boxes):  # an engine that was too busy gets another chance
            self._remove(name)
        atexit.unregister(self.close)

    def _remove(self, name: str) -> None:
        if remove_container(self._client, name):
            self._boxes.discard(name)

    def _sweep_once(self) -> None:
        """Removes what a killed process of this machine has left, before the first box."""
        if not self._swept:
            self._swept = True
            sweep(self._client, force=False)

    def _create(
        self, name: str, ready: Ready, argv: Sequence[str], size: int, limits: Limits
    ) -> None:
        self._client.create_container(
            name=name,
            image=ready.id,
            entrypoint=["sh", "-c", _START, "sh"],
            command=[str(size), *argv],
            stdin_open=True,
            tty=False,
            user=USER,
            working_dir=WORK,
            network_disabled=True,
            environment={"LC_ALL": "C", "HOME": WORK, "TMPDIR": WORK},
            labels={LABEL: "1", f"{LABEL}.run": self._run, f"{LABEL}.owner": owner()},
            host_config=self._host_config(limits),
        )

    def _host_config(self, limits: Limits) -> Any:
        return self._client.create_host_config(
            init=True,  # else a guest's fatal signal, as process 1, becomes a hang
            network_mode="none",
            read_only=True,
            tmpfs={WORK: f"rw,exec,nosuid,nodev,mode=1777,size={limits.disk}"},
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            pids_limit=limits.pids,
            mem_limit=limits.memory,
            memswap_limit=limits.memory,
            cpu_period=100_000,
            cpu_quota=max(1000, int(limits.cpus * 100_000)),
            ulimits=[
                Ulimit(name="core", soft=0, hard=0),  # qemu writes core files of its own
                Ulimit(name="nofile", soft=1024, hard=1024),
                # Of the user, in all boxes. Podman else asks for more than it may have, and
                # without root it has no other limit of processes on cgroups v1.
                Ulimit(name="nproc", soft=PROCESSES, hard=PROCESSES),
            ],
            log_config=LogConfig(type="none"),  # else a flood lands on the engine's disk
        )


class DockerChannel(StreamChannel):
    """A container in conversation through its attached connection."""

    def __init__(
        self,
        client: Any,
        name: str,
        stream: Any,
        home: set[Any],
        remove: Callable[[str], None],
    ) -> None:
        self._stream = stream  # keeps the response, and with it the connection, alive
        super().__init__(_socket(stream), home)
        self._client = client
        self._name = name
        self._remove = remove
        self._frames = Frames(self._tail)

    def _pump(self, size: int) -> bytes | None:
        data = receive(self._sock, size)
        if not data:
            self._eof = data is not None
            return None if data is None else b""
        return self._frames.feed(data)

    def _finish(self, grace: float) -> Exit:
        self._drain(time.monotonic() + grace)
        try:
            return self._collect()
        except NotFound:
            return Exit(None, lost="the container was removed by someone else")
        except (APIError, requests.exceptions.RequestException, OSError) as error:
            return Exit(None, lost=f"the engine went away or failed: {error}")
        finally:
            self._remove(self._name)

    def _collect(self) -> Exit:
        killed = False
        if not self._eof:
            # Engines do not end a box whose output nobody takes: Docker 20.10 then waits for
            # ever, with a lock held. So what comes is taken, by another thread, meanwhile.
            deadline = time.monotonic() + DRAIN_SECONDS
            drain = threading.Thread(target=self._drain, args=(deadline,), daemon=True)
            drain.start()
            try:
                killed = self._kill()
            finally:
                drain.join()
        status = self._client.wait(self._name, timeout=START_SECONDS)["StatusCode"]
        state = self._client.inspect_container(self._name)["State"]
        oom = bool(state.get("OOMKilled"))
        self._drain(time.monotonic())
        return exit_of(int(status), oom=oom, killed=killed)

    def _kill(self) -> bool:
        """False when it had ended by itself."""
        try:
            self._client.kill(self._name)
        except NotFound:
            raise
        except APIError as error:
            if error.status_code in (409, 500):  # 500: engines before 20.10 say "not running"
                return False
            raise
        return True


def exit_of(status: int, *, oom: bool, killed: bool) -> Exit:
    """An init's status as an Exit: 128 + n means signal n; qemu's own failure is 255."""
    if 128 < status <= 128 + 64:
        return Exit(None, signal=status - 128, oom=oom, killed=killed, relayed=True)
    return Exit(status, oom=oom, killed=killed)


def _attach(client: Any, name: str) -> Any:
    wanted = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
    return client.attach_socket(name, params=wanted)


def _socket(stream: Any) -> socket.socket:
    """The socket below what attach_socket returns; nothing has been read ahead of us.

    The client library gives a SocketIO over plain connections and the socket itself over TLS.
    """
    found = getattr(stream, "_sock", stream)
    if not isinstance(found, socket.socket):
        raise EngineFault("this engine's connection cannot be attached to (no plain socket)")
    return found


def _hand_over(channel: DockerChannel, archive: bytes) -> None:
    """Sends the files and waits until the box says that they are there."""
    answer = b""
    try:
        sent = channel.write(archive, START_SECONDS)
        if sent == len(archive):
            answer = channel.read(1 + 8, START_SECONDS)
        reason = "it went away at once" if sent == len(archive) else "it took no more files"
    except BrokenPipeError:
        reason = "it went away while its files were sent"
    except TimeoutError:
        reason = f"nothing came for {START_SECONDS:g} s"
    if answer == READY:
        return
    ended = channel.close(grace=1.0)
    said = (answer + channel.stderr()).decode("utf-8", "replace").strip()
    why = ended.lost or ("out of memory" if ended.oom else reason)
    raise EngineFault(f"a box could not be started: {why}", "", said)
