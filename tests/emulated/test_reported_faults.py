"""Faults of cores that people have reported, re-created from their description (CASES 1).

Each is a mutant or an edit; what is asked, and the right outcome, are those of the report. C13
and C16, which are no faults, are in test_unusual.py.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from edits import changed, edited, judge, told, written
from unusual import FOLDER

from rig import catalog
from rig.cases import parse
from rig.lab import Lab
from rig.model import Cell, Core
from rig.mutants.reading import core_of, load_mutants
from rig.report.document import Report
from rig.verdicts import Verdict

MUTANTS = {mutant.name: mutant for mutant in load_mutants()}
KNOWN = catalog.load()
WRONG = (Verdict.MISMATCH, Verdict.UNSTABLE)
PLACES = ("x86_64/gcc/user", "i386/gcc/user", "arm32/gcc/user")


def core(name: str) -> Core:
    return core_of(MUTANTS[name], KNOWN)


def right(lab: Lab, made: Core, on: str, lines: Sequence[str]) -> list[bool]:
    """Whether each line is answered as the oracle does."""
    (setup,) = KNOWN.setups([on])
    cases = [parse(line) for line in lines]
    with lab.guest(Cell(setup, made)) as guest:
        outcomes = list(guest.ask(case.line for case in cases))
    assert all(getattr(outcome, "ok", False) for outcome in outcomes), outcomes
    return [
        getattr(outcome, "payload", "") == lab.oracle.answer(case)
        for case, outcome in zip(cases, outcomes, strict=True)
    ]


def fails(report: Report, verdicts: Sequence[Verdict] = WRONG) -> None:
    assert report.cells
    assert all(cell.verdict in verdicts for cell in report.cells), told(report)


def test_c1_a_frame_grows_with_unrolling_and_is_told(rig_lab: Lab) -> None:
    """GCC 105930: vector spills on 32-bit. The digests stay right; the frame is what fails."""
    unrolled = KNOWN.core("unrolled")
    flags = ("-Os", "-msse2")
    spilled = Core("spilled", unrolled.unit, unrolled.files, cflags=flags)
    report = judge(rig_lab, [spilled, KNOWN.core("rolled")], ["i386/gcc/user"], "vectors")
    big, small = (report.cells[at].measurement("frame") for at in (0, 1))
    assert [cell.verdict for cell in report.cells] == [Verdict.PASS] * 2, told(report)
    assert big is not None
    assert small is not None
    assert big.value is not None
    assert small.value is not None
    assert big.value > small.value


def test_c3_a_carry_into_the_high_word_is_missed(rig_lab: Lab) -> None:
    made = core("carry-never")
    asked = ["hash in=lcg:1:200 ctr=ffffffffffffff80:0", "hash in=lcg:1:200"]
    for place in PLACES:
        assert right(rig_lab, made, place, asked) == [False, True]
    report = judge(rig_lab, [made], PLACES, "vectors", "compress", "counters")
    fails(report)
    assert {cell.diagnosis for cell in report.cells} == {
        ("wrong only where the counter crosses 2^64",)
    }


def test_c4_a_length_of_16_bits_is_right_up_to_64000(rig_lab: Lab) -> None:
    asked = ["hash in=inc:0:64000", "hash in=inc:0:65537"]
    made = core("update-length-16-bits")
    for place in PLACES:
        assert right(rig_lab, made, place, asked) == [True, False]


def test_c6_a_load_in_host_order_shows_on_big_endian_alone(rig_lab: Lab) -> None:
    made = core("load-in-host-order")
    report = judge(rig_lab, [made], ["x86_64/gcc/user", "arm32/gcc/user"])
    fails(report, [Verdict.PASS])
    big = "armeb32/gcc/user"
    fails(judge(rig_lab, [made], [big], "vectors"))
    assert right(rig_lab, made, big, ["hash", "hash in=hex:616263"]) == [True, False]


def test_c8_whole_blocks_are_compressed_too_early(rig_lab: Lab, tmp_path: Path) -> None:
    """The buffer is compressed as soon as it is full, instead of with the next byte."""
    text = (FOLDER / "bytewise_update.c").read_text("utf-8")
    take = "state->buf[state->buflen++] = *from++;"
    full = "if (state->buflen == BLAKE2B_BLOCK_BYTES) {"
    text = changed(text, (take, ""), (full, f"{take}\n\t\t{full}"))
    shutil.copy(FOLDER / "common.h", tmp_path)
    asked = [f"hash in=inc:0:{length}" for length in (127, 128, 129, 255, 256, 257)]
    made = written(rig_lab, tmp_path, "eager", text)
    for place in PLACES:
        assert right(rig_lab, made, place, asked) == [True, False, True, True, False, True]


def test_c10_an_assigned_fill_level_shows_only_in_pieces(rig_lab: Lab) -> None:
    asked = ["hash in=inc:0:100", "hash in=inc:0:100 cut=40"]
    made = core("fill-assigned")
    for place in PLACES:
        assert right(rig_lab, made, place, asked) == [True, False]


def test_c11_short_digests_alone_are_wrong(rig_lab: Lab) -> None:
    asked = [f"hash n={size} in=hex:616263" for size in (64, 32, 20, 1)]
    made = core("last-block-zero-for-short-digests")
    for place in PLACES:
        assert right(rig_lab, made, place, asked) == [True, False, False, False]


@pytest.mark.parametrize("profile", ["user", "O0"])
def test_c12_a_parameter_block_left_unset_never_passes(profile: str, rig_lab: Lab) -> None:
    places = [f"{name}/gcc/{profile}" for name in ("x86_64", "i386", "arm32")]
    made = core("init-parameter-block-on-stack")
    fails(judge(rig_lab, [made], places, "vectors", "memory"))


COPY = """\
typedef uint64_t wide __attribute__((vector_size(64), aligned(64)));

