"""Code lines touched and what they cost in a few instruction caches: a model, exact as a count.

A plain LRU cache, fed with the trace; an instruction that lies across two lines asks for both
and counts as one miss, as in cachegrind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rig.elf import Program
from rig.measures import exact, not_measured
from rig.measures.calls import Call
from rig.verdicts import Measurement


class Cache(NamedTuple):
    """An instruction cache. size, line: bytes. example: where one like it is found."""

    name: str
    size: int
    ways: int
    line: int
    example: str


CACHES = (
    Cache("8K/2w/32", 8 << 10, 2, 32, "small microcontrollers with a cache"),
    Cache("16K/4w/32", 16 << 10, 4, 32, "ARM9, ARM11"),
    Cache("32K/4w/64", 32 << 10, 4, 64, "Cortex-A9 and many since, older x86"),
)
"""The named presets. One line here is a new preset."""

PAGE_BLOCKS = 4096 // 128
"""Blocks of a 4 KiB page, after which other code has taken the cache in the polluted figure."""

Fetch = tuple[int, int]
"""Address and length in bytes of an executed instruction."""

# Branches of x86 by their first byte: length after prefixes. Others run on to the next address.
_X86_BRANCH = {0xEB: 2, 0xE8: 5, 0xE9: 5, 0xC3: 1, 0xC2: 3}
_X86_BRANCH.update(dict.fromkeys(range(0x70, 0x80), 2))
_X86_BRANCH.update(dict.fromkeys(range(0xE0, 0xE4), 2))


def fetches(call: Call, program: Program) -> list[Fetch]:
    """The instructions of a call with their lengths."""
    length = _arm_length if program.machine == "EM_ARM" else _length
    known: dict[int, int] = {}
    found = []
    after = [step.pc for step in call.steps[1:]] + [-1]
    for step, following in zip(call.steps, after, strict=True):
        if step.pc not in known:
            known[step.pc] = length(step.pc, following, program)
        found.append((step.pc, known[step.pc]))
    return found


def _arm_length(pc: int, following: int, program: Program) -> int:  # noqa: ARG001
    function = program.at(pc)
    if function is None or not function.thumb:
        return 4
    half = int.from_bytes(program.bytes_at(pc, 2), "little")
    return 4 if half >> 11 >= 0b11101 else 2


def _length(pc: int, following: int, program: Program) -> int:
    """Where the next step begins; a branch that was taken tells its length by its bytes."""
    if program.machine in ("EM_386", "EM_X86_64"):
        branch = _x86_branch(program.bytes_at(pc, 15), program.machine == "EM_X86_64")
        if branch:
            return branch
    return following - pc if 0 < following - pc <= 15 else 1


def _x86_branch(code: bytes, wide: bool) -> int:
    """Length of a branch; 0 for any other instruction."""
    at = 0
    while at < len(code) and code[at] in (0x2E, 0x3E, 0x66, 0xF2, 0xF3):
        at += 1
    if wide and at < len(code) and code[at] >> 4 == 4:
        at += 1
    rest = code[at : at + 3]
    if not rest:
        return 0
    if rest[0] in _X86_BRANCH:
        return at + _X86_BRANCH[rest[0]]
    if rest[0] == 0x0F and rest[1:] and rest[1] >> 4 == 8:
        return at + 6
    if rest[0] == 0xFF and rest[1:] and (rest[1] >> 3) & 7 in (2, 4):
        return at + 1 + _modrm_length(rest[1], rest[2:])
    return 0


def _modrm_length(modrm: int, following: bytes) -> int:
    """Bytes of ModRM, SIB and displacement (32-bit addressing and up)."""
    mod, rm = modrm >> 6, modrm & 7
    if mod == 3:
        return 1
    sib = rm == 4
    base_less = mod == 0 and (rm == 5 or (sib and bool(following) and following[0] & 7 == 5))
    displacement = {0: 0, 1: 1, 2: 4}[mod]
    return 1 + sib + (4 if base_less else displacement)


class Lru:
    """A set-associative cache with least-recently-used replacement, empty at first."""

    def __init__(self, cache: Cache) -> None:
        self.line = cache.line
        self.ways = cache.ways
        self.count = cache.size // cache.line // cache.ways
        self.sets: list[list[int]] = [[] for _ in range(self.count)]

    def _miss(self, block: int) -> bool:
        lines = self.sets[block % self.count]
        if lines and lines[0] == block:
            return False
        missed = block not in lines
        if not missed:
            lines.remove(block)
        elif len(lines) == self.ways:
            lines.pop()
        lines.insert(0, block)
        return missed

    def run(self, stream: Iterable[Fetch]) -> int:
        """Fetches these instructions; how many of the fetches missed."""
        misses = 0
        for pc, length in stream:
            first, last = pc // self.line, (pc + length - 1) // self.line
            missed = self._miss(first)
            if last != first:
                missed = self._miss(last) or missed
            misses += missed
        return misses


class Misses(NamedTuple):
    """Misses a block. cold: from an empty cache. steady: again and again the same.
    polluted: over a 4 KiB page that starts with an empty cache.
    """

    cold: int
    steady: int
    polluted: float


def misses(stream: Sequence[Fetch], cache: Cache) -> Misses:
    """What a call of one block costs in this cache.

    Steady is the third pass: under LRU, what a pass leaves depends on that pass alone.
    """
    model = Lru(cache)
    cold, _, steady = (model.run(stream) for _ in range(3))
    return Misses(cold, steady, (cold + (PAGE_BLOCKS - 1) * steady) / PAGE_BLOCKS)


def distinct(stream: Iterable[Fetch], line: int) -> int:
    """How many lines of this size the instructions touch."""
    return len({at // line for pc, length in stream for at in (pc, pc + length - 1)})


def of(call: Call, program: Program) -> list[Measurement]:
    """lines/32, lines/64, and for each preset misses/<name>/{cold,steady,polluted}.

    call: of one block, callees included.
    """
    stream = fetches(call, program)
    found = [
        exact(
            f"lines/{line}", distinct(stream, line), "lines", f"{line}-byte lines of the trace"
        )
        for line in (32, 64)
    ]
    for cache in CACHES:
        for name, value in misses(stream, cache)._asdict().items():
            figure = f"misses/{cache.name}/{name}"
            found.append(exact(figure, value, "misses/block", "LRU model on the trace"))
    return found


BREAK_EVEN = "extra instructions / cold lines saved"


def break_even(
    work: tuple[float, float], lines: tuple[float, float], unit_note: str = "64-byte lines"
) -> Measurement:
    """The refill cost of a line, in instructions, above which the core with fewer lines wins
    when its code is cold: (work it adds) / (lines it saves).

    work, lines: of the two cores, before and after, for one block.
    """
    small, big = (1, 0) if lines[1] < lines[0] else (0, 1)
    saved = lines[big] - lines[small]
    extra = work[small] - work[big]
    if not saved:
        reason = "both touch as many lines"
        return not_measured("break-even", "insns/line", BREAK_EVEN, reason)
    if extra <= 0:
        note = f"fewer {unit_note} and no more work: no refill cost is needed"
        return exact("break-even", 0.0, "insns/line", BREAK_EVEN, note)
    return exact("break-even", extra / saved, "insns/line", BREAK_EVEN, unit_note)
