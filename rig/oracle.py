"""Where right answers come from: ``hashlib``, and a compress function written from RFC 7693.

``hashlib.blake2b`` answers whole hashes. What it cannot reach (a preset counter, a raw state)
is answered by :func:`compress`, plain Python after section 3.2 of the RFC, about ten thousand
blocks a second. Answers are kept, so that a campaign computes each once for all of its cells.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from rig.cases import BLOCK, Case, Compress, Hash, Pair64
from rig.errors import StoreFault
from rig.makers import Cases
from rig.once import Once
from rig.store import Store, key_of
from rig.streams import Streams

MASK = (1 << 64) - 1
_MASK128 = (1 << 128) - 1

IV = (
    0x6A09E667F3BCC908,
    0xBB67AE8584CAA73B,
    0x3C6EF372FE94F82B,
    0xA54FF53A5F1D36F1,
    0x510E527FADE682D1,
    0x9B05688C2B3E6C1F,
    0x1F83D9ABFB41BD6B,
    0x5BE0CD19137E2179,
)
"""RFC 7693, section 2.6: the first 64 bits of the fractions of the roots of 2, 3, 5 .. 19."""

SIGMA = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
"""RFC 7693, section 2.7; rounds 10 and 11 take the first two lines again."""

_MIXED = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)
"""The words that the eight calls of G in one round mix: four columns, four diagonals."""

_ROUNDS = tuple(
    tuple(
        (*words, SIGMA[r % 10][2 * i], SIGMA[r % 10][2 * i + 1])
        for i, words in enumerate(_MIXED)
    )
    for r in range(12)
)


def compress(h: Sequence[int], m: Sequence[int], t: int, f: Pair64) -> list[int]:
    """F of RFC 7693, section 3.2: eight state words, sixteen message words, 128-bit counter.

    f: both finalization words; the RFC's flag is ``(MASK, 0)``.
    """
    v = [*h, *IV]
    v[12] ^= t & MASK
    v[13] ^= t >> 64
    v[14] ^= f[0]
    v[15] ^= f[1]
    for calls in _ROUNDS:
        for a, b, c, d, x, y in calls:  # G, section 3.1, on locals: this is the hot loop
            va = (v[a] + v[b] + m[x]) & MASK
            vd = v[d] ^ va
            vd = vd >> 32 | (vd << 32) & MASK
            vc = (v[c] + vd) & MASK
            vb = v[b] ^ vc
            vb = vb >> 24 | (vb << 40) & MASK
            v[a] = va = (va + vb + m[y]) & MASK
            vd ^= va
            v[d] = vd = vd >> 16 | (vd << 48) & MASK
            v[c] = vc = (vc + vd) & MASK
            vb ^= vc
            v[b] = vb >> 63 | (vb << 1) & MASK
    return [h[i] ^ v[i] ^ v[i + 8] for i in range(8)]


def fold(
    h: Sequence[int], blocks: bytes, t: int, f: Pair64, inc: int = BLOCK
) -> tuple[list[int], int]:
    """Blocks in a row, as guest/blake2b.h has it: ``inc`` onto the counter before each block.

    Returns the state and the counter, which wraps at 128 bits.
    """
    state = list(h)
    for words in struct.iter_unpack("<16Q", blocks):
        t = (t + inc) & _MASK128
        state = compress(state, words, t, f)
    return state, t


def hash_with_counter(message: bytes, key: bytes, size: int, counter: Pair64) -> bytes:
    """A digest by the RFC's own steps, the counter set right after init, before any block."""
    state = list(IV)
    state[0] ^= 0x01010000 ^ (len(key) << 8) ^ size
    padded = key.ljust(BLOCK, b"\0") + message if key else message
    last = max(0, (len(padded) - 1) // BLOCK * BLOCK)
    t = counter[0] | counter[1] << 64
    state, t = fold(state, padded[:last], t, (0, 0))
    tail = padded[last:]
    state, _ = fold(state, tail.ljust(BLOCK, b"\0"), t, (MASK, 0), inc=len(tail))
    return struct.pack("<8Q", *state)[:size]


WORTH_KEEPING = 100
"""Cases of a maker from which on they and their answers go into the store."""


@cache
def _code() -> str:
    """Digest of what makes cases and answers: another oracle asks the store for its own."""
    here = Path(__file__)
    modules = ("oracle", "streams", "cases")
    python = sys.version_info[:2]  # its random numbers may be others
    return key_of(python, *(here.with_name(f"{name}.py").read_bytes() for name in modules))


class Oracle:
    """Right answers, each computed once; those of whole checks are found again in the store."""

    def __init__(self, store: Store | None = None) -> None:
        self._store = store
        self._streams = Streams()
        self._answers: dict[str, str] = {}
        self._lists: Once[str, Sequence[str]] = Once()

    def answers(self, cases: Sequence[Case]) -> Sequence[str]:
        """One answer a case; those of a maker are kept, since a check asks it of each cell.

        From the store they come together with the lines of the cases.
        """
        if not isinstance(cases, Cases):
            return [self.answer(case) for case in cases]
        return self._lists.get(cases.key, lambda: self._all(cases))

    def _all(self, cases: Cases) -> Sequence[str]:
        key = key_of("asked", _code(), cases.key)
        entry = self._store.get(key) if self._store else None
        if entry is not None:
            cases.take(entry["cases"].decode("ascii").split("\n"))
            return entry["answers"].decode("ascii").split("\n")
        answers = [self.answer(case) for case in cases.make()]
        if self._store and len(answers) >= WORTH_KEEPING:
            kept = {"cases": cases.lines, "answers": answers}
            files = {name: "\n".join(some).encode("ascii") for name, some in kept.items()}
            with suppress(StoreFault):  # they are right without it
                self._store.put(key, files)
        return answers

    def answer(self, case: Case) -> str:
        """The payload of a good reply to a case. Raises UsageError for a senseless line."""
        answer = self._answers.get(case.line)
        if answer is None:
            question = case.question
            if isinstance(question, Hash):
                answer = self._hash(question).hex()
            else:
                answer = self._compress(question)
            self._answers[case.line] = answer
        return answer

    def _hash(self, question: Hash) -> bytes:
        key = self._streams.content(question.key)
        if question.ctr is not None:
            message = self._streams.content(question.data)
            return hash_with_counter(message, key, question.n, question.ctr)
        state = hashlib.blake2b(key=key, digest_size=question.n)
        for _ in range(question.rep * question.map):
            for chunk in self._streams.chunks(question.data):
                state.update(chunk)
        return state.digest()

    def _compress(self, question: Compress) -> str:
        h = struct.unpack("<8Q", self._streams.content(question.h))
        blocks = self._streams.content(question.data)
        start = question.t[0] | question.t[1] << 64
        state, t = fold(h, blocks, start, question.f, question.inc)
        counter = struct.pack("<2Q", t & MASK, t >> 64)
        flags = struct.pack("<2Q", *question.f)
        return f"{struct.pack('<8Q', *state).hex()},{counter.hex()},{flags.hex()}"
