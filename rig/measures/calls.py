"""The calls of one function in a trace: from entry to return, callees included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from rig.elf import Program, Symbol
from rig.errors import RigError
from rig.trace import STACK_POINTER, Emulator, Open, Range, Step, run_trace, text_ranges


class Call(NamedTuple):
    """One call of the measured symbol: what ran from its entry until it returned, callees
    included. site: address of the instruction that called it.
    """

    site: int
    steps: tuple[Step, ...]


RETURN_WINDOW = 16
"""A return lands this many bytes after its call at most: x86 instructions have up to 15, and
elsewhere a delay slot may follow.
"""


class _Shadow:
    """Open call sites, outermost first, by where their returns land.

    A step into the start of a function from outside it is a call, or a tail call: then nothing
    ever returns to its own site and an outer one is returned to.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.sites: list[tuple[int, range]] = []
        self.returns: dict[int, int] = {}

    def call(self, site: int) -> None:
        function = self.program.at(site)
        end = min(site + 1 + RETURN_WINDOW, function.end) if function else site
        landing = range(site + 1, end)
        self.returns.update(dict.fromkeys(landing, len(self.sites)))
        self.sites.append((site, landing))

    def back(self, level: int) -> int:
        """Returns to the site at ``level``; the address of that call."""
        site = self.sites[level][0]
        for index in range(level, len(self.sites)):
            for pc in self.sites[index][1]:
                if self.returns.get(pc) == index:
                    del self.returns[pc]
        del self.sites[level:]
        return site


def calls(steps: Iterable[Step], program: Program, entry: Symbol) -> Iterator[Call]:
    """The calls of one function, lazily. The core must not call itself.

    Needs the call site, the return and all between them in the trace; anything else may be
    missing (see :func:`narrow`). RigError when a call's end is not seen.
    """
    shadow = _Shadow(program)
    inside: list[Step] | None = None
    depth, before = 0, -1
    unseen = f"The trace has a call of {entry.name} without its return."
    for step in steps:
        pc = step.pc
        if (level := shadow.returns.get(pc)) is not None:
            site = shadow.back(level)
            if inside is not None and level < depth:
                yield Call(site, tuple(inside))
                inside = None
        elif pc in program.entries and program.at(before) != program.at(pc):
            shadow.call(before)
            if pc == entry.start:
                if inside is not None:
                    raise RigError(unseen)
                inside, depth = [], len(shadow.sites)
        if inside is not None:
            inside.append(step)
        before = pc
    if inside is not None:
        raise RigError(unseen)


def narrow(seen: Iterable[Call], program: Program) -> tuple[Range, ...]:
    """The few ranges that a second trace of the same case needs: the functions that these calls
    ran through, and the places that called.
    """
    found: set[Range] = set()
    for call in seen:
        found.add(Range(call.site, call.site + 1 + RETURN_WINDOW))
        for pc in {step.pc for step in call.steps}:
            function = program.at(pc)
            found.add(Range(function.start, function.end) if function else Range(pc, pc + 1))
    return tuple(sorted(found))


def record(
    open_channel: Open,
    emulator: Emulator,
    content: bytes,
    program: Program,
    symbol: str,
    cases: Sequence[str],
    *,
    ranges: Sequence[Range] = (),
    registers: bool = False,
    patience: float = 60.0,
) -> list[Call]:
    """All calls of ``symbol`` that these cases make, in order.

    content, program: the guest as bytes and as read. ranges: by default all code; with
    registers that is heavy, so take what :func:`narrow` makes of a first trace. RigError when
    the program has no such function, TraceCut as :func:`rig.trace.run_trace`.
    """
    entry = program.entry(symbol)
    if entry is None:
        raise RigError(f"The program has no function {symbol}: it was inlined away.")
    mark = STACK_POINTER.get(program.machine) if registers else None
    steps = run_trace(
        open_channel,
        emulator,
        content,
        cases,
        ranges or text_ranges(program),
        stack_pointer=mark,
        patience=patience,
    )
    with closing(steps):
        return list(calls(steps, program, entry))
