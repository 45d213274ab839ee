"""Stack frames as the compiler states them, and why the deepest stack pointer may differ."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from rig.elf import is_part
from rig.measures import exact, not_measured
from rig.measures.stack import Depth
from rig.verdicts import Measurement

METHOD = "-fstack-usage"
_QUALIFIERS = ("static", "dynamic", "dynamic,bounded")
_LINE = re.compile(r"(?P<where>.*:)?(?P<name>[^:\t]+)\t(?P<bytes>\d+)\t(?P<how>[\w,]+)")


class Frame(NamedTuple):
    """One line of a ``.su`` file. bytes: as the compiler says. how: ``static``; ``dynamic``
    (the figure is only the fixed part); ``dynamic,bounded`` (the figure is the bound).
    """

    name: str
    bytes: int
    how: str


def parse(usage: bytes) -> list[Frame]:
    """The lines of a ``.su`` file: ``file:line:column:name`` (gcc), ``file:line:name`` (clang).

    A line that is neither is left out: the measured function's absence is then the message.
    """
    frames = []
    for line in usage.decode("utf-8", "replace").splitlines():
        match = _LINE.fullmatch(line)
        if match and match["how"] in _QUALIFIERS:
            frames.append(Frame(match["name"], int(match["bytes"]), match["how"]))
    return frames


def of(
    usage: bytes | None, symbol: str, also: Collection[str] | None = ()
) -> list[Measurement]:
    """The frame of the measured symbol in bytes; of its parts, the largest.

    usage: content of the ``.su`` file; None when the compiler wrote none. also: as for size.
    """
    if usage is None:
        return [_missing("the compiler wrote no stack usage file (as with LTO)")]
    found = parse(usage)
    parts = [frame for frame in found if is_part(frame.name, symbol)]
    if parts:
        parts = [
            frame
            for frame in found
            if frame in parts or also is None or any(is_part(frame.name, name) for name in also)
        ]
    if not parts:
        return [_missing(f"the stack usage file does not name {symbol} (inlined away)")]
    largest = max(parts, key=lambda part: part.bytes)
    notes = []
    if len(parts) > 1 or largest.name != symbol:
        notes.append(", ".join(f"{part.name} {part.bytes}" for part in parts))
    if any(part.how == "dynamic" for part in parts):
        notes.append("dynamic: more at run time, without a bound")
        return [
            Measurement(
                "frame",
                largest.bytes,
                "bytes",
                METHOD,
                False,
                "; ".join(notes),
                largest.bytes,
                None,
            )
        ]
    if any(part.how == "dynamic,bounded" for part in parts):
        notes.append("dynamic, bounded")
    return [exact("frame", largest.bytes, "bytes", METHOD, "; ".join(notes))]


def _missing(reason: str) -> Measurement:
    return not_measured("frame", "bytes", METHOD, reason)


class Gap(NamedTuple):
    """stack - frame, taken apart. known: (kind, bytes), adding up with ``unexplained`` to
    ``bytes``. unexplained: not 0 is a finding.
    """

    bytes: int
    known: tuple[tuple[str, int], ...]
    unexplained: int

    def __str__(self) -> str:
        terms = [f"{kind} {size:+d}" for kind, size in self.known]
        if self.unexplained:
            terms.append(f"unexplained {self.unexplained:+d}")
        return ", ".join(terms) or "equal"


_WORD = {"EM_386": 4, "EM_X86_64": 8}
MOST_PUSHED = 64
"""More than this below the frame in the function itself is not the arguments of a call."""


def explain_gap(frame: int, depth: Depth, *, family: str, machine: str) -> Gap:
    """Why the lowest stack pointer of the trace is not where the frame says. All in bytes.

    family: ``gcc`` or ``clang``. machine: as readelf spells it. The known kinds: what callees
    take is measured; gcc on x86 counts the return address, which the trace, starting after the
    call, does not; a realigned stack moves by the measured amount, and clang then leaves the
    saved frame pointer out; on i386, arguments of calls are pushed below the frame.

    What leaf functions of x86_64 keep in the red zone is in neither figure: no gap shows it.
    """
    known: list[tuple[str, int]] = []
    rest = depth.own - frame
    word = _WORD.get(machine, 0)
    if depth.deepest > depth.own:
        known.append(("callees", depth.deepest - depth.own))
    if word and family == "gcc":
        known.append(("return address", -word))
        rest += word
    if depth.realigned and 0 < rest <= depth.realigned + word:
        known.append(("realignment", rest))
        rest = 0
    if machine == "EM_386" and depth.calls and 0 < rest <= MOST_PUSHED:
        known.append(("pushed arguments", rest))
        rest = 0
    return Gap(depth.deepest - frame, tuple(known), rest)


GAP = "deepest SP - frame"
UNEXPLAINED = "gap/unexplained"


def gap(
    frame: Measurement, depth: Depth | None, *, family: str, machine: str
) -> list[Measurement]:
    """Named gap, its kinds in the note, and gap/unexplained, which is 0 unless it is a finding.

    frame: of the measured function itself. Nothing where one of the two is not known exactly.
    """
    if depth is None or frame.value is None or not frame.exact:
        return []
    found = explain_gap(int(frame.value), depth, family=family, machine=machine)
    return [
        exact("gap", found.bytes, "bytes", GAP, str(found)),
        exact(UNEXPLAINED, found.unexplained, "bytes", GAP),
    ]
