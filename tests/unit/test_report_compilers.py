"""One core, many compilers; frames over the kernel's limit; gaps; symbols that changed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from event_stream import core_facts, exact, facts, started

from rig.events import Built, CampaignEnded, CellJudged, Event, Measured, SetupReady
from rig.model import Toolchain
from rig.report.fold import fold
from rig.report.text import render_check, render_compare
from rig.verdicts import Finding, Measurement, Verdict

OLD = "i386/gcc-12/kernel"
NEW = "i386/gcc/kernel"
SID = "i386/sid/gcc-15/kernel"
VERSIONS = {OLD: "12.4.0", NEW: "14.2.0", SID: "15.3.0"}
FRAMES = {OLD: 1248.0, NEW: 488.0, SID: 488.0}
CORE = "rolled"


def events(
    frames: dict[str, float | None],
    *,
    verdicts: dict[str, Verdict] | None = None,
    cflags: tuple[str, ...] = (),
    more: dict[str, tuple[Measurement, ...]] | None = None,
    finding: Finding | None = None,
) -> list[Event]:
    """A core under three compilers of one family, told in no order."""
    core = replace(core_facts(CORE, "0123456789ab"), cflags=cflags)
    found: list[Event] = [
        replace(started(), cores=(core,), cells=tuple((s, CORE) for s in frames), pairs=())
    ]
    for setup, frame in frames.items():
        release = "sid" if "sid" in setup else "trixie"
        of = replace(
            facts("i386", "gcc", VERSIONS[setup]),
            release=release,
            toolchain=Toolchain("gcc", stale_index=release == "sid"),
        )
        found.append(SetupReady(setup, of, ("-O2",), {"bits": "32", "compiler": "gcc"}))
        figures = [exact("size", 3000), exact("work", 7000)]
        if frame is not None:
            figures.append(exact("frame", frame))
        command = ("i686-linux-gnu-gcc", "-O2", "-c", "core.c")
        found += [
            Built(setup, CORE, "k1", "k2", command, "", reused=False),
            Measured(setup, CORE, tuple(figures)),
        ]
        if more and setup in more:
            found.append(Measured(setup, CORE, more[setup]))
        verdict = (verdicts or {}).get(setup, Verdict.PASS)
        first = finding if verdict is not Verdict.PASS else None
        found.append(CellJudged(setup, CORE, verdict, first))
    return [*found, CampaignEnded(True, "", 1.0)]


def text(*arguments: object, **named: object) -> str:
    rendered = render_check(fold(events(*arguments, **named)))  # type: ignore[arg-type]
    assert all(len(line) <= 72 for line in rendered.splitlines())
    return " ".join(rendered.split())


def test_a_frame_that_shrank_along_the_versions_is_told_with_both_compilers() -> None:
    said = text({SID: 488.0, OLD: 1248.0, NEW: 488.0})
    assert (
        "i386, gcc, kernel, rolled: last bad trixie/gcc 12.4.0 (frame 1248 over the kernel's"
        " 1024), first good trixie/gcc 14.2.0" in said
    )
    assert said.count("first good") == 1


def test_the_first_bad_and_last_good_compiler_of_a_core_that_broke() -> None:
    said = text(dict.fromkeys(FRAMES, 488.0), verdicts={SID: Verdict.MISMATCH})
    assert "last good trixie/gcc 14.2.0, first bad sid/gcc 15.3.0 (MISMATCH)" in said


@pytest.mark.parametrize("verdict", [Verdict.ENVIRONMENT, Verdict.TOOLCHAIN_FAULT])
def test_a_compiler_that_could_not_be_asked_is_no_turn(verdict: Verdict) -> None:
    said = text(dict.fromkeys(FRAMES, 488.0), verdicts={SID: verdict})
    assert "first bad" not in said
    assert "last good" not in said


def test_compilers_that_agree_have_no_such_line() -> None:
    said = text(dict.fromkeys(FRAMES, 488.0))
    assert "last good" not in said
    assert "last bad" not in said


def test_the_table_is_whole_and_says_which_index_was_stale() -> None:
    rendered = render_check(fold(events(FRAMES)))
    assert "size   frame   insns/block   verdict" in rendered
    assert "gcc 15.3.0 (sid, stale index)" in " ".join(rendered.split())


# ------------------------------------------------------------------------------ the limit


def test_an_override_is_needless_when_every_frame_is_under_the_default() -> None:
    said = text(dict.fromkeys(FRAMES, 488.0), cflags=("-Wframe-larger-than=4096",))
    assert (
        "rolled: -Wframe-larger-than=4096: now unnecessary: the largest frame is 488, the"
        " default limit 1024 on 32-bit and 2048 on 64-bit" in said
    )


def test_an_override_is_needed_where_one_frame_is_over() -> None:
    said = text(FRAMES, cflags=("-Wframe-larger-than=4096",))
    assert f"still needed: {OLD} 1248 of 1024" in said
    assert "unnecessary" not in said


def test_an_override_is_not_judged_without_every_frame() -> None:
    said = text({**FRAMES, OLD: None}, cflags=("-Wframe-larger-than=4096",))
    assert f"not judged: {OLD} has no exact frame" in said


def test_other_flags_of_the_makefile_are_no_override() -> None:
    assert "not judged" not in text(FRAMES, cflags=("-Os", "-Wframe-larger-than"))


def test_a_frame_over_the_users_limit_names_target_and_options() -> None:
    finding = Finding("budget", Verdict.LIMIT_EXCEEDED, "frame 1248 of at most 1000 bytes")
    rendered = render_check(
        fold(events(FRAMES, verdicts={OLD: Verdict.LIMIT_EXCEEDED}, finding=finding))
    )
    told = rendered[rendered.index(f"{OLD}, rolled: LIMIT_EXCEEDED") :]
    assert "frame 1248 of at most 1000 bytes" in told
    assert "compiled by:" in told
    assert "-c" in told[told.index("compiled by:") :]


# -------------------------------------------------------------------------------- the gap


@pytest.mark.parametrize(("unexplained", "said"), [(32.0, True), (0.0, False)])
def test_a_gap_of_no_known_kind_is_a_finding(unexplained: float, said: bool) -> None:
    gap = replace(exact("gap", 28), note="return address -4, unexplained +32")
    more = {NEW: (exact("stack", 516), gap, exact("gap/unexplained", unexplained))}
    found = (
        f"finding, {NEW}, rolled: frame 488, deepest SP 516: return address -4, unexplained"
        " +32" in text(FRAMES, more=more)
    )
    assert found is said


# -------------------------------------------------------------------------------- bloat


def test_bloat_is_listed_for_each_setup_when_asked() -> None:
    names = ("before", "after")
    cores = tuple(core_facts(name, name[:6] * 2) for name in names)
    pairs = ((NEW, *names),)
    stream: list[Event] = [
        replace(started(), cores=cores, cells=tuple((NEW, n) for n in names), pairs=pairs),
        SetupReady(NEW, facts("i386", "gcc", "14.2.0"), ()),
    ]
    for name, size in zip(names, (27575, 3627), strict=True):
        stream.append(Measured(NEW, name, (exact("symbol/blake2b_compress", size),)))
        stream.append(CellJudged(NEW, name, Verdict.PASS))
    report = fold(stream)
    assert "add/remove" not in render_compare(report)
    lines = render_compare(report, bloat=True).splitlines()
    assert "    add/remove: 0/0 grow/shrink: 0/1 up/down: 0/-23948 (-23948)" in lines
    row = next(line for line in lines if line.startswith("    blake2b_compress  "))
    assert row.split() == ["blake2b_compress", "27575", "3627", "-23948"]
    assert "    Total: Before=27575, After=3627, chg -86.85%" in lines
    assert max(map(len, lines)) <= 72
