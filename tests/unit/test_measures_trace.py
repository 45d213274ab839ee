"""Readers of the trace: work, stack, lines and caches, dependence on data."""

from __future__ import annotations

import random

import pytest
from test_trace import COMPILED, OVERHEAD, PER_BLOCK, TOYS, VERSIONS, calls_of, log_of

from rig.elf import Program, Symbol, read_program
from rig.measures import constant_time, lines, stack, work
from rig.measures.calls import Call, calls
from rig.trace import Step, parse
from rig.verdicts import Measurement


def program_of(toy: str) -> Program:
    return read_program((COMPILED / f"{toy}.elf").read_bytes())


def call_of(*pcs: int) -> Call:
    return Call(0, tuple(Step(pc) for pc in pcs))


def named(found: list[Measurement]) -> dict[str, Measurement]:
    return {measurement.name: measurement for measurement in found}


# -------------------------------------------------------------------------------- work


@pytest.mark.parametrize("toy", TOYS)
def test_work_is_what_one_more_block_adds(toy: str) -> None:
    _, three, four = calls_of(toy, "10.0")
    found = named(work.of([three], [four], 3))
    assert found["work"].value == PER_BLOCK[toy]
    assert found["work/byte"].value == PER_BLOCK[toy] / 128
    assert found["overhead"].value == OVERHEAD[toy]
    assert all(measurement.exact for measurement in found.values())


def test_work_is_the_same_when_the_interface_splits_the_message() -> None:
    one = calls_of("i386", "10.0")[0]
    two = call_of(*range(OVERHEAD["i386"] + 2 * PER_BLOCK["i386"]))
    found = named(work.of([one, one, one], [one, two, one], 3))
    assert (found["work"].value, found["overhead"].value) == (30, 13)


def test_work_of_a_core_that_is_called_for_each_block_has_the_call_in_it() -> None:
    one = call_of(*range(43))
    found = named(work.of([one] * 3, [one] * 4, 3))
    assert (found["work"].value, found["work/byte"].value) == (43, 43 / 128)
    assert "overhead of a call is in it" in found["work"].note
    assert found["overhead"].value is None


@pytest.mark.parametrize(("fewer", "more"), [(0, 0), (0, 1), (1, 3), (3, 2)])
def test_work_needs_as_many_calls_each(fewer: int, more: int) -> None:
    call = call_of(1, 2, 3)
    for found in work.of([call] * fewer, [call] * more, 3):
        assert found.value is None
        assert "as many calls" in found.note


def test_work_that_is_not_linear_is_not_given() -> None:
    found = named(work.of([call_of(1)], [call_of(*range(50))], 3))
    assert found["work"].value is None


def test_two_takes_that_differ_are_unstable_with_both_figures() -> None:
    first = work.of([call_of(*range(100))], [call_of(*range(120))], 3)[0]
    second = work.of([call_of(*range(100))], [call_of(*range(122))], 3)[0]
    found = work.agree(first, second)
    assert (found.value, found.exact, found.low, found.high) == (None, False, 20, 22)
    assert found.note == "UNSTABLE: 20 and 22"
    assert work.agree(first, first) == first


# ------------------------------------------------------------------------------- stack

# pushes and room of the function, then what calls take besides
STACK = {
    "i386": (3 * 4 + 48 + 12, 4 + 8),  # arguments pushed; toy_copy's return address and pushes
    "x86_64": (48, 8),
    "arm": (16 + 40, 0),
    "thumb": (16 + 40, 0),
}


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("version", VERSIONS)
def test_stack_reaches_from_the_entry_to_the_lowest(toy: str, version: str) -> None:
    own, callees = STACK[toy]
    made = calls_of(toy, version, registers=True)
    depth = stack.depth(made, program_of(toy), "toy")
    assert depth is not None
    assert (depth.own, depth.deepest, depth.calls) == (own, own + callees, True)
    found = stack.of(made, program_of(toy), "toy")[0]
    assert (found.value, found.exact) == (own + callees, True)


