"""Objects, programs and exact measurements by content: made once, found again.

An entry is a folder of files under the digest of everything that went into it. Entries appear
by one rename and are verified when read, so that a killed process, a full disk or two rigs at
once can leave behind at most a scratch folder, never half an entry.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout
from platformdirs import user_cache_path

from rig.errors import Interrupted, StoreFault
from rig.model import Files

_META = "entry.json"
_FORMAT = "rig-store-1"
_LOCK_SECONDS = 0.2  # between looks whether the wait for a lock was stopped
_POLL_SECONDS = 0.01  # between looks whether a lock is free: most are held for moments
_STRIPE = 3  # hex digits


def default_cache() -> Path:
    """Where rig keeps what it can make again: ``RIG_CACHE``, else the user's cache folder."""
    named = os.environ.get("RIG_CACHE")
    return Path(named) if named else user_cache_path("hashrig")


def key_of(*parts: object) -> str:
    """Digest of plain data (strings, bytes, numbers, tuples, mappings), order kept."""
    state = hashlib.sha256(_FORMAT.encode())
    for part in parts:
        _feed(state, part)
    return state.hexdigest()


def _feed(state: hashlib._Hash, part: object) -> None:
    # every part carries its type and length, so that no two lists of parts look alike
    if isinstance(part, bytes):
        state.update(b"b%d:" % len(part) + part)
    elif isinstance(part, str):
        _feed(state, part.encode("utf-8", "surrogateescape"))
    elif isinstance(part, Mapping):
        state.update(b"m%d:" % len(part))
        for name in sorted(part):
            _feed(state, name)
            _feed(state, part[name])
    elif isinstance(part, (tuple, list)):
        state.update(b"l%d:" % len(part))
        for item in part:
            _feed(state, item)
    else:
        state.update(f"r{part!r};".encode())


@contextmanager
def storage_faults(path: Path) -> Iterator[None]:
    """Turns what a disk says into a StoreFault that names the place and the way out."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            what, hint = "the disk is full", "free some space, or run `rig clean --all`"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            what, hint = "no permission to write", "set RIG_CACHE to a folder that you own"
        else:
            what, hint = str(error.strerror or error), "set RIG_CACHE to another folder"
        raise StoreFault(f"store {path}: {what}", hint) from error


class Store:
    """Entries under ``<root>/store``, locks under ``<root>/locks``."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or default_cache()
        self._entries = self.root / "store"
        self._locks = self.root / "locks"
        self._stopped = threading.Event()

    def path(self, key: str) -> Path:
        """Folder of an entry, there or not."""
        return self._entries / key[:2] / key[2:]

    def get(self, key: str) -> Files | None:
        """The entry's files, or None; a damaged entry is removed and counts as absent."""
        folder = self.path(key)
        if not folder.is_dir():
            return None
        try:
            digests = json.loads((folder / _META).read_bytes())
            files = {name: (folder / name).read_bytes() for name in digests}
            whole = all(_sha(files[name]) == digests[name] for name in digests)
        except (OSError, ValueError, TypeError):
            whole = False
        if not whole:
            shutil.rmtree(folder, ignore_errors=True)
            return None
        return files

    def put(self, key: str, files: Files) -> None:
        """Makes an entry; one that is there already is left as it is."""
        folder = self.path(key)
        scratch = self._entries / f"tmp-{os.getpid()}-{secrets.token_hex(4)}"
        with storage_faults(self.root):
            scratch.mkdir(parents=True)
            try:
                for name, data in files.items():
                    (scratch / name).write_bytes(data)
                digests = {name: _sha(data) for name, data in files.items()}
                (scratch / _META).write_text(json.dumps(digests))
                folder.parent.mkdir(exist_ok=True)
                _rename_once(scratch, folder)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)

    @contextmanager
    def locked(self, keys: Iterable[str]) -> Iterator[None]:
        """Holds the locks of several keys; a holder that dies lets go of its own.

        One lock serves all keys of the same first three digits: never more than 4096 files, and
        few that wait for each other without need, for some hold theirs as long as compilers
        take. In sorted order, so that two processes cannot wait for each other.
        """
        with ExitStack() as stack:
            with storage_faults(self.root):
                self._locks.mkdir(parents=True, exist_ok=True)
            for stripe in sorted({key[:_STRIPE] for key in keys}):
                stack.enter_context(self._held(FileLock(self._locks / f"{stripe}.lock")))
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Holds the lock of whatever must not run beside another of its kind: timing."""
        with storage_faults(self.root):
            self._locks.mkdir(parents=True, exist_ok=True)
        with self._held(FileLock(self._locks / "alone.lock")):
            yield

    def stop(self) -> None:
        """Whoever waits for a lock gives up, from now on: Interrupted."""
        self._stopped.set()

    @contextmanager
    def _held(self, lock: BaseFileLock) -> Iterator[None]:
        """Another process may hold it for minutes, so the wait can be stopped."""
        while not self._taken(lock):
            if self._stopped.is_set():
                raise Interrupted("stopped while another rig held a lock")
        try:
            yield
        finally:
            lock.release()

    def _taken(self, lock: BaseFileLock) -> bool:
        with storage_faults(self.root):
            try:
                lock.acquire(timeout=_LOCK_SECONDS, poll_interval=_POLL_SECONDS)
            except Timeout:
                return False
        return True

    def sweep(self) -> int:
        """Removes what dead processes left in the making; returns how many folders."""
        gone = 0
        for scratch in self._entries.glob("tmp-*"):
            pid = scratch.name.split("-")[1]
            if not _alive(int(pid)):
                shutil.rmtree(scratch, ignore_errors=True)
                gone += 1
        return gone

    def clear(self) -> int:
        """Removes every entry; returns how many there were."""
        count = sum(1 for _ in self._entries.glob(f"*/*/{_META}"))
        shutil.rmtree(self._entries, ignore_errors=True)
        return count


def _rename_once(scratch: Path, folder: Path) -> None:
    try:
        scratch.rename(folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
