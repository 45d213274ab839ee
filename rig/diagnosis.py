"""What a failing core has in common with a kind of fault, where the evidence shows it.

A core that failed is asked a few dozen probes, which differ in one respect each. A sentence is
said only when every probe that went wrong has the respect and probes without it went right.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rig.cases import BLOCK, Case, Compress, Hash, compress_case, hash_case
from rig.checks import Subject
from rig.checks.judge import is_fault
from rig.oracle import IV, MASK, compress
from rig.streams import Streams, literal, stream

_ONES = (1 << 64) - 1
_LENGTHS = (0, 1, 3, 8, 64, 127, 128, 129, 200, 255, 256, 257, 384, 1000)
_TEXT = b"the quick brown fox jumps over the lazy dog, again and again; "


@dataclass(frozen=True, slots=True)
class Probe:
    """A case and its answers. right: every answer was the oracle's. steady: all were alike."""

    case: Case
    expected: str
    got: str
    right: bool
    steady: bool


@dataclass(frozen=True, slots=True)
class Respect:
    """Something a case can have. all_fail: said only if every probe that has it is wrong."""

    sentence: str
    holds: Callable[[Case], bool]
    all_fail: bool = False


# --------------------------------------------------------------------------- one cell


def diagnose(subject: Subject) -> tuple[str, ...]:
    """Sentences on a core that failed, most telling first; none where nothing fits.

    Asks some 150 questions, each twice. A guest that crashes gives no evidence.
    """
    probes = list(_ask(subject, list(_probes(subject.features))))
    wrong = [probe for probe in probes if not probe.right]
    if not wrong:
        return ()
    if any(not probe.steady for probe in wrong):
        return ("the answer to the same question differs between runs",)
    found = list(_reversed(wrong))
    found += explain([probe.case for probe in wrong], [p.case for p in probes if p.right])
    return tuple(found)


def explain(wrong: Sequence[Case], right: Sequence[Case]) -> list[str]:
    """Sentences that the wrong and the right cases bear out, by what they have in common."""
    every = [*wrong, *right]
    fitting: list[tuple[frozenset[str], Respect]] = []
    for respect in RESPECTS:
        having = frozenset(case.line for case in every if respect.holds(case))
        if not all(case.line in having for case in wrong) or len(having) == len(every):
            continue
        if respect.all_fail and any(case.line in having for case in right):
            continue
        fitting.append((having, respect))
    return [
        respect.sentence
        for having, respect in fitting
        # what is implied by something narrower says nothing more
        if not any(narrower < having for narrower, _ in fitting)
    ]


def _ask(subject: Subject, cases: Sequence[Case]) -> Iterator[Probe]:
    """Every case twice, the second time in reverse order; what got no answer is left out."""
    order = [*cases, *reversed(cases)]
    answers: dict[str, set[str]] = {case.line: set() for case in cases}
    lost = set()
    for case, outcome in zip(order, subject.ask(order), strict=True):
        if is_fault(outcome) or not outcome.ok:
            lost.add(case.line)
        else:
            answers[case.line].add(outcome.payload)
    for case in cases:
        if case.line not in lost:
            expected = subject.oracle.answer(case)
            got = answers[case.line]
            yield Probe(case, expected, min(got), got == {expected}, len(got) == 1)


# --------------------------------------------------------------------------- probes