def test_a_realigned_stack_is_measured() -> None:
    code = b"\x90\x48\x83\xe4\xf0\x90"
    toy = Symbol("toy", 0x100, len(code), 1, "STT_FUNC", False, False)
    program = program_of("x86_64")
    program = Program(program.machine, (toy,), {}, (type(program.code[0])(0x100, code),))
    call = Call(0, (Step(0x100, 1000), Step(0x101, 984), Step(0x105, 976)))
    depth = stack.depth([call], program, "toy")
    assert depth == stack.Depth(24, 24, 8, 0x105, False)


def test_without_registers_there_is_no_stack_figure() -> None:
    found = stack.of(calls_of("i386", "10.0"), program_of("i386"), "toy")[0]
    assert found.value is None
    assert "no stack pointer" in found.note


# --------------------------------------------------------------------- lines and caches


def fetches_of(toy: str) -> dict[int, int]:
    program = program_of(toy)
    return dict(lines.fetches(calls_of(toy, "10.0")[0], program))


def test_lengths_of_x86_instructions_are_those_of_the_disassembly() -> None:
    found = fetches_of("i386")
    known = {
        0x80480D0: 1,  # push %edi
        0x80480D3: 3,  # sub $0x30,%esp
        0x80480E2: 6,  # lea 0x0(%esi),%esi, padding
        0x80480EA: 5,  # push $imm32
        0x80480F0: 5,  # call
        0x8048116: 2,  # jne, not taken
        0x80480BE: 2,  # rep movsb
        0x80480A8: 1,  # ret
    }
    assert {pc: found[pc] for pc in known} == known


def test_lengths_of_thumb_instructions_are_two_or_four() -> None:
    found = fetches_of("thumb")
    assert (found[0x100B8], found[0x100BA], found[0x100C2], found[0x100CE]) == (2, 4, 2, 4)
    assert set(fetches_of("arm").values()) == {4}


@pytest.mark.parametrize(
    ("code", "length"),
    [
        ("c3", 1), ("f3c3", 2), ("eb10", 2), ("e900000000", 5), ("0f8400000000", 6),
        ("ffd0", 2), ("ff1500000000", 6), ("ff5508", 3), ("ff9500000000", 6),
        ("ff542408", 4), ("ff248500000000", 7), ("ff2485000000", 7), ("2effe0", 3),
        ("89c2", 0), ("ff30", 0), ("0faf", 0), ("", 0),
    ],
)  # fmt: skip
def test_branches_tell_their_length(code: str, length: int) -> None:
    assert lines._x86_branch(bytes.fromhex(code), False) == length


def test_a_prefix_of_64_bit_code_is_no_instruction_of_its_own() -> None:
    assert lines._x86_branch(bytes.fromhex("41ffd3"), True) == 3
    assert lines._x86_branch(bytes.fromhex("41ffd3"), False) == 0


def test_distinct_lines_count_both_sides_of_a_border() -> None:
    stream = [(0, 4), (28, 4), (30, 4), (64, 1)]
    assert lines.distinct(stream, 32) == 3
    assert lines.distinct(stream, 64) == 2


def test_a_loop_that_fits_misses_only_at_first() -> None:
    cache = lines.Cache("tiny", 1024, 2, 32, "")
    stream = [(pc, 4) for pc in range(0, 1024, 4)]
    assert lines.misses(stream, cache) == lines.Misses(32, 0, 1.0)


def test_a_loop_one_line_too_long_always_misses_in_its_set() -> None:
    """Under LRU, three lines that take turns in two ways never hit."""
    cache = lines.Cache("tiny", 1024, 2, 32, "")
    stream = [(pc, 4) for pc in range(0, 1024 + 32, 32)]
    found = lines.misses(stream, cache)
    assert (found.cold, found.steady) == (33, 3)
    assert found.polluted == (33 + 31 * 3) / 32


