"""Sizes and frames of objects that compilers made (compiled/make.sh); nm says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig.errors import UsageError
from rig.measures import bloat as objects
from rig.measures import frame, size
from rig.measures.stack import Depth
from rig.report import bloat as bloats
from rig.report.bloat import Bloat, Row
from rig.verdicts import Measurement

COMPILED = Path(__file__).parent / "compiled"
GROWN = (0x8F, 0x9A)
"""The function in unit-i386 and in unit-more-i386, by nm."""


def of(name: str, symbol: str = "measured") -> dict[str, Measurement]:
    return {m.name: m for m in size.of((COMPILED / name).read_bytes(), symbol)}


def test_size_counts_the_function_and_its_cold_part_by_name() -> None:
    found = of("unit-i386.elf")["size"]
    assert (found.value, found.exact) == (0x8F + 0x2C, True)
    assert found.note == "measured 143, measured.cold 44"


def test_a_specialised_copy_stands_for_the_function() -> None:
    found = of("unit-i386.elf", "special")["size"]
    assert (found.value, found.note) == (0x20, "special.constprop.0 32")


def test_helpers_are_the_other_local_functions() -> None:
    found = of("unit-i386.elf")["helpers"]
    assert (found.value, found.note) == (9 + 0x20, "helper 9, special.constprop.0 32")


def test_constants_are_what_the_unit_keeps_to_itself() -> None:
    found = of("unit-i386.elf")["constants"]
    assert (found.value, found.note) == (41, ".rodata.str1.1 9, .rodata 32")


@pytest.mark.parametrize(
    ("name", "helper"),
    [("unit-i386.elf", "__udivdi3"), ("unit-thumb.elf", "__aeabi_uldivmod")],
)
def test_libgcc_helpers_are_named(name: str, helper: str) -> None:
    found = of(name)["libgcc"]
    assert (found.value, found.note) == (1, helper)


def test_distance_reaches_to_the_next_symbol_with_the_thumb_bit_cleared() -> None:
    found = of("unit-thumb.elf")
    assert found["distance"].value == 0xBC - 0x34
    assert found["distance"].note == "to entry"
    assert found["size"].value == 0x88


def test_distance_of_the_last_symbol_is_rounded_up() -> None:
    found = of("unit-i386.elf", "entry")["distance"]
    assert (found.value, found.note) == (0x20, "to the end of its section")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("unit-lto.elf", "LTO"),
        ("unit-fat-lto.elf", "LTO"),
        ("unit.bc", "LLVM bitcode"),
        ("unit.c", "not an ELF object"),
    ],
)
def test_what_has_no_code_of_its_own_is_not_measured(name: str, reason: str) -> None:
    for found in of(name).values():
        assert found.value is None
        assert found.note.startswith("not measured: ")
        assert reason in found.note


def test_a_function_that_was_inlined_away_has_no_size() -> None:
    found = of("unit-i386.elf", "gone")["size"]
    assert found.value is None
    assert "no function gone (inlined away" in found.note


def test_a_damaged_object_is_not_measured() -> None:
    whole = (COMPILED / "unit-i386.elf").read_bytes()
    for length in (20, 60, 400, len(whole) - 100):
        found = size.of(whole[:length], "measured")[0]
        assert found.value is None
        assert "damaged" in found.note


def test_an_archive_is_told_from_an_object() -> None:
    assert "an archive" in size.of(b"!<arch>\nrest", "measured")[0].note


# ------------------------------------------------------------------------------- bloat


def bloat(before: bytes, after: bytes) -> Bloat:
    return bloats.bloat(objects.sizes(before, "before"), objects.sizes(after, "after"))


def test_bloat_names_what_grew_and_adds_it_up() -> None:
    before = (COMPILED / "unit-i386.elf").read_bytes()
    after = (COMPILED / "unit-more-i386.elf").read_bytes()
    result = bloat(before, after)
    assert result.rows == (Row("measured", *GROWN),)
    assert result.after - result.before == GROWN[1] - GROWN[0]
    lines = bloats.render(result)
    grown = GROWN[1] - GROWN[0]
    assert lines[0] == f"add/remove: 0/0 grow/shrink: 1/0 up/down: {grown}/0 ({grown})"
    assert lines[2].split() == ["measured", str(GROWN[0]), str(GROWN[1]), f"+{grown}"]
    assert max(map(len, lines)) <= 72


def test_bloat_shows_what_came_and_what_went() -> None:
    i386 = (COMPILED / "unit-i386.elf").read_bytes()
    toy = (COMPILED / "i386.elf").read_bytes()
    result = bloat(i386, toy)
    added = [row.name for row in result.rows if row.old is None]
    removed = [row.name for row in result.rows if row.new is None]
    assert "toy" in added
    assert "measured" in removed
    assert sum(row.delta for row in result.rows) == result.after - result.before
    total = f"Total: Before={result.before}, After={result.after}, chg "
    assert bloats.render(result)[-1].startswith(total)


def test_equal_objects_have_no_rows() -> None:
    content = (COMPILED / "unit-i386.elf").read_bytes()
    result = bloat(content, content)
    assert result.rows == ()
    assert bloats.render(result)[-1].endswith("chg +0.00%")


def test_bloat_refuses_what_has_no_sizes() -> None:
    content = (COMPILED / "unit-i386.elf").read_bytes()
    with pytest.raises(UsageError, match=r"after cannot be compared: LTO"):
        bloat(content, (COMPILED / "unit-lto.elf").read_bytes())


# ------------------------------------------------------------------------------- frame


def frame_of(usage: bytes | None, symbol: str = "blake2b_compress") -> Measurement:
    return frame.of(usage, symbol)[0]


@pytest.mark.parametrize(
    "line",
    [
        b"core.c:27:6:blake2b_compress\t376\tstatic\n",
        b"core.c:27:blake2b_compress\t376\tstatic\n",
        b"dir with blanks/co:re.c:27:6:blake2b_compress\t376\tstatic\n",
        b"../\xff.c:1:1:other\t8\tstatic\nx.c:27:6:blake2b_compress\t376\tstatic\n",
    ],
)
def test_both_compilers_lines_are_read(line: bytes) -> None:
    found = frame_of(line)
    assert (found.value, found.unit, found.exact, found.note) == (376, "bytes", True, "")


def test_a_real_stack_usage_file() -> None:
    usage = (COMPILED / "unit-i386.su").read_bytes()
    assert frame_of(usage, "helper").value == 4
    special = frame_of(usage, "special")
    assert (special.value, special.note) == (8, "special.constprop 8")
    bounded = frame_of(usage, "measured")
    assert bounded.exact
    assert "dynamic, bounded" in bounded.note


def test_a_frame_that_grows_at_run_time_is_a_lower_bound() -> None:
    found = frame_of(b"core.c:27:6:blake2b_compress\t376\tdynamic\n")
    assert (found.value, found.exact, found.low, found.high) == (376, False, 376, None)


def test_split_parts_are_named_and_the_largest_counts() -> None:
    found = frame_of(
        b"c.c:1:1:blake2b_compress\t40\tstatic\n"
        b"c.c:1:1:blake2b_compress.part.0\t400\tstatic\n"
        b"c.c:1:1:blake2b_compress_other\t900\tstatic\n"
    )
    assert found.value == 400
    assert found.note == "blake2b_compress 40, blake2b_compress.part.0 400"


@pytest.mark.parametrize(
    ("usage", "reason"),
    [
        (None, "no stack usage file (as with LTO)"),
        (b"", "does not name blake2b_compress (inlined away)"),
        (b"c.c:1:1:main\t16\tstatic\n", "does not name blake2b_compress"),
        (b"c.c:1:1:blake2b_compress\tmany\tstatic\n", "does not name blake2b_compress"),
    ],
)
def test_without_a_frame_there_is_no_figure(usage: bytes | None, reason: str) -> None:
    found = frame_of(usage)
    assert found.value is None
    assert reason in found.note


@pytest.mark.parametrize(
    ("stated", "depth", "family", "machine", "said"),
    [
        (536, Depth(532, 532, 0, 0, False), "gcc", "EM_386", "return address -4"),
        (328, Depth(320, 320, 0, 0, False), "gcc", "EM_X86_64", "return address -8"),
        (504, Depth(508, 504, 0, 0, True), "gcc", "EM_ARM", "callees +4"),
        (496, Depth(496, 496, 0, 0, True), "clang", "EM_ARM", "equal"),
        (396, Depth(420, 408, 0, 0, True), "clang", "EM_386",
         "callees +12, pushed arguments +12"),
        (392, Depth(416, 408, 8, 0, True), "clang", "EM_X86_64",
         "callees +8, realignment +16"),
        (400, Depth(500, 500, 0, 0, False), "clang", "EM_386", "unexplained +100"),
        (400, Depth(400, 400, 0, 0, True), "gcc", "EM_X86_64",
         "return address -8, unexplained +8"),
        (400, Depth(300, 300, 0, 0, True), "gcc", "EM_ARM", "unexplained -100"),
    ],
)  # fmt: skip
def test_a_gap_is_taken_apart_into_its_known_kinds(
    stated: int, depth: Depth, family: str, machine: str, said: str
) -> None:
    gap = frame.explain_gap(stated, depth, family=family, machine=machine)
    assert str(gap) == said
    assert sum(size for _, size in gap.known) + gap.unexplained == gap.bytes
