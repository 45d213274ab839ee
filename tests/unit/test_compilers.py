"""What compilers print, made into one line and a hint."""

from __future__ import annotations

import pytest

from rig.compilers import first_error, hint_for


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            "my.c: In function 'f':\nmy.c:3:9: error: expected ';'\nmy.c:9:1: error: x\n",
            "my.c:3:9: error: expected ';'",
        ),
        ("note: x\na.c:1:10: fatal error: 'x.h' gone\n", "a.c:1:10: fatal error: 'x.h' gone"),
        (
            "ld: core.o: in function `f':\ncore.c:(.text+0x4): undefined reference to `g'\n",
            "core.c:(.text+0x4): undefined reference to `g'",
        ),
        ("something odd\n", "something odd"),
        ("", "the tool failed and printed nothing"),
    ],
)
def test_first_error(output, expected):
    assert first_error(output) == expected


@pytest.mark.parametrize(
    ("output", "word"),
    [
        ("undefined reference to `__udivdi3'", "libgcc"),
        ("undefined reference to `__aeabi_uldivmod'", "libgcc"),
        ("ld.lld: error: undefined symbol: __umoddi3", "libgcc"),
        ("undefined reference to `blake2b_compress'", "external linkage"),
        ("multiple definition of `blake2b_init'", "twice"),
        ("ld: cannot find crt1.o", "C library"),
        ("core.o: file format not recognized", "LTO"),
        ("cc1: out of memory\nrig: this box ran out of memory (limit 2048 MiB)", "memory"),
    ],
)
def test_known_complaints_have_a_hint(output, word):
    assert word in hint_for(output)


def test_other_complaints_have_none():
    assert hint_for("my.c:3:9: error: expected ';'") == ""
