"""The words of a commit message: what counts say, and what only native time may say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from event_stream import GCC, exact, facts, judged, started

from rig.events import Event, Measured, PairTimed, SetupReady, Sides, TimeVerdict
from rig.report.fold import fold
from rig.report.text import render_compare
from rig.report.words import Counts, weigh
from rig.verdicts import Measurement

UNROLLED = Counts("unrolled", 7120, 430, {"8K/2w/32": 787, "16K/4w/32": 787, "32K/4w/64": 0})
ROLLED = Counts("rolled", 7500, 56, {"8K/2w/32": 0, "16K/4w/32": 0, "32K/4w/64": 0})


def test_less_code_for_more_work_has_a_price() -> None:
    text = weigh(UNROLLED, ROLLED)
    assert "rolled executes 380 more instructions a block (+5.3%)" in text
    assert "touches 374 fewer 64-byte lines of code" in text
    assert "rolled wins where refilling a line costs more than 1.0 instructions" in text
    assert "does not where its code stays in the cache and unrolled's does too" in text
    assert "in 8 KiB and 16 KiB unrolled misses 787 times, rolled never" in text
    assert "in 32 KiB neither misses" in text


def test_the_price_is_the_same_whichever_comes_first() -> None:
    text = weigh(ROLLED, UNROLLED)
    assert "unrolled executes 380 fewer instructions a block" in text
    assert "rolled wins where refilling a line costs more than 1.0 instructions" in text


@pytest.mark.parametrize(
    ("work", "lines", "said"),
    [
        (7000, 56, "by both counts rolled has less to do"),
        (7120, 56, "by both counts rolled has less to do"),
        (7500, 430, "by both counts unrolled has less to do"),
        (7500, 500, "by both counts unrolled has less to do"),
        (7120, 430, "there is nothing between them"),
    ],
)
def test_counts_that_agree_need_no_price(work: int, lines: int, said: str) -> None:
    text = weigh(UNROLLED, replace_counts(work, lines))
    assert said in text
    assert "refilling" not in text


def replace_counts(work: int, lines: int) -> Counts:
    return ROLLED._replace(work=work, lines=lines)


def full(*more: Event, work: int = 7000) -> str:
    """A full report of one setup, in which rolled has less work and less code."""
    events: list[Event] = [
        replace(started(), pairs=((GCC, "unrolled", "rolled"),)),
        SetupReady(GCC, facts("i386", "gcc", "14.2.0"), ()),
    ]
    for core, insns, lines in (("unrolled", 7120, 430), ("rolled", work, 56)):
        figures = (exact("work", insns), exact("lines/64", lines))
        events += [*judged(GCC, core), Measured(GCC, core, figures)]
    return " ".join(render_compare(fold([*events, *more]), full=True).split())


def timing(verdict: TimeVerdict | None, ratio: float = 0.9) -> PairTimed:
    def item(value: float, unit: str = "MB/s") -> Measurement:
        return Measurement("native", value, unit, "", False, "at 16384 bytes", value, value)

    blocks = (
        Sides("one block, hot", item(771, "ns/block"), item(850, "ns/block")),
        Sides("one block, flushed code", item(4957, "ns/block"), item(1842, "ns/block")),
    )
    return PairTimed(
        GCC, "unrolled", "rolled", "native", item(200), item(180), item(ratio),
        verdict, item(1.0), "Some CPU", blocks,
    )  # fmt: skip


def test_no_core_is_called_faster_without_native_time() -> None:
    text = full()
    assert "Native time was not taken." in text
    assert "faster" not in text
    assert "Counts are of work and of code, not of speed." in text


def test_native_time_speaks_against_the_counts_where_it_does() -> None:
    text = full(timing(TimeVerdict.SLOWER))
    assert "by both counts rolled has less to do" in text
    assert "By native time on Some CPU, rolled is slower, 0.900 of unrolled's speed" in text
    assert "771 / 850 ns hot, 4957 / 1842 ns flushed code" in text


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (TimeVerdict.INDISTINGUISHABLE, "rolled is indistinguishable from unrolled"),
        (TimeVerdict.UNSTABLE, "was unstable, which says nothing of speed"),
    ],
)
def test_what_native_time_could_not_tell(verdict: TimeVerdict, said: str) -> None:
    text = full(timing(verdict))
    assert said in text
    assert "rolled is faster" not in text
    assert "rolled is slower" not in text


def test_the_reason_for_no_speed_is_given() -> None:
    nothing = Measurement(
        "native", None, "MB/s", "", False, "not measured: no speed figure without hardware"
    )
    event = replace(timing(None), before=nothing, after=nothing, ratio=nothing, figures=())
    text = full(event)
    assert "No speed figure without hardware." in text
    assert "i386, gcc-14: no speed figure without hardware" in text
