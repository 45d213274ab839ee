"""Sets of cases to hunt mutants with: rig's own checks, and what others test BLAKE2b with.

The others find the memory of a context zeroed, as a fresh stack or a kernel that clears its
stack variables has it. Left out of the kernel's are its cases about overlapping buffers and
interrupts and its look at the context after final, which ask for more than a core promises.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from rig.cases import Case, Hash, case_of, hash_case
from rig.checks import Check, Subject, all_checks
from rig.checks.digest_sizes import cases as key_and_digest_sizes
from rig.checks.judge import judge
from rig.checks.splits import differences
from rig.checks.vectors import published, self_test_cases
from rig.streams import literal, stream
from rig.verdicts import Finding

OWN = "rig"
"""The suite that must kill every fault."""


@dataclass(frozen=True)
class Suite:
    """Checks in the order in which they are tried, the cheapest first."""

    name: str
    summary: str
    checks: Sequence[Check]


def _check(
    name: str,
    order: int,
    cases: Callable[[], Sequence[Case]],
    answers: Mapping[str, str] | None = None,
) -> Check:
    def run(subject: Subject) -> Iterator[Finding]:
        yield from judge(name, subject, cases(), answers, shrink=False)

    return Check(name, "", order, run)


def _zeroed(cases: Iterable[Case]) -> tuple[Case, ...]:
    """The same cases with a context of zeros."""
    made = []
    for case in cases:
        assert isinstance(case.question, Hash)
        made.append(case_of(replace(case.question, fill=0)))
    return tuple(made)


# --------------------------------------------------------------------------- the kernel's

KUNIT_LENGTHS = (
    0, 1, 2, 3, 16, 32, 48, 49, 63, 64, 65, 127, 128, 129, 256, 511, 513, 1000, 3333, 4096,
    4128, 4160, 4224, 16384,
)  # fmt: skip
"""Lengths that the kernel's KUnit test has fixed digests for."""

_ALL = 4096
_SPLITS = 300


def kunit_data(length: int) -> bytes:
    """The kernel's test data: a 48-bit linear congruence, its seed the length."""
    state = length
    made = bytearray()
    for _ in range(length):
        state = (state * 25214903917 + 11) % (1 << 48)
        made.append(state >> 16 & 0xFF)
    return bytes(made)


@cache
def _kunit_fixed() -> tuple[Case, ...]:
    return _zeroed(hash_case(literal(kunit_data(length))) for length in KUNIT_LENGTHS)


@cache
def _kunit_lengths() -> tuple[Case, ...]:
    return _zeroed(hash_case(stream("lcg", 4096, length)) for length in range(_ALL + 1))


@cache
def _kunit_sizes() -> tuple[Case, ...]:
    return _zeroed(key_and_digest_sizes())


@cache
def _kunit_splits() -> tuple[Case, ...]:
    chance = random.Random("kunit")  # noqa: S311 - repeatable, not secret
    cases = []
    for _ in range(_SPLITS):
        length = chance.randrange(_ALL + 1)
        marks = sorted(chance.choices(range(length + 1), k=chance.randrange(1, 8)))
        data = stream("lcg", chance.randrange(24), length)
        cases.append(hash_case(data, cut=differences(marks), at=chance.randrange(64)))
    return _zeroed(cases)


@cache
def _kunit_buffers() -> tuple[Case, ...]:
    """Message, key and digest right before a page that may not be touched; offsets."""
    cases = []
    for length in (0, 1, 64, 127, 128, 129, 256, 1000, 4096):
        for n in (1, 32, 64):
            cases.append(hash_case(stream("lcg", 1, length), n=n, guard="after"))
    for length in range(1, 65):
        cases.append(
            hash_case(stream("lcg", 1, 3), key=stream("lcg", 2, length), guard="after")
        )
    for at in range(64):
        cases.append(hash_case(stream("lcg", 1, 128 + at), at=at, out=63 - at))
    return _zeroed(cases)


# --------------------------------------------------------------------------- all of them


@cache
def _abc() -> tuple[Case, ...]:
    return _zeroed([hash_case(literal(b"abc"))])


@cache
def _appendix() -> tuple[Case, ...]:
    return _zeroed(self_test_cases())


@cache
def _published() -> tuple[Case, ...]:
    return _zeroed(map(Case, published()))


@cache
def _answers() -> dict[str, str]:
    """The published answers, by the lines that are asked here."""
    return dict(zip((case.line for case in _published()), published().values(), strict=True))


def suites() -> dict[str, Suite]:
    """By name: rig's own first, then those to compare with, the smallest first."""
    kunit = (
        _check("fixed digests", 1, _kunit_fixed),
        _check("splits", 2, _kunit_splits),
        _check("buffers", 3, _kunit_buffers),
        _check("key and digest sizes", 4, _kunit_sizes),
        _check("all lengths", 5, _kunit_lengths),
    )
    abc = _check("abc", 1, _abc, _answers())
    made = (
        Suite(OWN, "rig check, all checks", all_checks()),
        Suite("abc", '"abc" alone', [abc]),
        Suite("rfc", "RFC 7693, appendix E", [_check("appendix E", 1, _appendix)]),
        Suite(
            "published",
            "the published 512 answers",
            [_check("published", 1, _published, _answers())],
        ),
        Suite("kunit", "the kernel's KUnit cases", kunit),
    )
    return {suite.name: suite for suite in made}
