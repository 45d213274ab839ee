"""Stack as it was used: the deepest stack pointer under the trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rig.elf import Program, Symbol
from rig.measures import exact, not_measured
from rig.measures.calls import Call
from rig.verdicts import Measurement

METHOD = "entry SP - lowest SP under qemu-user, callees included"


class Depth(NamedTuple):
    """Bytes below the stack pointer at entry. own: in the function and its split parts.
    realigned: of these, what an ``and`` of the stack pointer took (x86). where: address of the
    deepest instruction. calls: whether anything else was called.
    """

    deepest: int
    own: int
    realigned: int
    where: int
    calls: bool


def depth(calls: Sequence[Call], program: Program, symbol: str) -> Depth | None:
    """The deepest of these calls; None when the trace has no stack pointer."""
    own = program.parts(symbol)
    found = [one for call in calls if (one := _of_call(call, program, own))]
    return max(found, key=lambda one: one.deepest, default=None)


def _of_call(call: Call, program: Program, own: Sequence[Symbol]) -> Depth | None:
    entry = call.steps[0].sp
    if entry is None:
        return None
    lowest, own_lowest, where, called = entry, entry, call.steps[0].pc, False
    realigned, before = 0, call.steps[0]
    pcs = {step.pc for step in call.steps}
    within = {pc: any(part.start <= pc < part.end for part in own) for pc in pcs}
    for step in call.steps:
        pc, sp = step
        if sp is None:
            return None
        inside = within[pc]
        called = called or not inside
        if sp < lowest:
            lowest, where = sp, pc
        if inside:
            own_lowest = min(own_lowest, sp)
            if before.sp is not None and sp < before.sp and _realigns(program, before.pc):
                realigned = before.sp - sp
        before = step
    return Depth(entry - lowest, entry - own_lowest, realigned, where, called)


def _realigns(program: Program, pc: int) -> bool:
    """Whether the instruction is x86's ``and $imm8, %esp`` or ``%rsp``."""
    if program.machine not in ("EM_386", "EM_X86_64"):
        return False
    code = program.bytes_at(pc, 4)
    return code.removeprefix(b"\x48")[:2] == b"\x83\xe4"


def of(calls: Sequence[Call], program: Program, symbol: str) -> list[Measurement]:
    """Named stack: bytes below the entry SP, the return address not among them."""
    found = depth(calls, program, symbol) if calls else None
    if found is None:
        reason = "the trace has no stack pointer" if calls else f"{symbol} was not called"
        return [not_measured("stack", "bytes", METHOD, reason)]
    note = f"deepest at {program.where(found.where)}"
    if found.deepest != found.own:
        note += f", {found.own} without callees"
    if found.realigned:
        note += f", {found.realigned} by realignment"
    return [exact("stack", found.deepest, "bytes", METHOD, note)]
