"""Work: executed instructions. Exact, and a count of work, never a speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rig.measures import exact, not_measured
from rig.measures.calls import Call
from rig.verdicts import Measurement

METHOD = "instructions executed under qemu-user, callees included"
BLOCK_BYTES = 128  # RFC 7693, section 2.1


NAMES = (("work", "insns/block"), ("work/byte", "insns/byte"), ("overhead", "insns/call"))


def of(fewer: Sequence[Call], more: Sequence[Call], blocks: int) -> list[Measurement]:
    """Named work (instructions per block), work/byte, and overhead (of a call without blocks).

    fewer, more: the calls of two cases, ``blocks`` and ``blocks`` + 1 blocks long in all, that
    make as many calls each: one, or several where the interface splits the message. Or each
    call is of one block, and the second case makes one call more.
    """
    if (
        fewer
        and len(more) == len(fewer) + 1
        and _steps(more) - _steps(fewer) == _steps(more[:1])
    ):
        return _call_a_block(_steps(more[:1]))
    if not fewer or len(fewer) != len(more):
        reason = "the cases do not make as many calls each"
        return [not_measured(name, unit, METHOD, reason) for name, unit in NAMES]
    total = _steps(fewer)
    block = _steps(more) - total
    overhead, rest = divmod(total - blocks * block, len(fewer))
    if rest or overhead < 0:
        reason = "work is not the same for each block and call"
        return [not_measured(name, unit, METHOD, reason) for name, unit in NAMES]
    values = (block, block / BLOCK_BYTES, overhead)
    return [
        exact(name, value, unit, METHOD)
        for (name, unit), value in zip(NAMES, values, strict=True)
    ]


def _call_a_block(block: int) -> list[Measurement]:
    """The core is only ever called for a single block."""
    reason = "each call is of one block; the overhead is part of the work"
    note = "the overhead of a call is in it: the core is called for each block"
    return [
        exact("work", block, "insns/block", METHOD, note),
        exact("work/byte", block / BLOCK_BYTES, "insns/byte", METHOD, note),
        not_measured(*NAMES[2], METHOD, reason),
    ]


def _steps(calls: Sequence[Call]) -> int:
    return sum(len(call.steps) for call in calls)


def agree(first: Measurement, second: Measurement) -> Measurement:
    """The figure if both takes agree; else none, with both figures and the word UNSTABLE."""
    if first.value == second.value:
        return first
    values = [one.value for one in (first, second) if one.value is not None]
    shown = ["no figure" if v is None else f"{v:g}" for v in (first.value, second.value)]
    note = f"UNSTABLE: {' and '.join(shown)}"
    return replace(first, value=None, exact=False, note=note, low=min(values), high=max(values))
