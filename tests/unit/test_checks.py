"""What each check catches, on a Python core with a fault of choice, and its least case."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from fake_core import ALL, FakeFault, FakeReply, FakeSubject
from fake_object import ALLOC, EXEC, WRITE, Symbol, elf_object, setup_of

from rig.cases import Case, Hash, hash_case, parse
from rig.checks import Check, all_checks
from rig.checks.replay import replay_check
from rig.checks.shrink import smaller
from rig.errors import UsageError
from rig.streams import stream
from rig.verdicts import Finding, Verdict

CHECKS = {check.name: check for check in all_checks()}


def findings(check: str, subject: FakeSubject) -> list[Finding]:
    return list(CHECKS[check].run(subject))


def only(check: str, subject: FakeSubject) -> Finding:
    found = findings(check, subject)
    assert len(found) == 1
    return found[0]


# --------------------------------------------------------------------------- all of them


def test_checks_are_found_cheapest_first_and_say_what_they_are_for() -> None:
    checks = all_checks()
    assert [check.order for check in checks] == sorted(check.order for check in checks)
    assert len({check.name for check in checks}) == len(checks) >= 12
    assert all(check.catches for check in checks)
    assert {"vectors", "lengths", "digest-sizes", "compress", "object"} <= CHECKS.keys()


def test_a_right_core_passes_and_the_round_stays_affordable() -> None:
    subject = FakeSubject()
    for check in all_checks():
        if check.name != "object":
            finding = only(check.name, subject)
            assert finding.verdict is Verdict.PASS
            assert finding.tried > 0
    # an emulated arm does 60 to 100 thousand blocks a second and the round is to take two
    assert subject.blocks < 120_000
    assert subject.asked < 25_000


@pytest.mark.parametrize(
    "check", [c for c in all_checks() if c.name != "object"], ids=lambda check: check.name
)
def test_cases_are_canonical_and_the_same_for_the_same_seed(check: Check) -> None:
    def asked(seed: int) -> list[str]:
        lines = []

        def keep(case: Case) -> None:
            lines.append(case.line)

        list(check.run(FakeSubject(broken=keep, seed=seed)))
        return lines

    lines = asked(5)
    assert lines == asked(5)
    assert all(parse(line).line == line for line in set(lines))
    if check.name in ("random", "splits", "compress", "memory"):
        assert lines != asked(6)


def test_every_length_to_4200_is_asked_and_both_ways_to_1100() -> None:
    lengths: dict[bool, set[int]] = {True: set(), False: set()}

    def keep(case: Case) -> None:
        question = case.question
        assert isinstance(question, Hash)
        lengths[question.key.length > 0].add(question.data.length)

    findings("lengths", FakeSubject(broken=keep))
    assert lengths[True] | lengths[False] >= set(range(4201))
    assert lengths[True] & lengths[False] >= {*range(1101), 8191, 8192, 8193, 16384, 16385}


def test_every_digest_size_meets_every_key_length() -> None:
    met = set()

    def keep(case: Case) -> None:
        question = case.question
        assert isinstance(question, Hash)
        met.add((question.n, question.key.length))

    findings("digest-sizes", FakeSubject(broken=keep))
    assert met == {(size, key) for size in range(1, 65) for key in range(65)}


# --------------------------------------------------------------------------- faults

CAUGHT = [
    # fault, check, least case among those tried
    ("no carry", "counters", "hash in=lcg:4:1 ctr=ffffffffffffffff:0"),
    ("counter of 32 bits", "compress", "compress h=lcg:1:64 t=100000000:0 in=inc:3:128"),
    ("length of 16 bits", "long", "hash in=inc:1:65536"),
    ("compressed when full", "splits", "hash in=lcg:2:128"),
    ("compressed when full", "lengths", "hash key=lcg:7:1"),
    ("fill assigned", "splits", "hash in=lcg:2:2 cut=1"),
    ("short digests", "alignment", "hash n=16 in=lcg:6:1"),
    ("short digests", "vectors", "hash n=20 key=hex:65"),
    ("f1 forgotten", "compress", "compress h=lcg:1:64 f=0:1 in=inc:3:128"),
    ("padding forgotten", "memory", "hash key=lcg:11:17 in=lcg:10:1"),
    ("big endian", "vectors", "hash key=hex:65"),
    ("signed bytes", "guards", "hash key=lcg:9:32"),
]


@pytest.mark.parametrize(("fault", "check", "case"), CAUGHT)
def test_a_fault_is_caught_with_its_least_case(fault: str, check: str, case: str) -> None:
    subject = FakeSubject(fault)
    finding = only(check, subject)
    assert finding.verdict is Verdict.MISMATCH
    assert finding.case == case
    assert finding.expected == subject.oracle.answer(Case(case))
    assert finding.got == subject.answer(Case(case)) != finding.expected
    assert 0 < finding.failed <= finding.tried


@pytest.mark.parametrize(
    ("fault", "blind"),
    [
        ("no carry", ("vectors", "lengths", "splits", "long")),
        ("length of 16 bits", ("vectors", "lengths", "splits", "random")),
        ("fill assigned", ("compress", "counters", "digest-sizes")),
        ("f1 forgotten", ("vectors", "splits", "counters")),
    ],
)
def test_a_fault_hides_from_the_checks_that_do_not_reach_it(
    fault: str, blind: tuple[str, ...]
) -> None:
    subject = FakeSubject(fault)
    for check in blind:
        assert only(check, subject).verdict is Verdict.PASS


def test_uninitialised_parameters_are_unstable_not_wrong() -> None:
    random.seed(1)
    finding = only("vectors", FakeSubject("dirty parameters"))
    assert finding.verdict is Verdict.UNSTABLE
    assert finding.case == "hash"


def test_sigma_of_twelve_rows_passes() -> None:
    assert only("compress", FakeSubject("sigma of twelve rows")).verdict is Verdict.PASS
    assert only("vectors", FakeSubject("sigma of twelve rows")).verdict is Verdict.PASS


def test_an_answer_that_changes_later_is_unstable() -> None:
    seen: set[str] = set()

    def second_time_wrong(case: Case) -> FakeReply | None:
        if case.line in seen and case.line.endswith("fill=ff stack=ff"):
            return FakeReply(True, "00" * 64)
        seen.add(case.line)
        return None

    finding = only("memory", FakeSubject(broken=second_time_wrong))
    assert finding.verdict is Verdict.UNSTABLE
    assert "stack=ff" in finding.case


def test_a_wrong_answer_that_does_not_come_back_is_unstable() -> None:
    answers = iter(["bad"])

    def once(case: Case) -> FakeReply | None:
        if case.line == "hash in=lcg:1:700":
            wrong = next(answers, None)
            return FakeReply(True, wrong) if wrong else None
        return None

    finding = only("lengths", FakeSubject(broken=once))
    assert finding.verdict is Verdict.UNSTABLE
    assert finding.case == "hash in=lcg:1:700"
    assert finding.got == "bad"


# --------------------------------------------------------------------------- other outcomes


def broken_from(length: int, outcome: FakeReply | FakeFault) -> Callable[[Case], object]:
    return lambda case: outcome if case.question.data.length >= length else None


def test_a_crash_names_its_smallest_case() -> None:
    crash = FakeFault(Verdict.GUEST_CRASH, "signal 11\x1b[31m")
    finding = only("splits", FakeSubject(broken=broken_from(300, crash)))
    assert finding.verdict is Verdict.GUEST_CRASH
    assert finding.case == "hash key=lcg:7:64 in=lcg:2:300 cut=117"
    assert finding.got == "signal 11\\x1b[31m"


def test_a_crash_counts_for_more_than_a_wrong_answer() -> None:
    crash = FakeFault(Verdict.GUEST_CRASH, "signal 4")
    finding = only("splits", FakeSubject("fill assigned", broken=broken_from(300, crash)))
    assert finding.verdict is Verdict.GUEST_CRASH


def test_a_fault_of_the_emulator_is_not_the_cores() -> None:
    lost = FakeFault(Verdict.EMULATOR_FAULT, "qemu: fatal")
    assert (
        only("long", FakeSubject(broken=broken_from(1, lost))).verdict is Verdict.EMULATOR_FAULT
    )
    mixed = FakeSubject("fill assigned", broken=broken_from(500, lost))
    assert only("splits", mixed).verdict is Verdict.MISMATCH


def test_cases_given_up_are_said_and_do_not_pass() -> None:
    skipped = FakeFault(Verdict.SKIPPED, "gave up after 5 faults")
    everything = findings("long", FakeSubject(broken=broken_from(0, skipped)))
    assert [finding.verdict for finding in everything] == [Verdict.SKIPPED]
    some = findings("long", FakeSubject(broken=broken_from(70000, skipped)))
    assert [finding.verdict for finding in some] == [Verdict.PASS, Verdict.SKIPPED]
    assert "1 of 7 cases not asked" in some[1].message


def test_what_the_interface_cannot_reach_is_not_covered() -> None:
    def narrow(case: Case) -> FakeReply | None:
        if " f=0:" in case.line or " inc=" in case.line:
            return FakeReply(False, "unsupported state")
        return None

    passed, uncovered = findings("compress", FakeSubject(broken=narrow))
    assert passed.verdict is Verdict.PASS
    assert uncovered.verdict is Verdict.NOT_COVERED
    assert "unsupported state" in uncovered.message
    assert f"of {passed.tried + int(uncovered.message.split()[0])} cases" in uncovered.message


@pytest.mark.parametrize(
    ("feature", "check", "verdicts"),
    [
        ("compress", "compress", [Verdict.NOT_COVERED]),
        ("guard", "guards", [Verdict.NOT_COVERED]),
        ("counter", "counters", [Verdict.NOT_COVERED, Verdict.PASS]),
        ("compress", "alignment", [Verdict.NOT_COVERED, Verdict.PASS]),
        ("counter", "random", [Verdict.PASS]),
    ],
)
def test_a_missing_feature_is_not_covered(feature: str, check: str, verdicts: list) -> None:
    subject = FakeSubject(features=ALL - {feature})
    assert [finding.verdict for finding in findings(check, subject)] == verdicts


def test_clobbered_memory_is_a_wrong_answer_made_small() -> None:
    def clobber(case: Case) -> FakeReply | None:
        wrong = case.question.at % 2 == 1 and case.question.data.length > 128
        return FakeReply(False, "clobber message") if wrong else None

    finding = only("alignment", FakeSubject(broken=clobber))
    assert finding.verdict is Verdict.MISMATCH
    assert finding.got == "err clobber message"
    assert finding.case == "hash in=lcg:6:129 at=1"
    assert finding.message.endswith("first seen at: hash in=lcg:6:130 at=1")


def test_a_shrunk_failure_says_where_it_was_first_seen() -> None:
    finding = only("random", FakeSubject("fill assigned"))
    assert finding.message.startswith(
        "a wrong answer, the same each time; first seen at: hash "
    )
    seen = parse(finding.message.split("first seen at: ")[1])
    assert seen.rank > Case(finding.case).rank


def test_a_guest_that_refuses_a_case_of_ours_is_out_of_step() -> None:
    refused = FakeReply(False, "usage unknown argument")
    finding = only("long", FakeSubject(broken=broken_from(1, refused)))
    assert finding.verdict is Verdict.DESYNC
    assert finding.got == "err usage unknown argument"


# --------------------------------------------------------------------------- replay, shrink


def test_long_goes_past_4_gib_only_when_asked() -> None:
    asked: list[Case] = []

    def no_memory(case: Case) -> FakeReply | None:
        asked.append(case)
        return FakeReply(False, "memory")

    findings("long", FakeSubject(broken=no_memory))
    assert max(case.question.data.length for case in asked) < 1 << 20


def test_replay_asks_the_one_case_and_does_not_shrink_it() -> None:
    line = "hash in=lcg:2:300 cut=5,6"
    asked: list[str] = []

    def keep(case: Case) -> None:
        asked.append(case.line)

    check = replay_check("hash cut=5,6 in=lcg:2:300")
    (finding,) = check.run(FakeSubject("fill assigned", broken=keep))
    assert finding.verdict is Verdict.MISMATCH
    assert finding.case == line
    assert set(asked) - {line} == {"hash in=byte:255:300"}
    with pytest.raises(UsageError, match="is not a case"):
        replay_check("hsah in=-")


def test_variants_are_smaller_and_not_many() -> None:
    message = stream("lcg", 1, 5000)
    key = stream("lcg", 2, 64)
    case = hash_case(message, key=key, cut=(1, 2, 3), at=3, fill=0, stack=1, ctr=(1, 1), n=9)
    variants = smaller(case)
    assert len(variants) < 90
    assert all(len(v.line) <= len(case.line) for v in variants)


def test_shrinking_asks_a_bounded_number_of_questions() -> None:
    passing = FakeSubject()
    findings("random", passing)
    failing = FakeSubject(broken=broken_from(5, FakeReply(True, "ff")))
    finding = only("random", failing)
    assert finding.case.startswith("hash in=")
    assert Case(finding.case).question.data.length < 9
    assert failing.asked - passing.asked < 800


# --------------------------------------------------------------------------- object


class ObjectSubject(FakeSubject):
    """A subject of which only the object is looked at."""

    wanted = setup_of()

    @property
    def setup(self):
        return self.wanted


def look(content: bytes, externals: frozenset[str] = frozenset(), wanted=None) -> Finding:
    subject = ObjectSubject(object_=content, externals=externals)
    if wanted is not None:
        subject.wanted = wanted
    return only("object", subject)


TEXT = (".text", ALLOC | EXEC, b"\x90" * 16)


def test_a_plain_object_passes() -> None:
    finding = look(elf_object())
    assert finding.verdict is Verdict.PASS
    assert finding.message == ""


@pytest.mark.parametrize("section", [".data", ".bss", ".tbss", ".init_array"])
def test_writable_data_breaks_the_contract(section: str) -> None:
    state = Symbol("counter", 2, 1, size=8)
    content = elf_object([TEXT, (section, ALLOC | WRITE, bytes(8))], [state])
    finding = look(content)
    assert finding.verdict is Verdict.MISMATCH
    assert finding.got == f"{section}: counter (8 bytes)"


def test_a_common_symbol_is_writable_data_too() -> None:
    finding = look(elf_object(symbols=[Symbol("table", 0xFFF2, 1, size=64)]))
    assert finding.got == "common table (64 bytes)"


def test_sections_that_only_tracing_writes_are_allowed() -> None:
    patchable = ("__patchable_function_entries", ALLOC | WRITE, bytes(4))
    assert (
        look(elf_object([TEXT, patchable, (".data", ALLOC | WRITE, b"")])).verdict
        is Verdict.PASS
    )


@pytest.mark.parametrize(
    "name",
    [
        "memcpy",
        "memset",
        "rig_core_memcpy",
        "__stack_chk_fail",
        "__x86_return_thunk",
        "__aeabi_uldivmod",
        "__aeabi_llsr",
        "__udivdi3",
        "__ashldi3",
        "_restgpr_25_x",
    ],
)
def test_helpers_may_come_from_outside(name: str) -> None:
    assert look(elf_object(symbols=[Symbol(name)])).verdict is Verdict.PASS


@pytest.mark.parametrize("name", ["puts", "malloc", "rig_ops", "memcpyx", "__aeabi_dadd"])
def test_nothing_else_may(name: str) -> None:
    content = elf_object(symbols=[Symbol(name)])
    assert look(content).got == f"undefined {name}"
    assert look(content, frozenset({name})).verdict is Verdict.PASS


def test_an_executable_stack_is_said_and_passes() -> None:
    for stack in (None, EXEC):
        finding = look(elf_object(stack=stack))
        assert finding.verdict is Verdict.PASS
        assert "executable stack" in finding.message


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (setup_of(machine="EM_ARM"), "machine: wanted EM_ARM, found EM_386"),
        (setup_of(bits=64), "ELF class: wanted 64, found 32"),
    ],
)
def test_another_machine_is_no_fault_of_the_core(wanted, words: str) -> None:
    finding = look(elf_object(), wanted=wanted)
    assert finding.verdict is Verdict.TOOLCHAIN_FAULT
    assert words in finding.message


def test_arm_and_thumb_are_told_apart() -> None:
    def arm(value: int, flag: str) -> Finding:
        content = elf_object(
            symbols=[Symbol("blake2b_compress", 1, 2, value=value)],
            machine="EM_ARM",
            flags=0x05000000,
        )
        return look(content, wanted=setup_of(machine="EM_ARM", name="arm32", flags=(flag,)))

    assert arm(0, "-marm").verdict is Verdict.PASS
    assert arm(1, "-mthumb").verdict is Verdict.PASS
    assert "-marm was asked for" in arm(1, "-marm").message
    assert "-mthumb was asked for" in arm(0, "-mthumb").message


def test_an_old_arm_abi_is_refused() -> None:
    content = elf_object(machine="EM_ARM", flags=0x04000000)
    wanted = setup_of(machine="EM_ARM", name="arm32")
    assert "EABI version 5" in look(content, wanted=wanted).message


def test_what_is_no_object_is_said_so() -> None:
    assert look(b"BC\xc0\xde rest").verdict is Verdict.NOT_COVERED
    assert look(b"not an object").verdict is Verdict.TOOLCHAIN_FAULT
    assert look(elf_object()[:60]).verdict is Verdict.TOOLCHAIN_FAULT
