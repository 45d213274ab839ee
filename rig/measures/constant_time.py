"""Whether what runs depends on the data: the traces of several inputs must be one trace.

It sees instructions, not addresses of data and not times: no variation observed is all that
it can say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rig.crash import source_line
from rig.elf import Program, read_program
from rig.errors import RigError
from rig.measures.calls import Call, record
from rig.trace import Emulator, Open, Step
from rig.verdicts import Finding, Verdict

CHECK = "constant-time"
"""The name under which the finding stands beside those of checks."""

BYTES = 128
KEY_BYTES = 32

KINDS: tuple[tuple[str, Callable[[int, int], str]], ...] = (
    *((f"random {n}", lambda seed, size, n=n: f"lcg:{seed + n}:{size}") for n in range(1, 5)),
    ("zeros", lambda _, size: f"byte:0:{size}"),
    ("ones", lambda _, size: f"byte:255:{size}"),
    ("sparse 1", lambda _, size: f"hex:01{'00' * (size - 1)}"),
    ("sparse 2", lambda _, size: f"hex:{'00' * (size // 2)}10{'00' * (size - size // 2 - 1)}"),
    ("sparse 3", lambda _, size: f"hex:{'00' * (size - 1)}80"),
)
"""Data of one length, by name: of a seed and that length."""


class Divergence(NamedTuple):
    """Where two inputs part. step: index of the first that differs. last: address of the last
    common instruction, the one that decided. first, other: what followed; None: nothing.
    """

    label: str
    other_label: str
    step: int
    last: int | None
    first: int | None
    other: int | None


class Observed(NamedTuple):
    """inputs: how many were compared. divergence: the first one found, if any."""

    inputs: int
    divergence: Divergence | None

    def describe(self, program: Program, line_of: Callable[[int], str] = lambda _: "") -> str:
        """``no variation observed (4 inputs)``, or where which two inputs part.

        line_of: the place in the source of an address, empty when it is not known.
        """
        part = self.divergence
        if part is None:
            return f"no variation observed ({self.inputs} inputs)"

        def named(pc: int | None) -> str:
            return "the end" if pc is None else program.where(pc)

        decided = "at entry"
        if part.last is not None:
            line = line_of(part.last)
            decided = f"after {named(part.last)}" + (f", {line}" if line else "")
        return (
            f"instructions depend on data {decided} (step {part.step}): "
            f"{part.label} goes on to {named(part.first)}, "
            f"{part.other_label} to {named(part.other)}"
        )


def compare(runs: Iterable[tuple[str, Sequence[Call]]]) -> Observed:
    """Compares the traces of labelled inputs, all of one length, with the first one's."""
    inputs, reference, label = 0, [], ""
    for inputs, (name, calls) in enumerate(runs, 1):
        steps = [step for call in calls for step in call.steps]
        if inputs == 1:
            reference, label = steps, name
        elif (parted := _parted(reference, steps)) is not None:
            return Observed(inputs, Divergence(label, name, *parted))
    return Observed(inputs, None)


def _parted(
    one: Sequence[Step], other: Sequence[Step]
) -> tuple[int, int | None, int | None, int | None] | None:
    last = None
    for index, (left, right) in enumerate(zip_longest(one, other)):
        first, second = left and left.pc, right and right.pc
        if first != second:
            return index, last, first, second
        last = first
    return None


# ---------------------------------------------------------------------------- inputs of a cell


def cases(raw: bool) -> list[tuple[str, str]]:
    """(what it is, its line): messages and keys of one length; with raw, states and blocks too.

    Lines that are compared with each other make the same calls of the same lengths.
    """
    found = [
        (f"{name} message and key", f"hash in={of(0, BYTES)} key={of(10, KEY_BYTES)}")
        for name, of in KINDS
    ]
    found += [
        (f"{name} key", f"hash in=lcg:99:{BYTES} key={of(20, KEY_BYTES)}") for name, of in KINDS
    ]
    if raw:
        found += [
            (f"{name} state and block", f"compress h={of(30, 64)} in={of(40, BYTES)}")
            for name, of in KINDS
        ]
    return found


def observe(
    open_channel: Open, emulator: Emulator, content: bytes, symbol: str, *, raw: bool
) -> Finding:
    """The finding for a cell: PASS where no variation was observed, else DATA_DEPENDENT.

    content: the program. raw: the guest has the feature ``compress``. Raises RigError when
    there is no trace to look at.
    """
    program = read_program(content)
    asked = cases(raw)
    groups = [[c for c in asked if c[1].startswith(word)] for word in ("hash ", "compress ")]
    seen = 0
    for group in filter(None, groups):
        lines = [line for _, line in group]
        calls = record(open_channel, emulator, content, program, symbol, lines)
        share, rest = divmod(len(calls), len(group))
        if rest or not share:
            text = f"{len(calls)} calls of {symbol} for {len(group)} inputs of one length"
            return _found(text, seen, len(group))
        runs = [calls[n : n + share] for n in range(0, len(calls), share)]
        labels = [name for name, _ in group]
        observed = compare(zip(labels, runs, strict=True))
        if observed.divergence is not None:
            text = observed.describe(program, lambda pc: _line(content, pc))
            case = dict(group)[observed.divergence.other_label]
            return _found(text, seen + observed.inputs, 1, case)
        seen += observed.inputs
    text = Observed(seen, None).describe(program)
    return Finding(CHECK, Verdict.PASS, text, tried=seen)


def _found(text: str, tried: int, failed: int, case: str = "") -> Finding:
    return Finding(CHECK, Verdict.DATA_DEPENDENT, text, case, tried=tried, failed=failed)


def _line(content: bytes, pc: int) -> str:
    try:
        return source_line(content, pc)
    except RigError:
        return ""
