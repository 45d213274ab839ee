"""Native time: what runs of a duel say, and when a verdict may be given."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from rig.events import TimeVerdict
from rig.measures import native_time
from rig.measures.interval import Interval
from rig.measures.native_time import LENGTH, LENGTHS, NoTime, Run, evaluate, judge, read_runs
from rig.runners.native import cpu_model, disguise

DIGEST = "ab" * 64
EXACT = Interval(1.0, 0.998, 1.003)


def said(
    before: int = 1000, after: int = 1250, control: int = 1000, pairs: int = 9, cpu: str = "X"
) -> str:
    """One run as the duel prints it: nanoseconds of each side, the same in every round."""
    sides = f"{before} {after} {control}"
    lines = [f"cpu {cpu}", "clock 20"]
    lines += [f"digest {side} {DIGEST}" for side in ("before", "after", "control")]
    lines += [f"pair {LENGTH} 10 {sides}"] * pairs
    lines += [f"speed {length} 10 {sides}" for length in LENGTHS]
    lines += [f"{kind} 128 1 {sides}" for kind in ("hot", "cold", "flushed")]
    return "\n".join(["run", *lines, "end", ""])


def runs_of(*texts: str) -> list[Run]:
    return read_runs("".join(texts) + "all\n")


def test_a_slower_core_is_called_so_with_its_ratio_and_speeds() -> None:
    timed = evaluate(runs_of(*[said()] * 9))
    assert timed.verdict is TimeVerdict.SLOWER
    assert timed.ratio.value == pytest.approx(0.8)
    assert timed.before.value == pytest.approx(LENGTH * 1000 * 10 / 1000)
    assert timed.after.value == pytest.approx(LENGTH * 1000 * 10 / 1250)
    assert (timed.control.low, timed.control.high) == (1, 1)


def test_every_length_and_single_blocks_are_told() -> None:
    figures = {item.name: item for item in evaluate(runs_of(*[said()] * 9)).figures}
    assert [name for name in figures if "bytes" in name] == [f"{n} bytes" for n in LENGTHS]
    for kind in ("hot", "cold code", "flushed code"):
        block = figures[f"one block, {kind}"]
        assert (block.before.value, block.after.value) == (980, 1230)  # less the clock's 20 ns


def test_one_process_of_bad_luck_changes_nothing() -> None:
    lucky = [said(1000, 1000)] * 8
    timed = evaluate(runs_of(*lucky, said(1000, 3000)))
    assert timed.verdict is TimeVerdict.INDISTINGUISHABLE
    assert timed.ratio.low == timed.ratio.high == 1


def test_runs_that_disagree_give_no_verdict() -> None:
    halves = [said(1000, 900)] * 4 + [said(1000, 1100)] * 5
    assert evaluate(runs_of(*halves)).verdict is TimeVerdict.UNSTABLE


@pytest.mark.parametrize(
    ("ratio", "control", "verdict"),
    [
        (Interval(1.2, 1.19, 1.21), EXACT, TimeVerdict.FASTER),
        (Interval(0.8, 0.79, 0.81), EXACT, TimeVerdict.SLOWER),
        (Interval(1.0, 0.99, 1.02), EXACT, TimeVerdict.INDISTINGUISHABLE),
        # shorter than the resolution
        (Interval(1.007, 1.006, 1.008), EXACT, TimeVerdict.INDISTINGUISHABLE),
        # the control moves as much
        (Interval(1.04, 1.03, 1.05), Interval(1.0, 0.96, 1.04), TimeVerdict.INDISTINGUISHABLE),
        (Interval(0.96, 0.95, 0.97), Interval(1.0, 0.96, 1.04), TimeVerdict.INDISTINGUISHABLE),
        (Interval(1.2, 1.05, 1.3), Interval(1.0, 0.9, 1.1), TimeVerdict.UNSTABLE),
        (Interval(1.0, 0.9, 1.1), EXACT, TimeVerdict.UNSTABLE),
        # so wild a control that even a factor of two says nothing
        (Interval(2.0, 1.9, 2.1), Interval(1.0, 0.7, 1.0), TimeVerdict.UNSTABLE),
    ],
)
def test_a_winner_beats_the_control(
    ratio: Interval, control: Interval, verdict: TimeVerdict
) -> None:
    assert judge(ratio, control) is verdict


def test_noise_alone_never_makes_a_winner() -> None:
    """Equal cores on a machine whose runs each have a bias of their own, as placement gives."""
    rng = random.Random(6)
    false = {TimeVerdict.FASTER, TimeVerdict.SLOWER}
    wrong = 0
    for _ in range(200):
        texts = []
        for _ in range(9):
            sides = [round(100_000 * rng.lognormvariate(0, 0.03)) for _ in range(3)]
            texts.append(said(*sides))
        wrong += evaluate(runs_of(*texts)).verdict in false
    assert wrong == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cut short"),
        ("run\ncpu X\n", "cut short"),
        ("run\nfailed clock\nstatus 1\nall\n", "failed clock"),
        ("run\nstatus 139\nall\n", "status 139"),
        ("run\nHello\x1b[2J\nall\n", r"Hello\\x1b"),
        ("cpu X\nall\n", "cpu X"),
    ],
)
def test_what_is_no_duel_gives_no_time(text: str, why: str) -> None:
    with pytest.raises(NoTime, match=why):
        read_runs(text)


class FakeBox:
    """A box that only plays back; a real duel cannot be made to stop in the middle."""

    def __init__(self, text: str) -> None:
        self.parts: Iterator[bytes] = iter([text.encode(), b""])

    def __call__(self, argv: Sequence[str], files: object) -> FakeBox:
        return self

    def read(self, size: int, timeout: float) -> bytes:
        return next(self.parts)

    def close(self, grace: float = 0.0) -> object:
        return None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (said(pairs=3), "2 runs of 3|1 runs of 3"),
        (said() * 2 + said(pairs=3), "did not come to its end"),
        (said() * 2 + said().replace("end\n", ""), "did not come to its end"),
        (said() * 2 + said().replace("speed 64 ", "speed 65 "), "left lengths out"),
        (
            said() * 2 + said().replace("after ab", "after ac"),
            "wrong answers in the duel: after",
        ),
    ],
)
def test_a_run_must_be_whole_and_right(text: str, why: str) -> None:
    box = FakeBox(text + "all\n")
    with pytest.raises(NoTime, match=why):
        native_time.time_native(box, [b"", b"", b""], DIGEST, pairs=9, copies=1)  # type: ignore[arg-type]


def test_whole_runs_make_a_figure() -> None:
    box = FakeBox(said() * 3 + "all\n")
    timed = native_time.time_native(box, [b"", b"", b""], DIGEST, pairs=9, copies=1)  # type: ignore[arg-type]
    assert timed.cpu == "X"


# ---------------------------------------------------------------------------- whose CPU it is


def test_a_cpu_that_answers_as_another_is_an_emulator() -> None:
    cpuinfo = (
        "vendor_id\t: AuthenticAMD\nmodel name\t: AMD  EPYC 9B14\nmodel name\t: AMD EPYC 9B14\n"
    )
    assert cpu_model(cpuinfo) == "AMD EPYC 9B14"
    assert disguise("AMD EPYC 9B14", cpuinfo) == ""
    assert disguise("", cpuinfo) == ""
    assert "an emulator" in disguise("QEMU Virtual CPU version 2.5+", cpuinfo)
    assert cpu_model("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n") == (
        "CPU implementer 0x41, CPU part 0xd0c"
    )
