"""The machine itself as an engine: plain processes in temporary folders, contained by nothing.

For machines without a container engine and for the inside of the root Dockerfile's image.
Limits that need a control group (memory, CPU, process count) do not exist here, and there is
no RLIMIT_AS either: qemu-user reserves the whole 4 GiB of a 32-bit guest.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

from rig.engines import Emit
from rig.engines.owner import is_gone, owner
from rig.engines.streams import StreamChannel, receive, safe_path
from rig.errors import EngineFault, ToolchainMissing
from rig.model import Exit, Files, ImageSpec, Limits, Ready

TOOLS = ("sh", "timeout", "xargs", "flock", "head", "tail", "cat", "stat", "mkdir", "tar")
"""What running a box takes; compilers and emulators are asked for their versions later."""

_COMPILERS = ("*gcc*", "clang*", "*-ld", "*-ld.*", "ld.*", "ld", "lld*", "*-as", "as", "qemu-*")
_PREFIX, _SLASH = "rig-box-", "+"
"""Names of the folders of boxes: the owner, its slashes replaced, and something random."""

_SETTLE = 2.0  # s between the end of output and the end of the process

# Standard input is a pipe that only rig holds: the leash. When it closes, so also when rig is
# killed, a watcher removes the folder and ends the whole group. The program's own input is the
# socket that its output is. The watcher keeps none of these streams, else nobody would read an
# end of file.
_START = (
    "ulimit -c 0; ulimit -n 1024; ulimit -f %d; exec 3<&0 <&1; "
    '{ read -r _; rm -rf "$TMPDIR"; kill -9 0; } <&3 >/dev/null 2>&1 & '
    'exec "$@" 3<&-'
)


class HostEngine:
    """Processes of this machine. What is installed is what is used."""

    name = "host"
    isolated = False

    def __init__(self) -> None:
        self._open: set[HostChannel] = set()
        atexit.register(self.close)

    def describe(self) -> str:
        return f"this machine ({platform.system()} {platform.machine()}), no isolation"

    def prepare(self, spec: ImageSpec, emit: Emit) -> Ready:  # noqa: ARG002
        """Checks the tools that boxes need; installs nothing.

        Raises ToolchainMissing. The compilers answer for themselves when they are asked.
        """
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            raise ToolchainMissing(
                f"this machine has no {', '.join(missing)}",
                "Debian has them in coreutils, findutils, tar and util-linux.",
            )
        return Ready(spec=spec, tag="host", id=f"host:{tools_digest()}")

    def open(
        self,
        ready: Ready,  # noqa: ARG002
        argv: Sequence[str],
        files: Files,
        limits: Limits,
    ) -> HostChannel:
        sweep_folders_once()
        folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{owner().replace('/', _SLASH)}-"))
        try:
            write_files(folder, files)
            return HostChannel(folder, argv, limits, self._open)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise EngineFault(f"a box could not be started: {error}") from error
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def close(self) -> None:
        for channel in list(self._open):
            channel.close()
        atexit.unregister(self.close)


def sweep_folders() -> int:
    """Removes folders of boxes whose maker was killed before it could start anything there.

    Returns how many. Once a box runs, its own watcher does this.
    """
    gone = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        made_by, _, _ = folder.name.removeprefix(_PREFIX).rpartition("-")
        if is_gone(made_by.replace(_SLASH, "/")):
            shutil.rmtree(folder, ignore_errors=True)
            gone += 1
    return gone


@cache
def sweep_folders_once() -> None:
    """:func:`sweep_folders`, before the first box of this process."""
    sweep_folders()


class HostChannel(StreamChannel):
    """A process group: one socket for stdin and stdout, a pipe for stderr."""

    def __init__(
        self, folder: Path, argv: Sequence[str], limits: Limits, home: set[Any]
    ) -> None:
        self._folder = folder
        ours, theirs = socket.socketpair()
        try:
            self._process = _start(folder, argv, limits, theirs)
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        super().__init__(ours, home)
        self._errors = _descriptor(self._process.stderr)
        os.set_blocking(self._errors, False)

    def _others(self) -> list[int]:
        return [self._errors] if self._errors >= 0 else []

    def _pump(self, size: int) -> bytes | None:
        took = self._take_errors()
        data = receive(self._sock, size)
        if data is None:
            return b"" if took else None
        self._eof = not data
        return data

    def _take_errors(self) -> bool:
        """Whether standard error had something, or came to its end."""
        if self._errors < 0:
            return False
        try:
            data = os.read(self._errors, 64 << 10)
        except BlockingIOError:
            return False
        self._tail.add(data)
        if not data:
            self._errors = -1  # the Popen object closes it
        return True

    def _finish(self, grace: float) -> Exit:
        self._drain(time.monotonic() + grace)
        try:
            killed = not self._ended(_SETTLE if self._eof else 0.0)
            return self._collect(killed)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _ended(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _collect(self, killed: bool) -> Exit:
        # The whole group, always: helpers of a dead leader and the watcher are in it.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        status = self._process.wait()
        while self._take_errors():
            pass
        for pipe in (self._process.stdin, self._process.stderr):
            if pipe is not None:
                pipe.close()
        if status < 0:
            return Exit(None, signal=-status, killed=killed)
        return Exit(status, killed=killed)


def _start(
    folder: Path, argv: Sequence[str], limits: Limits, conversation: socket.socket
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["sh", "-c", _START % (limits.disk // 512), "sh", *argv],
        stdin=subprocess.PIPE,
        stdout=conversation.fileno(),
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        env={
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "LC_ALL": "C",
        },
        start_new_session=True,
    )


def _descriptor(pipe: IO[bytes] | None) -> int:
    return -1 if pipe is None else pipe.fileno()


def write_files(folder: Path, files: Files) -> None:
    """``files`` below ``folder``, mode 0755."""
    for path, data in files.items():
        file = folder / safe_path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o755)


def tools_digest() -> str:
    """Twelve hex digits that change when a compiler, linker or emulator here does."""
    state = hashlib.sha256()
    for folder in dict.fromkeys(os.environ.get("PATH", os.defpath).split(os.pathsep)):
        for pattern in _COMPILERS:
            for tool in sorted(Path(folder or ".").glob(pattern)):
                with suppress(OSError):
                    facts = tool.stat()
                    state.update(f"{tool}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
    return state.hexdigest()[:12]