def _probes(features: frozenset[str]) -> Iterator[Case]:
    """Cases that differ in one respect from plain ones."""
    text = _TEXT * 20
    key = stream("byte", 65, 32)
    for length in _LENGTHS:
        plain = literal(text[:length])
        yield hash_case(plain)
        yield hash_case(stream("byte", 200, length))
        yield hash_case(plain, key=key)
        yield hash_case(plain, key=literal(b"A" * 64))
        yield hash_case(plain, n=32)
        yield hash_case(plain, at=1)
        yield hash_case(plain, fill=0)
        if length > 1:
            yield hash_case(plain, cut=(length // 2,))
            yield hash_case(plain, cut=(1,))
    for size in (1, 20, 48, 63):
        yield hash_case(literal(text[:129]), n=size)
    for length in (65535, 65537, 66000):
        yield hash_case(stream("byte", 65, length))
    if "counter" in features:
        for low in (1 << 20, (1 << 32) - 256, (1 << 32) - 64, (1 << 40), (1 << 64) - 64):
            for length in (3, 200):
                yield hash_case(literal(text[:length]), ctr=(low, 0))
    if "compress" in features:
        yield from _raw_probes()


def _raw_probes() -> Iterator[Case]:
    h, block = stream("byte", 65, 64), literal((_TEXT * 20)[:BLOCK])
    for t in ((0, 0), (BLOCK, 0), (1 << 40, 0), (_ONES - 5, 0), (0, 1)):
        yield compress_case(h, block, t=t)
        yield compress_case(h, block, t=t, f=(_ONES, 0))
    yield compress_case(h, block, f=(0, _ONES))
    yield compress_case(h, block, f=(_ONES, _ONES))
    for inc in (0, 64):
        yield compress_case(h, block, inc=inc)
    for blocks in (2, 3):
        yield compress_case(h, literal((_TEXT * 20)[: BLOCK * blocks]))


# --------------------------------------------------------------------------- respects


def _hash(case: Case) -> Hash | None:
    return case.question if isinstance(case.question, Hash) else None


def _on_hash(test: Callable[[Hash], bool]) -> Callable[[Case], bool]:
    def holds(case: Case) -> bool:
        question = _hash(case)
        return question is not None and test(question)

    return holds


def _counters(case: Case) -> tuple[int, int]:
    """The 128-bit counter before the first and after the last block."""
    question = case.question
    if isinstance(question, Compress):
        start = question.t[0] | question.t[1] << 64
        return start, start + question.inc * question.blocks
    low, high = question.ctr or (0, 0)
    start = low | high << 64
    return start, start + question.data.length + (BLOCK if question.key.length else 0)


def _past(bits: int) -> Callable[[Case], bool]:
    return lambda case: _counters(case)[1] >> bits > 0


def _crosses(bits: int) -> Callable[[Case], bool]:
    def holds(case: Case) -> bool:
        before, after = _counters(case)
        return before >> bits != after >> bits

    return holds


def _has_high_bytes(case: Case) -> bool:
    """Any byte over 0x7F, but for what the padding or the counter brings in."""
    streams, question = Streams(), case.question
    parts = [question.data, question.key if isinstance(question, Hash) else question.h]
    return any(max(streams.content(part), default=0) > 0x7F for part in parts)


def _has_raw(test: Callable[[Compress], bool]) -> Callable[[Case], bool]:
    return lambda case: isinstance(case.question, Compress) and test(case.question)


RESPECTS: tuple[Respect, ...] = (
    Respect("wrong from the second block on", lambda case: case.blocks > 1, all_fail=True),
    Respect("wrong only with a key", _on_hash(lambda question: question.key.length > 0)),
    Respect(
        "wrong only for digests under 64 bytes", _on_hash(lambda question: question.n < 64)
    ),
    Respect("wrong only when split into pieces", _on_hash(lambda question: bool(question.cut))),
    Respect(
        "wrong only for messages of whole blocks",
        _on_hash(lambda question: question.data.length % BLOCK == 0),
    ),
    Respect(
        "wrong only for messages of 64 KiB and more",
        _on_hash(lambda question: question.data.length >= 1 << 16),
    ),
    Respect("wrong only past 2^32 in the byte counter", _past(32)),
    Respect("wrong only past 2^64 in the byte counter", _past(64)),
    Respect("wrong only where the counter crosses 2^32", _crosses(32)),
    Respect("wrong only where the counter crosses 2^64", _crosses(64)),
    Respect("wrong only with bytes over 0x7F", _has_high_bytes),
    Respect("wrong only at odd addresses", lambda case: case.question.at % 2 == 1),
    Respect(
        "wrong only when the context's memory was not zero before init",
        lambda case: case.question.fill != 0,
    ),
    Respect("wrong only in raw states", lambda case: isinstance(case.question, Compress)),
    Respect("wrong only with f[1] set", _has_raw(lambda question: question.f[1] != 0)),
    Respect("wrong only with several blocks a call", _has_raw(lambda q: q.blocks > 1)),
    Respect("wrong only with an increment under 128", _has_raw(lambda q: q.inc != BLOCK)),
)


# --------------------------------------------------------------------------- byte order


def _reversed(wrong: Sequence[Probe]) -> Iterator[str]:
    """Whether every wrong digest of one block is what a reversed byte order makes of it."""
    short = [probe for probe in wrong if _one_block(probe.case)]
    if short and all(_swapped(bytes.fromhex(p.expected)).hex() == p.got for p in short):
        yield "the bytes of each word of the digest are reversed"
    if short and all(_with_swapped_message(probe.case) == probe.got for probe in short):
        yield "the bytes of each message word are reversed when it is loaded"


def _one_block(case: Case) -> bool:
    question = _hash(case)
    if question is None or question.n != 64 or question.ctr is not None:
        return False
    return case.blocks == 1


def _swapped(content: bytes) -> bytes:
    return struct.pack(
        f">{len(content) // 8}Q", *struct.unpack(f"<{len(content) // 8}Q", content)
    )


def _with_swapped_message(case: Case) -> str:
    """The digest of a one-block message whose words are read in the wrong byte order."""
    question = _hash(case)
    assert question is not None
    key, message = (Streams().content(data) for data in (question.key, question.data))
    block, count = (key, BLOCK) if key else (message, len(message))
    h = [IV[0] ^ 0x01010000 ^ (len(key) << 8) ^ question.n, *IV[1:]]
    words = struct.unpack(">16Q", block.ljust(BLOCK, b"\0"))
    return struct.pack("<8Q", *compress(h, words, count, (MASK, 0))).hex()