def test_a_fetch_across_lines_is_one_miss_and_fills_both() -> None:
    model = lines.Lru(lines.Cache("tiny", 1024, 2, 32, ""))
    assert model.run([(30, 4), (0, 1), (32, 1)]) == 1


def slow_lru(stream: list[tuple[int, int]], cache: lines.Cache) -> int:
    """The definition: a line is there if fewer than ``ways`` others of its set came since."""
    history: list[int] = []
    missed = 0
    count = cache.size // cache.line // cache.ways
    for pc, length in stream:
        bad = False
        for block in sorted({pc // cache.line, (pc + length - 1) // cache.line}):
            others: set[int] = set()
            there = False
            for old in reversed(history):
                if old == block:
                    there = len(others) < cache.ways
                    break
                if old % count == block % count:
                    others.add(old)
            bad = bad or not there
            history.append(block)
        missed += bad
    return missed


def test_the_model_is_lru_by_definition() -> None:
    chance = random.Random(7)
    cache = lines.Cache("tiny", 256, 2, 16, "")
    for _ in range(20):
        stream = [(chance.randrange(600), chance.randrange(1, 8)) for _ in range(300)]
        assert lines.Lru(cache).run(stream) == slow_lru(stream, cache)


def test_every_preset_is_a_cache_that_can_be() -> None:
    for cache in lines.CACHES:
        sets, rest = divmod(cache.size, cache.line * cache.ways)
        assert rest == 0
        assert sets & (sets - 1) == 0


def test_all_figures_of_a_call_have_names_of_their_own() -> None:
    found = lines.of(calls_of("i386", "10.0")[0], program_of("i386"))
    assert len(named(found)) == len(found) == 2 + 3 * len(lines.CACHES)
    # helper, toy_copy and toy lie in 0x80480a0..0x804811e
    assert (found[0].value, found[1].value) == (4, 3)


def test_break_even_is_extra_work_for_each_line_saved() -> None:
    found = lines.break_even(work=(1000, 1100), lines=(330, 80))
    assert found.value == 100 / 250
    assert lines.break_even(work=(1100, 1000), lines=(80, 330)).value == 100 / 250
    assert lines.break_even(work=(1000, 900), lines=(330, 80)).value == 0
    assert lines.break_even(work=(1000, 900), lines=(80, 80)).value is None


# ----------------------------------------------------------------- dependence on data


def test_equal_traces_show_no_variation() -> None:
    runs = [(name, calls_of("i386", "10.0")) for name in ("random", "zero", "ones")]
    observed = constant_time.compare(runs)
    assert observed.describe(program_of("i386")) == "no variation observed (3 inputs)"


def test_the_first_instruction_that_depends_on_data_is_named() -> None:
    """compiled/i386-leak has a branch on the state, at toy+0x47."""
    program = program_of("i386-leak")
    entry = program.entry("toy")
    assert entry is not None
    made = list(calls(parse(log_of("i386-leak", "10.0")), program, entry))
    branch, taken, other = entry.start + 0x47, entry.start + 0x50, entry.start + 0x49
    ways = [(w.pc, n.pc) for c in made for w, n in zip(c.steps, c.steps[1:], strict=False)]
    assert {n for w, n in ways if w == branch} == {taken, other}
    passes = [[s for s in c.steps if s.pc in (branch, taken, other)] for c in made]
    straight = next(c for c, p in zip(made, passes, strict=True) if p[1].pc == taken)
    detour = next(c for c, p in zip(made, passes, strict=True) if p[1].pc == other)
    observed = constant_time.compare([("zero", [straight]), ("ones", [detour])])
    text = observed.describe(program)
    assert "after toy+0x47" in text
    assert "zero goes on to toy+0x50, ones to toy+0x49" in text


def test_a_trace_that_ends_early_differs_too() -> None:
    observed = constant_time.compare([("zero", [call_of(1, 2, 3)]), ("ones", [call_of(1, 2)])])
    assert observed.divergence == constant_time.Divergence("zero", "ones", 2, 2, 3, None)
    assert "to the end" in observed.describe(program_of("i386"))
