"""A core in Python with a fault of choice, in place of the compiled ones of tests/emulated.

It exists because a unit test cannot compile C; each fault is re-created from its description
in words. Whatever a fault does not touch is answered by the oracle, for speed.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rig.cases import Case, Compress, Hash, Pair64, Question
from rig.model import Setup
from rig.oracle import IV, MASK, SIGMA, Oracle, compress
from rig.streams import Streams
from rig.verdicts import Verdict

ALL = frozenset({"compress", "flags", "counter", "guard", "time"})


@dataclass(frozen=True)
class FakeReply:
    ok: bool
    payload: str


@dataclass(frozen=True)
class FakeFault:
    verdict: Verdict
    text: str


class FakeState:
    """init, update and final around the RFC's compress, with the places where faults sit."""

    def __init__(self, fault: str, outlen: int, key: bytes) -> None:
        self.fault = fault
        self.h = list(IV)
        self.h[0] ^= 0x01010000 ^ (len(key) << 8) ^ outlen
        if fault == "key forgotten" and key:
            self.h[0] ^= len(key) << 8
        if fault == "dirty parameters":
            self.h[2] ^= random.getrandbits(64)
        self.t = [0, 0]
        self.f = [0, 0]
        self.folded = 0
        self.buf = bytearray(128)
        self.buflen = 0
        self.outlen = outlen
        if key:
            self.update(key.ljust(128, b"\0"))

    def fold(self, block: bytes, inc: int) -> None:
        low = self.t[0] + inc
        self.t[0] = low & MASK
        if self.fault != "no carry":
            self.t[1] = (self.t[1] + (low >> 64)) & MASK
        form = ">16Q" if self.fault == "big endian" else "<16Q"
        words = struct.unpack(form, block)
        if self.fault == "signed bytes":
            words = tuple(
                sum(((b ^ 128) - 128) << 8 * i for i, b in enumerate(w.to_bytes(8, "little")))
                & MASK
                for w in words
            )
        f = (self.f[0], 0) if self.fault == "f1 forgotten" else (self.f[0], self.f[1])
        t = self.t[0] & 0xFFFFFFFF if self.fault == "counter of 32 bits" else self.t[0]
        if self.fault == "sigma of twelve rows":
            self.h = compress_by_twelve_rows(self.h, words, t | self.t[1] << 64, f)
        else:
            self.h = compress(self.h, words, t | self.t[1] << 64, f)
        self.folded += 1
        if self.fault == "wrong everywhere" or (self.fault, self.folded) == ("second block", 2):
            self.h[0] ^= 1
        if self.fault == "digest words reversed":
            self.h = [int.from_bytes(w.to_bytes(8, "little"), "big") for w in self.h]

    def update(self, piece: bytes) -> None:
        if self.fault == "length of 16 bits":
            piece = piece[: len(piece) & 0xFFFF]
        for byte in piece:
            full = self.buflen == 128
            if full:
                self.fold(bytes(self.buf), 128)
                self.buflen = 0
            self.buf[self.buflen] = byte
            self.buflen += 1
            if self.fault == "compressed when full" and self.buflen == 128:
                self.fold(bytes(self.buf), 128)
                self.buflen = 0
        if self.fault == "fill assigned" and piece:
            self.buflen = min(len(piece), self.buflen)

    def final(self) -> bytes:
        self.f[0] = MASK
        inc = self.buflen
        tail = bytes(self.buf[:inc]).ljust(128, b"\0")
        if self.fault == "padding forgotten":
            tail = bytes(self.buf)
        if self.fault == "short digests" and self.outlen < 64:
            tail = bytes(128)
        self.fold(tail, inc)
        return struct.pack("<8Q", *self.h)[: self.outlen]


