"""The tables: what is pasted into a commit message, and what failed."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

import pytest
from event_stream import (
    ARM,
    CASE,
    CLANG,
    GCC,
    built,
    campaign,
    core_facts,
    exact,
    facts,
    judged,
    mismatch,
    started,
    timed,
)
from hypothesis import example, given
from hypothesis import strategies as st

from rig.events import (
    BuildFailed,
    CampaignEnded,
    CampaignStarted,
    CellJudged,
    Event,
    Measured,
    SetupFailed,
    SetupReady,
    TimeVerdict,
)
from rig.report.document import from_json, to_json
from rig.report.failures import difference
from rig.report.fold import fold
from rig.report.layout import WIDTH, clean, command, shorten, table
from rig.report.text import render_check, render_compare, summary
from rig.verdicts import Finding, Verdict

GOLDEN = """\
    blake2b_compress(), before / after: unrolled / rolled
    profile kernel; docker 20.10.24
    i386: gcc 14.2.0, clang 19.1.7, QEMU 10.0.8
    arm32: gcc 14.2.0, QEMU 10.0.8

                      size (bytes)  frame (bytes)              verdict
                      ------------  -------------  -------------------
    i386,   gcc-14    27575 / 3627      488 / 504                 PASS
    i386,   clang-19  27575 / 3627          - / -      PASS / MISMATCH
    arm32,  gcc-14       27575 / -        488 / -  PASS / BUILD_FAILED
    x86_64, gcc              - / -          - / -          ENVIRONMENT

    Emulated throughput at 16384 bytes (MB/s):

                       before   after          after / before
                       ------   -----   ---------------------
    i386,   gcc-14       34.1    51.2   1.500 (1.480 - 1.520)
    i386,   clang-19     34.1    51.2   1.500 (1.480 - 1.520)

    This is the emulator's time, not hardware's; do not read it as
    speed.

    frame not measured in 2 cells: no stack file

    x86_64/gcc/kernel: ENVIRONMENT
        the image of x86_64 could not be built
        see the log
        > E: Unable to locate package gcc

    i386/clang/kernel, rolled: MISMATCH in lengths
        3 of 1100 cases: a wrong digest
        case      hash n=64 key=lcg:7:64 ...=1,127,128,129,1000,4096
        expected  ...aabbccddeeff00112233445566778899aabbccddeeff
        got       ...aabbccddeeff0011f233445566778899aabbccddeeff
        first difference at byte 50
        again:
          rig check rolled --on i386/clang/kernel \\
            --case 'hash n=64 key=lcg:7:64 in=lcg:12345:16384 cut=1,127,128,129,1000,4096'

    arm32/gcc/kernel, rolled: BUILD_FAILED
        rolled.c:12:5: error: unknown type name 'u64'
        >    12 |     u64 v[16];
        image: rig-arm32:abc
        command:
          arm-linux-gnueabihf-gcc -O2 -marm -march=armv7-a -c rolled.c

    unrolled 0123456789ab: sha256 unrolled.c 0123456789ab
    rolled ba9876543210: sha256 rolled.c ba9876543210
    5 compilations
    8 cells: 4 PASS, 2 ENVIRONMENT, 1 MISMATCH, 1 BUILD_FAILED; 5560
      cases judged; 9.2 s
    rig compare unrolled rolled --on 'i386/*'
