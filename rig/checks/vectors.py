"""The published answers: those of RFC 7693 and of the BLAKE2 reference package."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from rig.cases import Case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import is_fault, judge
from rig.streams import literal
from rig.verdicts import Finding, Verdict

ABC = (
    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
    "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
)
"""RFC 7693, appendix A: BLAKE2b-512 of the three bytes 'abc'."""

GRAND = "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475"
"""RFC 7693, appendix E: BLAKE2b-256 over the 48 digests of :func:`self_test_cases`."""


@cache
def published() -> dict[str, str]:
    """Line of a case -> its published digest: 'abc' and the 512 of the reference package."""
    answers = {hash_case(literal(b"abc")).line: ABC}
    key = literal(bytes(range(64)))
    keyed = False
    text = files(__package__).joinpath("data/blake2b-kat.txt").read_text("ascii")
    length = 0
    for line in text.splitlines():
        if line.startswith("["):
            keyed, length = line == "[keyed]", 0
        elif not line.startswith("#"):
            message = literal(bytes(range(length)))
            case = hash_case(message, key=key) if keyed else hash_case(message)
            answers[case.line] = line
            length += 1
    return answers


@cache
def self_test_cases() -> tuple[Case, ...]:
    """The 48 cases of RFC 7693, appendix E, in its order."""
    cases = []
    for size in (20, 32, 48, 64):
        for length in (0, 3, 128, 129, 255, 1024):
            message = literal(_sequence(length, length))
            cases.append(hash_case(message, n=size))
            cases.append(hash_case(message, n=size, key=literal(_sequence(size, size))))
    return tuple(cases)


def _sequence(length: int, seed: int) -> bytes:
    """``selftest_seq`` of RFC 7693, appendix E: bytes of a Fibonacci sequence mod 2^32."""
    before, current = 0xDEAD4BAD * seed & 0xFFFFFFFF, 1
    made = bytearray()
    for _ in range(length):
        before, current = current, (before + current) & 0xFFFFFFFF
        made.append(current >> 24)
    return bytes(made)


def _run(subject: Subject) -> Iterator[Finding]:
    answers = published()
    cases = [Case(line) for line in answers]
    findings = list(judge("vectors", subject, [*cases, *self_test_cases()], answers))
    yield from findings
    if all(finding.verdict is Verdict.PASS for finding in findings):
        yield from _grand(subject)


def _grand(subject: Subject) -> Iterator[Finding]:
    """The RFC's own sum over its 48 digests; it needs no oracle but the final hash."""
    total = hashlib.blake2b(digest_size=32)
    for outcome in subject.ask(self_test_cases()):
        if is_fault(outcome) or not outcome.ok:
            return
        total.update(bytes.fromhex(outcome.payload))
    if total.hexdigest() != GRAND:
        text = "RFC 7693 appendix E: the hash over its 48 digests is wrong"
        yield Finding("vectors", Verdict.MISMATCH, text, "", GRAND, total.hexdigest(), 48, 1)


CHECK = Check("vectors", "whatever the published answers show", 10, _run)
