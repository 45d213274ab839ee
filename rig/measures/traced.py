"""Everything that one guest's trace tells: work, code lines, stack. Two short runs a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rig.elf import Program, read_program
from rig.errors import RigError
from rig.measures import lines, not_measured, stack, work
from rig.measures.calls import Call, narrow, record
from rig.trace import Emulator, Open, Range
from rig.verdicts import Measurement

BLOCKS = (1, 3, 4)
"""Blocks of the three cases. The first is one call. The next two make as many calls as each
other, through any interface: an update that buffers its first and last block needs three blocks
before a further one lengthens a call instead of adding one.
"""


@dataclass(frozen=True)
class Traced:
    """measurements: as the readers name them. one: the call of a single block. depth: None
    when there is no stack pointer, or none that two runs agree on. stable: they agree.
    """

    measurements: tuple[Measurement, ...]
    program: Program
    one: Call
    depth: stack.Depth | None
    stable: bool


def case(blocks: int, raw: bool) -> str:
    """A case of so many blocks: raw states when the guest can, else a whole hash."""
    data = f"in=lcg:2:{blocks * work.BLOCK_BYTES}"
    return f"compress h=lcg:1:64 {data}" if raw else f"hash {data}"


def measure(
    open_channel: Open,
    emulator: Emulator,
    content: bytes,
    symbol: str,
    *,
    raw: bool = True,
    patience: float = 60.0,
) -> Traced:
    """Runs the guest under the trace twice and reads it.

    content: the program. raw: the guest has the feature ``compress``. The second run has the
    registers too; work is given only if both agree. Raises TraceCut when the guest dies, and
    RigError when the symbol is not in the program or its calls cannot be told apart.
    """
    program = read_program(content)
    cases = [case(count, raw) for count in BLOCKS]

    def take(ranges: Sequence[Range], registers: bool) -> list[Call]:
        return record(
            open_channel,
            emulator,
            content,
            program,
            symbol,
            cases,
            ranges=ranges,
            registers=registers,
            patience=patience,
        )

    calls = take((), False)
    if not calls:
        raise RigError(f"The cases did not call {symbol}.")
    again = take(narrow(calls, program), True)
    stable = _addresses(calls) == _addresses(again)
    both = zip(_work(calls), _work(again), strict=True)
    found = [work.agree(*figures) for figures in both]
    found += lines.of(calls[0], program)
    if not stable:
        reason = "UNSTABLE: two traces of the same cases differ"
        found.append(not_measured("stack", "bytes", stack.METHOD, reason))
        return Traced(tuple(found), program, calls[0], None, stable)
    found += stack.of(again, program, symbol)
    depth = stack.depth(again, program, symbol)
    return Traced(tuple(found), program, calls[0], depth, stable)


def _work(calls: Sequence[Call]) -> list[Measurement]:
    """The first case is one call. The others share the rest evenly, or, where each call is of
    one block, the last makes one more.
    """
    rest = calls[1:]
    half = len(rest) // 2
    return work.of(rest[:half], rest[half:], BLOCKS[1])


def _addresses(calls: Sequence[Call]) -> list[list[int]]:
    return [[step.pc for step in call.steps] for call in calls]
