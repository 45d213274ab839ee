"""Time of the CPU itself, of two cores in one program, in turn (guest/duel.c).

The unit of evidence is a run: one process from a fresh copy of one program's file. Where its
code and data come to lie is luck, and luck can be worth more than a core's merit; so there are
several runs from each of several programs that hold the same parts in another order. A run's
figure is the median of its pairs' ratios; the result is the median of the runs' figures with
its order-statistic interval, which holds for runs that are independent, whatever their
distribution. The control, the first core once more at another place in the same program, says
how much luck there was: what does not exceed it is no difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median_low
from typing import NamedTuple

from rig.engines import Channel
from rig.events import Sides, TimeVerdict
from rig.measures.interval import Interval, median
from rig.model import Files
from rig.printable import one_line
from rig.verdicts import Measurement

Open = Callable[[Sequence[str], Files], Channel]

PAIRS = 81
COPIES = 3
"""Processes of each program, each from a fresh copy of its file."""

SAMPLE_NS = 250_000
"""At least; shorter than a turn of the scheduler, so that both of a pair mostly share one."""

LENGTH = 16384
LENGTHS = (1, 16, 64, 127, 128, 200, 256, 511, 512, 1024, 3173, 4096, LENGTH)
"""Bytes of a message: those of the kernel's own benchmark."""

MESSAGE = f"hash in=lcg:1:{LENGTH}"
"""The case whose digest every side must give."""

BLOCKS = {
    "hot": ("hot", "again and again"),
    "cold": ("cold code", "after 256 KiB of other code"),
    "flushed": ("flushed code", "its code comes from memory"),
}
"""How a single block is timed: kind -> name, and what came before it."""

RESOLUTION = 1.01
"""A ratio nearer to 1 is never called a difference."""

DOUBTFUL = 1.06
"""Beyond this, control or runs differ too much for a verdict of no difference."""

WILD = 1.25
"""A control beyond this means that nothing can be said at all."""

METHOD = "the CPU's own time, both cores in one program, in turn"

_SIDES = ("before", "after", "control")
_SAMPLE = re.compile(
    r"(pair|speed|hot|cold|flushed) (\d{1,9}) (\d{1,10}) (\d{1,18}) (\d{1,18}) (\d{1,18})"
)

SCRIPT = """\
for copy in $(seq {copies}); do
	for duel in {duels}; do
		cp $duel fresh-$copy-$duel || exit 1
		echo run
		./fresh-$copy-$duel {pairs} {sample} || echo "status $?"
		rm -f fresh-$copy-$duel
	done
done
echo all
"""


class NoTime(Exception):
    """There is no time, and why."""


class Times(NamedTuple):
    """Nanoseconds of one round: of the sides before, after and control."""

    before: int
    after: int
    control: int

    def of(self, side: str) -> int:
        return self[_SIDES.index(side)]


@dataclass
class Run:
    """What one process said. samples: (kind, length) -> rounds; loops likewise."""

    cpu: str = ""
    clock: int = 0
    digests: dict[str, str] = field(default_factory=dict)
    samples: dict[tuple[str, int], list[Times]] = field(default_factory=dict)
    loops: dict[tuple[str, int], int] = field(default_factory=dict)
    ended: bool = False

    def take(self, line: str) -> None:
        """One line of the duel. Raises NoTime for what is none."""
        kind, _, rest = line.partition(" ")
        found = _SAMPLE.fullmatch(line)
        if found:
            key = (found[1], int(found[2]))
            self.loops[key] = int(found[3])
            self.samples.setdefault(key, []).append(Times(*map(int, found.groups()[3:])))
        elif kind == "cpu":
            self.cpu = " ".join(one_line(rest.encode()).split())
        elif kind == "clock" and rest.isdigit():
            self.clock = int(rest)
        elif kind == "digest":
            side, _, digest = rest.partition(" ")
            self.digests[side] = digest
        elif line == "end":
            self.ended = True
        else:
            raise NoTime(f"the duel said: {one_line(line.encode(), 80)}")

    def ratio(self, key: tuple[str, int], other: str) -> float:
        """Median over the pairs of time before / time of the other side; above 1: faster."""
        rounds = self.samples[key]
        ratios = [one.before / max(one.of(other), 1) for one in rounds]
        return median(ratios).median

    def time(self, key: tuple[str, int], side: str) -> float:
        """Nanoseconds of one message or block, the median of the rounds."""
        alone = key[0] in BLOCKS
        whole = median_low([one.of(side) for one in self.samples[key]])
        return max(whole - (self.clock if alone else 0), 1) / self.loops[key]


class Timed(NamedTuple):
    """before, after: MB/s at LENGTH. ratio, control: speed over that of before. cpu: what the
    CPU called itself. figures: speeds at every length, and one block hot and cold in ns.
    """

    before: Measurement
    after: Measurement
    ratio: Measurement
    control: Measurement
    verdict: TimeVerdict
    cpu: str
    figures: tuple[Sides, ...]


