"""Flags of a kernel's Makefile and of a real build; hints for what the shim lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig.errors import SourceError
from rig.sources import explain_missing
from rig.sources.kbuild import parse_cmd, read_cmd
from rig.sources.makefile import object_flags

NEW = (
    "savedcmd_lib/crypto/blake2b.o := ccache /opt/x/bin/i386-linux-gcc"
    " -Wp,-MMD,lib/crypto/.blake2b.o.d -nostdinc -I./arch/x86/include -I ./include"
    " -include ./include/linux/compiler-version.h -D__KERNEL__ -std=gnu11 -O2 -m32"
    " -mregparm=3 -Wall -Wundef -Werror=return-type -Wframe-larger-than=1024"
    " -Wa,--noexecstack -g -gdwarf-5 -fno-common -fmacro-prefix-map=./="
    " --param=allow-store-data-races=0 -Ilib/crypto"
    " -DKBUILD_MODFILE='\"lib/crypto/libblake2b\"'"
    " -DKBUILD_BASENAME='\"blake2b\"' -D KBUILD_MODNAME='\"x\"' -D__KBUILD_MODNAME=kmod_x"
    " -DNAME='\"a $(pound) b\"' -c -o lib/crypto/blake2b.o lib/crypto/blake2b.c"
    "  ; ./tools/objtool/objtool --orc lib/crypto/blake2b.o\n\n"
    "source_lib/crypto/blake2b.o := lib/crypto/blake2b.c\n\n"
    "deps_lib/crypto/blake2b.o := \\\n  include/linux/types.h \\\n"
)
OLD = (
    "cmd_crypto/blake2b_generic.o := clang-14 --target=arm-linux-gnueabi"
    " -Wp,-MMD,crypto/.blake2b_generic.o.d -nostdinc -isystem /usr/lib/clang/14/include"
    " -I../arch/arm/include -marm -mabi=aapcs-linux -Wframe-larger-than=4096 -Os"
    " -DKBUILD_BASENAME='\"blake2b_generic\"' -c -o crypto/blake2b_generic.o"
    " ../crypto/blake2b_generic.c\n"
)

# --------------------------------------------------------------------------- .cmd files


def test_the_new_form() -> None:
    found = parse_cmd(NEW)
    assert found.compiler == "/opt/x/bin/i386-linux-gcc"
    assert found.family == "gcc"
    assert (found.object, found.source) == ("lib/crypto/blake2b.o", "lib/crypto/blake2b.c")
    assert found.flags == (
        *("-D__KERNEL__", "-std=gnu11", "-O2", "-m32", "-mregparm=3"),
        *("-Wframe-larger-than=1024", "-Wa,--noexecstack", "-fno-common"),
        *("--param=allow-store-data-races=0", '-DNAME="a # b"'),
    )


def test_the_old_form() -> None:
    found = parse_cmd(OLD)
    assert (found.compiler, found.family) == ("clang-14", "clang")
    assert found.source == "../crypto/blake2b_generic.c"
    assert found.flags == (
        *("--target=arm-linux-gnueabi", "-marm", "-mabi=aapcs-linux"),
        *("-Wframe-larger-than=4096", "-Os"),
    )


def test_what_was_dropped_is_kept_apart() -> None:
    dropped = parse_cmd(NEW).dropped
    assert "-I./arch/x86/include" in dropped
    assert "./include/linux/compiler-version.h" in dropped
    assert '-DKBUILD_BASENAME="blake2b"' in dropped
    assert "-gdwarf-5" in dropped


def test_it_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / ".blake2b.o.cmd"
    path.write_text(NEW)
    assert read_cmd(path) == parse_cmd(NEW)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no file"):
        read_cmd(tmp_path / ".x.o.cmd")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no compiler command"),
        ("hello\n", "holds no compiler command"),
        ("savedcmd_lib/crypto/lib.a := ar cDPrST lib.a blake2b.o\n", "it runs ar"),
        ("savedcmd_x.o := gcc -c 'x.c\n", "cannot be read as a command"),
        ("savedcmd_x.o := \n", "it runs nothing"),
    ],
)
def test_no_command_of_a_c_file(text: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        parse_cmd(text)


# --------------------------------------------------------------------------- Makefiles


def flags(text: str) -> tuple[str, ...]:
    return object_flags(text, "blake2b", "Makefile").flags


def test_assignments() -> None:
    assert flags("CFLAGS_blake2b.o := -O3 -g\n") == ("-O3", "-g")
    assert flags("CFLAGS_blake2b.o := -O3\nCFLAGS_blake2b.o += -Os\n") == ("-O3", "-Os")
    assert flags("CFLAGS_blake2b.o := -O3\nCFLAGS_blake2b.o := -Os\n") == ("-Os",)
    assert flags("ccflags-y += -DX=1\n") == ("-DX=1",)


def test_continued_lines_and_comments() -> None:
    assert flags("CFLAGS_blake2b.o := -O3 \\\n\t-fx # why\n") == ("-O3", "-fx")
    assert flags("# CFLAGS_blake2b.o := -O3\n") == ()


def test_flags_of_other_objects() -> None:
    assert flags("CFLAGS_blake2s.o := -O3\nCFLAGS_xblake2b.o := -O3\n") == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ifdef CONFIG_X\nCFLAGS_blake2b.o := -O3\nendif\n", "under ifdef CONFIG_X"),
        ("ifeq ($(A),y)\nelse\nCFLAGS_blake2b.o := -O3\nendif\n", "under else of ifeq"),
        ("CFLAGS_blake2b.o := $(call cc-option,-fx)\n", "depends on the compiler"),
        ("CFLAGS_blake2b.o := -I$(src)\n", "depends on variables of kbuild"),
        ("ccflags-$(CONFIG_X) += -DX\n", "depends on the configuration"),
        ("CFLAGS_REMOVE_blake2b.o := -pg\n", "not followed"),
        ("CFLAGS_blake2b.o := 'x\n", "quotes do not match"),
    ],
)
def test_what_is_not_followed_is_named(text: str, why: str) -> None:
    found = object_flags(text, "blake2b", "lib/crypto/Makefile")
    assert found.flags == ()
    assert len(found.notes) == 1
    assert found.notes[0].startswith("lib/crypto/Makefile:")
    assert why in found.notes[0]


def test_after_a_condition_all_is_as_before() -> None:
    text = "ifdef A\nifdef B\nendif\nendif\nCFLAGS_blake2b.o := -O3\n"
    assert flags(text) == ("-O3",)


# --------------------------------------------------------------------------- the shim

HEADER_GCC = "x.c:1:10: fatal error: linux/nosuch.h: No such file or directory\n"
HEADER_CLANG = "x.c:1:10: fatal error: 'linux/nosuch.h' file not found\n"


@pytest.mark.parametrize("output", [HEADER_GCC, HEADER_CLANG])
def test_a_header_is_named_with_the_place_to_add_it(output: str) -> None:
    said = explain_missing(output)
    assert "<linux/nosuch.h>" in said
    assert "guest/adapters/linux/include/linux/nosuch.h" in said


@pytest.mark.parametrize(
    ("output", "name"),
    [
        ("x.c:4:16: error: implicit declaration of function 'rol64' [-Wimplicit]\n", "rol64"),
        ("x.c:4:16: error: implicit declaration of function \u2018rol64\u2019\n", "rol64"),
        ("x.c:4:9: error: call to undeclared function 'rol64'; ISO C99 and later\n", "rol64"),
        ("x.c:2:1: error: unknown type name 'ktime_t'\n", "type ktime_t"),
        ("x.c:4:16: error: 'PAGE_SIZE' undeclared (first use in this function)\n", "PAGE_SIZE"),
        ("x.c:4:9: error: use of undeclared identifier 'PAGE_SIZE'\n", "PAGE_SIZE"),
        ("ld: core.o: undefined reference to `kmalloc'\n", "kmalloc()"),
        ("ld.lld: error: undefined symbol: kmalloc\n", "kmalloc()"),
        (
            "x.c:2:15: error: expected declaration specifiers or '...' before string constant\n"
            '    2 | MODULE_INFO("x");\n',
            "macro MODULE_INFO()",
        ),
        (
            'x.c:2:15: error: expected parameter declarator\n    2 | MODULE_INFO("x");\n',
            "macro MODULE_INFO()",
        ),
        (
            "x.c:2:22: error: expected '=', ',', ';', 'asm' or '__attribute__' before 'f'\n"
            "    2 | static void __latent f(void)\n",
            "attribute __latent",
        ),
        (
            "x.c:2:13: error: variable has incomplete type 'void'\n"
            "    2 | static void __latent f(void)\n",
            "attribute __latent",
        ),
    ],
)
def test_names_are_named(output: str, name: str) -> None:
    assert name in explain_missing(output)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "x.c:4:16: error: too few arguments to function 'f'\n",
        "x.c:1:10: fatal error: mine.h: No such file or directory\n",
        "x.c:9:3: warning: unused variable 'x'\n",
    ],
)
def test_other_errors_are_not_explained(output: str) -> None:
    assert explain_missing(output) == ""
