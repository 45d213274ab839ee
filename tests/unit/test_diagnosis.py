"""A diagnosis is said where the evidence shows it, and nothing where it does not."""

from __future__ import annotations

import pytest
from fake_core import ALL, FakeFault, FakeSubject
from fake_object import setup_of

from rig.cases import Case, parse
from rig.diagnosis import diagnose, explain
from rig.model import ByteOrder, Setup, Toolchain
from rig.report.across import across
from rig.verdicts import Verdict


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("digest words reversed", "the bytes of each word of the digest are reversed"),
        ("big endian", "the bytes of each message word are reversed when it is loaded"),
        ("second block", "wrong from the second block on"),
        ("key forgotten", "wrong only with a key"),
        ("short digests", "wrong only for digests under 64 bytes"),
        ("fill assigned", "wrong only when split into pieces"),
        ("compressed when full", "wrong only for messages of whole blocks"),
        ("length of 16 bits", "wrong only for messages of 64 KiB and more"),
        ("counter of 32 bits", "wrong only past 2^32 in the byte counter"),
        ("no carry", "wrong only where the counter crosses 2^64"),
        ("signed bytes", "wrong only with bytes over 0x7F"),
        ("f1 forgotten", "wrong only with f[1] set"),
        ("dirty parameters", "the answer to the same question differs between runs"),
    ],
)
def test_a_fault_is_named(fault: str, sentence: str) -> None:
    assert diagnose(FakeSubject(fault)) == (sentence,)


def test_a_right_core_gets_no_diagnosis() -> None:
    subject = FakeSubject()
    assert diagnose(subject) == ()
    assert subject.asked < 500


def test_a_core_wrong_everywhere_gets_none() -> None:
    assert diagnose(FakeSubject("wrong everywhere")) == ()


def test_without_features_their_probes_are_not_asked() -> None:
    asked: list[str] = []

    def keep(case: Case) -> None:
        asked.append(case.line)

    diagnose(FakeSubject(broken=keep, features=ALL - {"compress", "counter"}))
    assert asked
    assert not [line for line in asked if "ctr=" in line or line.startswith("compress")]


def test_crashes_are_no_evidence() -> None:
    crash = FakeFault(Verdict.GUEST_CRASH, "signal 11")
    assert diagnose(FakeSubject("wrong everywhere", broken=lambda case: crash)) == ()


def test_the_narrowest_of_two_fitting_respects_is_said() -> None:
    wrong = [parse("hash in=inc:0:200 cut=100"), parse("hash in=inc:0:300 cut=1")]
    right = [parse("hash in=inc:0:1"), parse("hash in=inc:0:200")]
    assert explain(wrong, right) == ["wrong only when split into pieces"]


def test_no_respect_is_said_that_a_wrong_case_lacks() -> None:
    wrong = [parse("hash in=inc:0:2 cut=1"), parse("hash in=inc:0:2")]
    right = [parse("hash")]
    assert "wrong only when split into pieces" not in explain(wrong, right)


# --------------------------------------------------------------------------- cells

I386 = {"name": "i386"}
X86 = {"name": "x86_64", "bits": 64, "machine": "EM_X86_64"}
ARM = {"name": "arm32", "machine": "EM_ARM"}
ARMEB = {"name": "armeb32", "machine": "EM_ARM", "order": ByteOrder.BIG}


def matrix(wrong) -> list[tuple[Setup, Verdict]]:
    setups = [
        setup_of(**target, toolchain=Toolchain(family), profile=profile)
        for target in (I386, X86, ARM, ARMEB)
        for family in ("gcc", "clang")
        for profile in ("user", "O3")
    ]
    return [(s, Verdict.MISMATCH if wrong(s) else Verdict.PASS) for s in setups]


def told(cells: list[tuple[Setup, Verdict]]) -> tuple[str, ...]:
    return across((setup.attributes, verdict) for setup, verdict in cells)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda s: s.target.byte_order is ByteOrder.BIG, "wrong only on big-endian targets"),
        (lambda s: s.target.bits == 32, "wrong only on 32-bit targets"),
        (lambda s: s.target.name == "arm32", "wrong only on target arm32"),
        (lambda s: s.toolchain.family == "clang", "wrong only with clang"),
        (lambda s: s.profile.name == "O3", "wrong only under profile O3"),
        (
            lambda s: s.profile.name == "O3" and s.toolchain.family == "gcc",
            "wrong only under profile O3 with gcc",
        ),
    ],
)
def test_what_the_failing_cells_share_is_said(wrong, words: str) -> None:
    assert told(matrix(wrong)) == (words,)


def test_levels_that_are_wrong_are_told_from_those_that_are_right() -> None:
    levels = [
        (setup_of(**I386, toolchain=Toolchain("gcc"), profile=level), level)
        for level in ("O0", "O1", "O2", "Os")
    ]
    cells = [(s, Verdict.PASS if level == "O0" else Verdict.MISMATCH) for s, level in levels]
    assert told(cells) == ("wrong under profile O1, O2, Os, right under profile O0",)


def test_nothing_is_said_when_all_or_none_or_any_fail() -> None:
    assert told(matrix(lambda s: True)) == ()
    assert told(matrix(lambda s: False)) == ()
    scattered = told(
        matrix(lambda s: (s.target.name == "i386") == (s.toolchain.family == "gcc"))
    )
    assert scattered == ()


def test_cells_that_could_not_be_judged_are_no_evidence() -> None:
    cells = matrix(lambda s: s.target.name == "i386")
    blurred = [
        (s, Verdict.ENVIRONMENT if s.target.name != "i386" else verdict) for s, verdict in cells
    ]
    assert told(blurred) == ()


def test_a_refusal_is_told_apart_from_a_wrong_answer() -> None:
    cells = matrix(lambda s: s.toolchain.family == "clang")
    refused = [(s, Verdict.BUILD_FAILED if v is Verdict.MISMATCH else v) for s, v in cells]
    assert told(refused) == ("refused by the compiler only with clang",)
    assert told([*refused[:3], *cells[3:]]) == ()
