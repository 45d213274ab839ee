"""Data by rule: ``<kind>:<seed>:<length>``, so that any input replays from a short line.

A stream is a function of kind and seed alone and a shorter one is a prefix of a longer one
(docs/wire.md), so each is made once, to the greatest length asked for, and sliced.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import NamedTuple

from rig.errors import UsageError

LCG_MULTIPLIER = 6364136223846793005
LCG_INCREMENT = 1442695040888963407
LONGEST = 1 << 40
LONGEST_LCG = 1 << 26
"""The generator runs at a few MB/s in Python; longer messages take ``byte`` or ``inc``."""

_CHUNK = 251 << 12
_KEPT = 64 << 20
_MASK = (1 << 64) - 1
_RULE = re.compile(r"(lcg|byte|inc):([0-9]{1,20}):([0-9]{1,13})\Z", re.ASCII)
_HEX = re.compile(r"(?:[0-9a-f]{2})*\Z", re.ASCII)
_MODULUS = {"lcg": 1 << 64, "byte": 256, "inc": 251}


class Data(NamedTuple):
    """An input by rule. literal: the bytes themselves, for kind ``hex`` alone."""

    kind: str
    seed: int
    length: int
    literal: bytes = b""

    @property
    def text(self) -> str:
        """As written on the wire; the empty string is ``-`` whatever its rule."""
        if not self.length:
            return "-"
        if self.kind == "hex":
            return f"hex:{self.literal.hex()}"
        return f"{self.kind}:{self.seed}:{self.length}"

    def cut_to(self, length: int) -> Data:
        """The first ``length`` bytes of the same stream."""
        if self.kind == "hex":
            return literal(self.literal[:length])
        return self._replace(length=length) if length else EMPTY


EMPTY = Data("hex", 0, 0)


def literal(content: bytes) -> Data:
    """These very bytes."""
    return Data("hex", 0, len(content), content)


def stream(kind: str, seed: int, length: int) -> Data:
    """The first ``length`` bytes of a stream; seeds that give the same bytes become one."""
    if kind not in _MODULUS:
        raise UsageError(f"unknown kind of data '{kind}'", hint="one of lcg, byte, inc, hex")
    if not 0 <= seed <= _MASK:
        raise UsageError(f"seed {seed} does not fit in 64 bits")
    longest = LONGEST_LCG if kind == "lcg" else LONGEST
    if not 0 <= length <= longest:
        raise UsageError(f"{length} bytes of {kind} data: at most {longest}")
    return Data(kind, seed % _MODULUS[kind], length) if length else EMPTY


def parse_data(text: str) -> Data:
    """Reads ``lcg:1:129``, ``hex:616263`` or ``-``. Raises UsageError."""
    if text == "-":
        return EMPTY
    if text.startswith("hex:"):
        digits = text[4:].lower()
        if not _HEX.match(digits):
            raise UsageError(f"'{text}' is not hex: two digits a byte")
        return literal(bytes.fromhex(digits))
    found = _RULE.match(text)
    if found is None:
        raise UsageError(
            f"'{text}' is not data",
            hint="kind:seed:length, such as lcg:1:129; hex:616263; or -",
        )
    return stream(found[1], int(found[2]), int(found[3]))


class Streams:
    """Bytes of data, each stream kept at the greatest length so far.

    All methods may be called from any thread: cells judged side by side share an oracle.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[str, int], bytearray] = {}
        self._states: dict[int, int] = {}
        self._kept = 0
        self._lock = threading.Lock()

    def content(self, data: Data) -> bytes:
        """All bytes; for messages that fit into memory many times over."""
        if data.kind == "hex":
            return data.literal
        if data.kind == "byte":
            return bytes((data.seed,)) * data.length
        with self._lock:
            return bytes(memoryview(self._stream(data))[: data.length])

    def chunks(self, data: Data) -> Iterator[bytes]:
        """The same bytes in pieces of about 1 MiB, without ever holding a long message."""
        if data.kind in ("hex", "lcg") or data.length <= _CHUNK:
            yield self.content(data)
            return
        # _CHUNK is a multiple of 251, so every piece of either kind is the same piece
        piece = self.content(data._replace(length=_CHUNK))
        for _ in range(data.length // _CHUNK):
            yield piece
        yield piece[: data.length % _CHUNK]

    def _stream(self, data: Data) -> bytearray:
        name = (data.kind, data.seed)
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = bytearray()
        missing = data.length - len(made)
        if missing > 0:
            self._make_room(name, missing)
            made += self._more(data, len(made), missing)
        return made

    def _more(self, data: Data, start: int, count: int) -> bytes:
        if data.kind == "inc":
            period = bytes(range(251))
            first = (data.seed + start) % 251
            return (period * (count // 251 + 2))[first : first + count]
        state = self._states.get(data.seed, data.seed)
        fresh = bytearray(count)
        for place in range(count):
            state = (state * LCG_MULTIPLIER + LCG_INCREMENT) & _MASK
            fresh[place] = state >> 56
        self._states[data.seed] = state
        return bytes(fresh)

    def _make_room(self, name: tuple[str, int], size: int) -> None:
        """Forgets all other streams rather than keep more than 64 MiB."""
        if self._kept + size > _KEPT:
            mine = self._made[name]
            self._made = {name: mine}
            kind, seed = name
            self._states = (
                {seed: self._states[seed]} if kind == "lcg" and seed in self._states else {}
            )
            self._kept = len(mine)
        self._kept += size
