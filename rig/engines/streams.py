"""Byte streams of a box: bounded tails, the engine's frames, files as a tar, a channel base."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import select
import socket
import ssl
import tarfile
import time
from abc import ABC, abstractmethod
from typing import Any

from rig.errors import UsageError
from rig.model import Exit, Files

TAIL = 64 << 10
"""Bytes of standard error that are kept."""

AHEAD = 1 << 20
"""Bytes of output taken in while a write waits: more than this stays with the sender."""

_CHUNK = 64 << 10
_AGAIN = (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
_GONE = (ConnectionError, ssl.SSLError, TimeoutError)


class Tail:
    """The last ``limit`` bytes of a stream, however long it was."""

    def __init__(self, limit: int = TAIL) -> None:
        self._limit = limit
        self._data = bytearray()

    def add(self, data: bytes) -> None:
        self._data += data[-self._limit :]
        if len(self._data) > 2 * self._limit:
            del self._data[: -self._limit]

    def value(self) -> bytes:
        return bytes(self._data[-self._limit :])


class Frames:
    """Takes the engine's stream apart: 8-byte headers, then stdout (1) or stderr (2) bytes.

    Keeps no payload: what :meth:`feed` gets is handed out at once, so a hostile length in a
    header costs nothing.
    """

    def __init__(self, stderr: Tail) -> None:
        self._stderr = stderr
        self._header = bytearray()
        self._left = 0
        self._kind = 0

    def feed(self, data: bytes) -> bytes:
        """The stdout bytes of ``data``; stderr bytes go to the tail."""
        out = bytearray()
        at = 0
        while at < len(data):
            if self._left == 0:
                at = self._read_header(data, at)
                continue
            piece = data[at : at + self._left]
            at += len(piece)
            self._left -= len(piece)
            if self._kind == 2:
                self._stderr.add(piece)
            else:
                out += piece
        return bytes(out)

    def _read_header(self, data: bytes, at: int) -> int:
        piece = data[at : at + 8 - len(self._header)]
        self._header += piece
        if len(self._header) == 8:
            self._kind = self._header[0]
            self._left = int.from_bytes(self._header[4:8], "big")
            self._header.clear()
        return at + len(piece)


def safe_path(path: str) -> str:
    """``path`` if it stays below the folder it is used in; UsageError otherwise."""
    parts = path.split("/")
    if not path or path.startswith("/") or "\0" in path or {"", ".", ".."} & set(parts):
        raise UsageError(f"{path!r} is not a path that can be sent into a box")
    return path


def pack(files: Files) -> bytes:
    """An uncompressed tar of ``files``, mode 0755, the same bytes for the same content.

    GNU format: names travel as raw bytes, whatever the locale inside the box is.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(files):
            info = tarfile.TarInfo(safe_path(path))
            info.size = len(files[path])
            info.mode = 0o755
            tar.addfile(info, io.BytesIO(files[path]))
    return buffer.getvalue()


class StreamChannel(ABC):
    """What all channels do alike: wait, read, write over one non-blocking socket.

    While a write waits, output is taken in (up to ``AHEAD``), so that two full buffers cannot
    block each other: ask :meth:`read` with timeout 0 before polling :meth:`fileno`.
    """

    def __init__(self, sock: socket.socket, home: set[Any]) -> None:
        """``home``: the engine's set of what is open; a strong one, so nothing is forgotten."""
        sock.setblocking(False)
        home.add(self)
        self._home = home
        self._sock = sock
        self._tail = Tail()
        self._ahead = bytearray()
        self._eof = False
        self._exit: Exit | None = None

    @abstractmethod
    def _pump(self, size: int) -> bytes | None:
        """Takes what is there, at most ``size`` bytes, and returns what was stdout of it.

        None: nothing was there. Sets ``_eof`` at the end.
        """

    @abstractmethod
    def _finish(self, grace: float) -> Exit:
        """Ends the box and says how the process ended."""

    def _others(self) -> list[int]:
        """Descriptors beside the socket that output comes from."""
        return []

    def fileno(self) -> int:
        return self._sock.fileno()

    def read(self, size: int, timeout: float) -> bytes:
        if self._exit is not None:
            return b""
        if self._ahead:
            data = bytes(self._ahead[:size])
            del self._ahead[:size]
            return data
        deadline = time.monotonic() + timeout
        while not self._eof:
            got = self._pump(size)
            if got:
                return got
            if got is None and not self._wait(deadline, writing=False):
                raise TimeoutError(f"no output within {timeout:g} s")
        return b""

    def write(self, data: bytes, timeout: float) -> int:
        if self._exit is not None:
            raise BrokenPipeError("the box is closed")
        deadline = time.monotonic() + timeout
        view = memoryview(data)
        sent = 0
        while sent < len(data):
            try:
                sent += self._sock.send(view[sent : sent + _CHUNK])
                continue
            except _AGAIN:
                self._take_ahead()
            except OSError as gone:
                if not _is_gone(gone):
                    raise
                raise BrokenPipeError("the process reads no more input") from gone
            if not self._wait(deadline, writing=True):
                break
        return sent

    def end_input(self) -> None:
        if self._exit is not None:
            return
        # Through a copy of the descriptor: shutdown() of a TLS socket would end reading too.
        copy = socket.socket(fileno=os.dup(self._sock.fileno()))
        with copy, contextlib.suppress(OSError):  # the peer has gone: read() will tell
            copy.shutdown(socket.SHUT_WR)

    def stderr(self) -> bytes:
        self._take_ahead()
        return self._tail.value()

    def close(self, grace: float = 0.0) -> Exit:
        if self._exit is None:
            try:
                self._exit = self._finish(grace)
            finally:
                # another thread may wait for it: closing alone would not wake that one
                with contextlib.suppress(OSError):
                    self._sock.shutdown(socket.SHUT_RDWR)
                self._sock.close()
                self._home.discard(self)
        return self._exit

    def _take_ahead(self) -> None:
        while self._exit is None and self._room():
            data = self._pump(_CHUNK)
            if data is None:
                return
            self._ahead += data

    def _room(self) -> bool:
        return not self._eof and len(self._ahead) < AHEAD

    def _drain(self, deadline: float) -> None:
        """Throws output away until its end or the deadline."""
        while not self._eof and time.monotonic() < deadline:
            if self._pump(_CHUNK) is None:
                self._wait(deadline, writing=False)

    def _wait(self, deadline: float, *, writing: bool) -> bool:
        """True when something may have become possible, False after the deadline."""
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        if self._sock.fileno() < 0:  # closed meanwhile: the next attempt will tell
            return True
        reading = self._room() or not writing
        poller = select.poll()
        wanted = (select.POLLIN if reading else 0) | (select.POLLOUT if writing else 0)
        poller.register(self._sock, wanted)
        for number in self._others() if reading else ():
            poller.register(number, select.POLLIN)
        return bool(poller.poll(left * 1000))


def receive(sock: socket.socket, size: int) -> bytes | None:
    """Bytes that are there; None when none are; ``b""`` at the end or a broken connection."""
    try:
        return sock.recv(size)
    except _AGAIN:
        return None
    except OSError as gone:
        if not _is_gone(gone):
            raise
        return b""


def _is_gone(error: OSError) -> bool:
    """The connection has ended, or another thread has closed it."""
    return isinstance(error, _GONE) or error.errno == errno.EBADF