def compress_by_twelve_rows(h: list[int], m: Sequence[int], t: int, f: Pair64) -> list[int]:
    """Another correct core: a table of twelve rows, indexed modulo 12, and a plain G."""
    sigma = (*SIGMA, *SIGMA[:2])
    v = [*h, *IV]
    v[12] ^= t & MASK
    v[13] ^= t >> 64
    v[14] ^= f[0]
    v[15] ^= f[1]

    def mix(a: int, b: int, c: int, d: int, x: int, y: int) -> None:
        for word, first, second in ((x, 32, 24), (y, 16, 63)):
            v[a] = (v[a] + v[b] + word) & MASK
            v[d] = rotated(v[d] ^ v[a], first)
            v[c] = (v[c] + v[d]) & MASK
            v[b] = rotated(v[b] ^ v[c], second)

    for turn in range(12):
        row = [m[place] for place in sigma[turn % 12]]
        for i in range(4):
            mix(i, 4 + i, 8 + i, 12 + i, row[2 * i], row[2 * i + 1])
        for i in range(4):
            b, c, d = 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4
            mix(i, b, c, d, row[8 + 2 * i], row[9 + 2 * i])
    return [h[i] ^ v[i] ^ v[i + 8] for i in range(8)]


def rotated(word: int, count: int) -> int:
    return word >> count | (word << 64 - count) & MASK


def touched(fault: str, question: Question) -> bool:
    """Whether a fault can change the answer; only then is the slow Python core asked."""
    hashed = isinstance(question, Hash)
    tests: dict[str, Callable[[], bool]] = {
        "": lambda: False,
        "key forgotten": lambda: hashed and question.key.length > 0,
        "no carry": lambda: bool(_counter(question)[0] + question.data.length > MASK),
        "counter of 32 bits": lambda: _counter(question)[0] + question.data.length >> 32 > 0,
        "length of 16 bits": lambda: hashed and question.data.length > 0xFFFF,
        "fill assigned": lambda: hashed and bool(question.cut or question.key.length),
        "compressed when full": lambda: (
            hashed
            and (question.data.length % 128 == 0)
            and bool(question.data.length or question.key.length)
        ),
        "short digests": lambda: hashed and question.n < 64,
        "dirty parameters": lambda: hashed,
        "f1 forgotten": lambda: not hashed and question.f[1] != 0,
        "padding forgotten": lambda: (
            hashed and question.blocks > 1 and question.data.length % 128 > 0
        ),
    }
    return tests.get(fault, lambda: True)()


def _counter(question: Question) -> tuple[int, int]:
    if isinstance(question, Hash):
        return question.ctr or (0, 0)
    return question.t


@dataclass
class FakeSubject:
    """A subject whose core is Python. broken: case -> outcome, before all else."""

    fault: str = ""
    features: frozenset[str] = ALL
    broken: Callable[[Case], FakeReply | FakeFault | None] = lambda case: None
    seed: int = 1
    long: bool = False
    object_: bytes = b""
    externals: frozenset[str] = frozenset()
    oracle: Oracle = field(default_factory=Oracle)
    streams: Streams = field(default_factory=Streams)
    asked: int = 0
    blocks: int = 0

    @property
    def setup(self) -> Setup:
        raise AssertionError("this subject has no object to look at")

    def ask(self, cases: Iterable[Case]) -> Iterator[FakeReply | FakeFault]:
        for case in cases:
            self.asked += 1
            self.blocks += case.blocks
            yield self.broken(case) or FakeReply(True, self.answer(case))

    def answer(self, case: Case) -> str:
        question = case.question
        if not touched(self.fault, question):
            return self.oracle.answer(case)
        if isinstance(question, Compress):
            return self._compress(question)
        state = FakeState(self.fault, question.n, self.streams.content(question.key))
        if question.ctr is not None:
            state.t = list(question.ctr)
        message, start = self.streams.content(question.data), 0
        for piece in question.cut:
            state.update(message[start : start + piece])
            start += piece
        state.update(message[start:])
        return state.final().hex()

    def _compress(self, question: Compress) -> str:
        state = FakeState(self.fault, 64, b"")
        state.h = list(struct.unpack("<8Q", self.streams.content(question.h)))
        state.t, state.f = list(question.t), list(question.f)
        blocks = self.streams.content(question.data)
        for start in range(0, len(blocks), 128):
            state.fold(blocks[start : start + 128], question.inc)
        parts = (struct.pack("<8Q", *state.h), struct.pack("<2Q", *state.t))
        return ",".join(part.hex() for part in (*parts, struct.pack("<2Q", *state.f)))