def judge(ratio: Interval, control: Interval) -> TimeVerdict:
    """What an interval of speed ratios says beside that of the control.

    A winner must beat both 1 and the control's whole interval; never one when the control
    itself is wild. No difference is only said when a small one would have been seen.
    """
    noise = max(control.high, 1 / control.low, RESOLUTION)
    if noise > WILD:
        return TimeVerdict.UNSTABLE
    if ratio.low > noise:
        return TimeVerdict.FASTER
    if ratio.high < 1 / noise:
        return TimeVerdict.SLOWER
    if noise > DOUBTFUL or ratio.high / ratio.low > DOUBTFUL:
        return TimeVerdict.UNSTABLE
    return TimeVerdict.INDISTINGUISHABLE


def time_native(
    open_channel: Open,
    duels: Sequence[bytes],
    digest: str,
    *,
    pairs: int = PAIRS,
    copies: int = COPIES,
    patience: float = 60.0,
) -> Timed:
    """Runs the programs of a pair. Must not run beside anything else of rig's.

    digest: the right answer to MESSAGE. patience: seconds without a byte. Raises NoTime.
    """
    files = {f"duel-{number}": duel for number, duel in enumerate(duels, 1)}
    script = SCRIPT.format(copies=copies, duels=" ".join(files), pairs=pairs, sample=SAMPLE_NS)
    runs = read_runs(_said(open_channel(("sh", "-c", script), files), patience))
    if len(runs) != copies * len(duels):
        raise NoTime(f"{len(runs)} runs of {copies * len(duels)} came to their end")
    for run in runs:
        _require(run, digest, pairs)
    return evaluate(runs)


def read_runs(text: str) -> list[Run]:
    """The runs of a script's output. Raises NoTime when it was cut, or a run failed."""
    runs: list[Run] = []
    *lines, end = text.rstrip("\n").split("\n")
    for line in lines:
        if line == "run":
            runs.append(Run())
        elif line.startswith(("failed ", "status ")) or not runs:
            raise NoTime(f"the duel said: {one_line(line.encode(), 80)}")
        else:
            runs[-1].take(line)
    if end != "all":
        raise NoTime("the duel was cut short")
    return runs


def evaluate(runs: Sequence[Run]) -> Timed:
    """Ratios, speeds and the verdict of runs that all came to their end."""
    main = ("pair", LENGTH)
    ratio = median([run.ratio(main, "after") for run in runs])
    control = median([run.ratio(main, "control") for run in runs])
    speeds = [_speeds(runs, main, length=LENGTH)]
    speeds += [_speeds(runs, ("speed", length), length) for length in LENGTHS]
    blocks = [
        _block(runs, kind) for kind in BLOCKS if all((kind, 128) in r.samples for r in runs)
    ]
    cpus = {run.cpu for run in runs}
    return Timed(
        before=speeds[0].before,
        after=speeds[0].after,
        ratio=_measured("native_ratio", ratio, "after/before"),
        control=_measured("native_control", control, "before/before"),
        verdict=judge(ratio, control),
        cpu=cpus.pop() if len(cpus) == 1 else "",
        figures=(*speeds[1:], *blocks),
    )


def _speeds(runs: Sequence[Run], key: tuple[str, int], length: int) -> Sides:
    """MB/s (10^6 bytes) of both cores."""

    def of(side: str) -> Measurement:
        found = median([length * 1000 / run.time(key, side) for run in runs])
        return _measured("native_speed", found, "MB/s", f"at {length} bytes")

    return Sides(f"{length} bytes", of("before"), of("after"))


def _block(runs: Sequence[Run], kind: str) -> Sides:
    """Nanoseconds of one block, called in one of the ways of BLOCKS."""
    name, note = BLOCKS[kind]

    def of(side: str) -> Measurement:
        found = median([run.time((kind, 128), side) for run in runs])
        return _measured(f"native_block_{kind}", found, "ns/block", note)

    return Sides(f"one block, {name}", of("before"), of("after"))


def _measured(name: str, found: Interval, unit: str, note: str = "") -> Measurement:
    return Measurement(name, found.median, unit, METHOD, False, note, found.low, found.high)


def _require(run: Run, digest: str, pairs: int) -> None:
    if not run.ended or len(run.samples.get(("pair", LENGTH), [])) != pairs:
        raise NoTime("a run of the duel did not come to its end")
    if any(("speed", length) not in run.samples for length in LENGTHS):
        raise NoTime("a run of the duel left lengths out")
    wrong = [side for side in _SIDES if run.digests.get(side) != digest]
    if wrong:
        raise NoTime(f"wrong answers in the duel: {', '.join(wrong)}")


def _said(channel: Channel, patience: float) -> str:
    """All that the box prints, up to its end."""
    data = b""
    try:
        while chunk := channel.read(1 << 16, patience):
            data += chunk
            if len(data) > 16 << 20:
                raise NoTime("the duel does not stop talking")
    except TimeoutError as error:
        raise NoTime(f"no word from the duel for {patience:g} s") from error
    finally:
        end = channel.close(1.0)
    if not data:
        said = one_line(channel.stderr(), 120)
        raise NoTime(f"the duel said nothing ({end.lost or said or end.code})")
    return data.decode("ascii", "replace")
