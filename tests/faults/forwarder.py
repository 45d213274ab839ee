"""A listener in front of the engine's socket, by TCP: an engine that does not see this disk,
and one that can be cut off while the real one, which others use, lives on.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

import pytest

from rig.engines.connect import find_address


def local_socket() -> str:
    """Path of the engine's socket; a test that needs it is skipped when there is none."""
    address = find_address()
    if not address.startswith("unix://"):
        pytest.skip(f"the engine is not local: {address}")
    return address.removeprefix("unix://")


class Forwarder:
    """``cut`` breaks all connections, as an engine does that dies."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._server = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[socket.socket] = []
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._path)
                self._pairs += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._copy, args=(one, other), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for one in self._pairs:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