static __attribute__((noinline)) void copy(wide *to, const wide *from)
{
	*to = *from;
}

void blake2b_compress("""

PACKED = """\
	struct __attribute__((packed)) { uint8_t odd; wide words[2]; } block;
	wide *const words = (wide *)((uint8_t *)&block + 1);
	uint64_t m[16];
	uint64_t v[16];

	__asm__ volatile("" : : "r"(&block) : "memory");
	copy(words + 1, words);
"""


def test_c17_an_aligned_type_at_an_odd_place_crashes_or_is_refused(
    rig_lab: Lab, tmp_path: Path
) -> None:
    """A type of 64 bytes alignment, placed at an odd offset of a packed structure.

    x86_64 has instructions that insist on alignment; i386 without SSE has none.
    """
    stack = "\tuint64_t m[16];\n\tuint64_t v[16];\n"
    packed = ("void blake2b_compress(", COPY), (stack, PACKED)
    made = edited(rig_lab, tmp_path, "aligned", *packed)
    report = judge(rig_lab, [made], ["x86_64/gcc/user"], "vectors")
    fails(report, [Verdict.GUEST_CRASH, Verdict.BUILD_FAILED])
    (cell,) = report.cells
    if cell.verdict is Verdict.BUILD_FAILED:
        assert cell.failure is not None
        assert "aligned.c" in cell.failure.message


@pytest.mark.parametrize(
    "name", ["final-flag-of-a-long", "ror64-of-a-long", "load-shifts-bytes-in-a-long"]
)
def test_unsigned_long_shows_on_every_32_bit_target_and_nowhere_else(
    name: str, rig_lab: Lab
) -> None:
    report = judge(rig_lab, [core(name)], PLACES, "vectors")
    verdicts = {cell.setup: cell.verdict for cell in report.cells}
    assert verdicts.pop(PLACES[0]) is Verdict.PASS
    assert set(verdicts.values()) == {Verdict.MISMATCH}
    assert report.across == {name: ("wrong only on 32-bit targets",)}