"""


def assert_pasteable(text: str) -> None:
    assert text.isascii()
    for line in text.splitlines():
        assert line == "" or re.match(r" {4}\S| {5}", line), line
        assert line == line.rstrip()
        assert all(" " <= character <= "~" for character in line)
        assert len(line) <= WIDTH or "--case" in line, line


def test_compare_is_as_written_here() -> None:
    assert render_compare(fold(campaign())) == GOLDEN


def test_every_prefix_renders() -> None:
    events = campaign()
    for length in range(1, len(events) + 1):
        report = fold(events[:length])
        assert_pasteable(render_compare(report))
        assert_pasteable(render_check(report))
        assert ("PARTIAL, " in render_compare(report)) == (length < len(events))


def test_check_has_a_table_for_each_core() -> None:
    text = render_check(fold(campaign()))
    assert_pasteable(text)
    lines = text.splitlines()
    rolled = lines[lines.index("    rolled:") + 1 :]
    assert rolled[3].split() == ["i386,", "clang-19", "3627", "-", "1112", "MISMATCH"]


def test_columns_appear_only_when_measured() -> None:
    bare = [started(), *judged(GCC, "rolled")]
    assert "size" not in render_compare(fold(bare)).splitlines()[3]
    work = replace(exact("work", 7120.0), unit="insns/block")
    measured = fold([*bare, Measured(GCC, "rolled", (exact("size", 1), work))])
    head = next(line for line in render_compare(measured).splitlines() if "verdict" in line)
    assert head.split() == ["size", "(bytes)", "insns/block", "verdict"]
    assert "- / 7120" in render_compare(measured)


def test_a_lower_bound_is_shown_as_one_with_its_note() -> None:
    frame = replace(exact("frame", 488.0, "dynamic"), exact=False, low=488.0)
    text = render_check(fold([started(), Measured(GCC, "rolled", (frame,))]))
    assert " >=488 " in text
    assert "    frame in 1 cell: dynamic\n" in text


def test_a_wide_table_is_cut_into_blocks() -> None:
    text = render_compare(
        fold(
            [
                started(),
                SetupReady(GCC, facts("i386", "gcc", "14.2.0"), ()),
                *built(GCC, "unrolled"),
                Measured(GCC, "unrolled", (exact("stack", 99999), exact("work", 123456))),
                CellJudged(GCC, "unrolled", Verdict.TOOLCHAIN_FAULT),
                CellJudged(GCC, "rolled", Verdict.EMULATOR_FAULT),
            ]
        )
    )
    assert_pasteable(text)
    assert "TOOLCHAIN_FAULT / EMULATOR_FAULT" in text
    assert sum(line.startswith("    i386,   gcc-14") for line in text.splitlines()) >= 2


def test_profiles_are_named_when_there_are_several() -> None:
    begin = replace(
        started(),
        cells=((GCC, "rolled"), ("i386/gcc/user", "rolled")),
        pairs=(),
    )
    text = render_check(fold([begin]))
    assert "i386, gcc, kernel" in text
    assert "i386, gcc, user" in text
    assert "profile kernel, user;" in text


def test_no_isolation_is_said() -> None:
    text = render_compare(fold([replace(started(), engine="host", isolated=False)]))
    assert "profile kernel; host, no isolation\n" in text
    told = replace(started(), engine="here, no isolation", isolated=False)
    assert render_compare(fold([told])).count("no isolation") == 1
    assert "no isolation" not in render_compare(fold([started()]))


def test_whose_time_it_is() -> None:
    native = replace(
        timed(GCC), method="native", verdict=TimeVerdict.SLOWER, cpu="Some CPU 1.0"
    )
    text = render_compare(fold([started(), timed(GCC), native]))
    assert text.index("on Some CPU 1.0") < text.index("slower") < text.index("Emulated")
    assert text.index("Emulated throughput") < text.index("not hardware's")


def test_what_was_left_out_is_told_once_with_its_reason() -> None:
    events: list[Event] = [started()]
    finding = Finding("guard", Verdict.NOT_COVERED, "the function is static")
    for core in ("unrolled", "rolled"):
        events += judged(GCC, core, finding)
    text = render_check(fold(events))
    assert text.count("NOT_COVERED, guard, 2 cells: the function is static") == 1
    assert "again:" not in text


def test_other_failing_checks_of_a_cell_are_named() -> None:
    events: list[Event] = [started(), *judged(GCC, "rolled", mismatch())]
    events[-1] = CellJudged(GCC, "rolled", Verdict.TIMEOUT, Finding("raw", Verdict.TIMEOUT))
    assert "also: lengths MISMATCH (3 of 1100)" in render_check(fold(events))


def test_a_diagnosis_stands_with_its_cell_and_one_line_tells_setups_apart() -> None:
    events: list[Event] = [started()]
    for setup, order in ((GCC, "little"), (CLANG, "big")):
        attributes = {"order": order, "bits": "32"}
        events.append(SetupReady(setup, facts("i386", "gcc", "14.2.0"), (), attributes))
    events += judged(GCC, "rolled") + judged(CLANG, "rolled", mismatch())
    events[-1] = replace(events[-1], diagnosis=("wrong only with a key", "and so on"))  # type: ignore[arg-type]
    report = fold(events)
    assert report.across == {"rolled": ("wrong only on big-endian targets",)}
    assert from_json(to_json(report), "r.json") == report
    text = render_check(report)
    assert_pasteable(text)
    assert "        diagnosis: wrong only with a key\n        diagnosis: and so on\n" in text
    assert "\n    rolled: wrong only on big-endian targets\n" in text


def test_again_names_the_core_as_typed_and_the_engine() -> None:
    origin = "my cores/new.c"
    begin = replace(
        started(),
        command=("rig", "check", origin, "--engine", "host"),
        cores=(replace(core_facts("new", "0123456789ab"), origin=origin),),
        cells=((CLANG, "new"),),
    )
    events: list[Event] = [begin, *judged(CLANG, "new", mismatch())]
    text = render_check(fold(events))
    pasted = text[text.index("again:") + 6 :].split("\n\n")[0].replace("\\\n", "")
    assert shlex.split(pasted) == [
        "rig", "check", origin, "--on", CLANG, "--engine", "host", "--case", CASE,
    ]  # fmt: skip


def test_a_spec_that_begins_with_a_dash_or_has_odd_bytes_can_be_pasted() -> None:
    (line,) = command(["rig", "it's", "caf\udce9", "é"], "")
    assert line == r"""rig 'it'"'"'s' $'caf\351' $'\303\251'"""


@pytest.mark.parametrize(
    ("expected", "got", "index", "text"),
    [
        ("00ff", "00ff", -1, "no difference"),
        ("00ff", "00fe", 3, "first difference at byte 1"),
        ("00ff", "00", 2, "first difference at byte 1"),
        ("00ff,aabb,01", "00ff,aabc,01", 8, "first difference at byte 1 of t"),
        ("ns=5", "ns=6", 3, "first difference at character 3"),
    ],
)
def test_where_payloads_differ(expected: str, got: str, index: int, text: str) -> None:
    assert difference(expected, got) == (index, text)


@given(st.text(max_size=80), st.text(max_size=300))
@example("", " ")
@example("0" + "\x1f" * 7 + "\u0100" + "\U00010000" * 3, "")
@example(" " * 60, "00" * 32 + " " * 40)
def test_hostile_text_cannot_leave_the_page(short: str, long: str) -> None:
    finding = Finding(short, Verdict.DESYNC, long, short, "00" * 64, long, 5, 1)
    begin = replace(started(), engine=short or "docker")
    events: list[Event] = [
        begin,
        SetupReady(GCC, replace(facts("i386", "gcc", short), release=short), ()),
        *judged(CLANG, "rolled", finding),
        BuildFailed(ARM, "rolled", long, ("cc",), short, long + "\x1b[2J\0\r\n# x\n--- y"),
        CellJudged(ARM, "rolled", Verdict.BUILD_FAILED),
        SetupFailed("x86_64/gcc/kernel", Verdict.ENVIRONMENT, long, short, long),
        Measured(GCC, "rolled", (exact("size", None, long),)),
        CampaignEnded(False, "", 1.0, {}, long),
    ]
    assert_pasteable(render_compare(fold(events)))
    assert_pasteable(render_check(fold(events)))


def test_escape_bytes_are_shown_as_escapes() -> None:
    assert clean("\x1b[31m\0\x7f\x9b\u2028\U0001f600\udcff") == (
        r"\x1b[31m\x00\x7f\x9b\u2028\U0001f600\udcff"
    )


def test_shorten_keeps_both_ends() -> None:
    assert shorten("abcdefghij", 10) == "abcdefghij"
    assert shorten("abcdefghijk", 10) == "abc...hijk"


def test_table_uses_small_gaps_before_it_cuts() -> None:
    row = [
        "x" * 20,
        "y" * 21,
        "z" * 22,
    ]  # 4 + 63 and two gaps: 73 with three blanks, 71 with two
    assert [len(line) for line in table(["", "", ""], [row])] == [0, 71, 71]


def test_summary_of_a_complete_and_a_partial_campaign() -> None:
    assert summary(fold(campaign())) == (
        "8 cells: 4 PASS, 2 ENVIRONMENT, 1 MISMATCH, 1 BUILD_FAILED; 5560 cases judged; 9.2 s"
    )
    part: list[Event] = [started(), *judged(GCC, "rolled")]
    ended = CampaignEnded(False, "", 0.0, {}, "interrupted")
    assert summary(fold([*part, ended])) == (
        "PARTIAL, 1 of 8 cells judged (interrupted): 8 cells: 1 PASS; 1112 cases judged"
    )


def test_a_long_option_stays_with_its_value() -> None:
    argv = ["rig", "check", "x" * 50, "--on", "i386/gcc/kernel", "--no-time", "-j", "2"]
    lines = command(argv)
    assert lines[0].endswith(" \\")
    assert "--on i386/gcc/kernel" in lines[1]
    assert shlex.split("".join(line.removesuffix("\\") for line in lines)) == argv


def test_started_without_cores_or_pairs_still_renders() -> None:
    empty = CampaignStarted("0", ("rig",), "", 0, "host", True, (), (), (), ())
    assert_pasteable(render_compare(fold([empty])))
    assert_pasteable(render_check(fold([empty])))
