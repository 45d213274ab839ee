"""Cores from names and from C files, and every way in which a file is no core."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from rig import catalog, sources
from rig.errors import SourceError
from rig.model import Core
from rig.sources import text

CATALOG = catalog.load()
COMPRESS = """
#include "blake2b.h"
void blake2b_compress(struct blake2b_state *state, const uint8_t *blocks, size_t nblocks,
\t\t      uint32_t inc)
{
}
"""
KERNEL = """
#include <crypto/blake2b.h>
#include <linux/module.h>
static void __maybe_unused
blake2b_compress_generic(struct blake2b_ctx *ctx, const u8 *data, size_t nblocks, u32 inc)
{
}
"""


def put(path: Path, content: str | bytes = COMPRESS) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def load(spec: str) -> Core:
    return sources.load(spec, CATALOG)


def refusal(spec: str) -> str:
    """What the user reads: the message and its hint."""
    with pytest.raises(SourceError) as caught:
        load(spec)
    assert caught.value.hint, "every refusal says what to do"
    return str(caught.value)


# --------------------------------------------------------------------------- names


def test_a_built_in_core_is_found_by_name() -> None:
    core = load("rolled")
    assert core.name == "rolled"
    assert core.files[core.unit] == (CATALOG.guest / "cores" / "rolled.c").read_bytes()


def test_an_unknown_name_lists_near_ones() -> None:
    said = refusal("roled")
    assert "no core is called 'roled'" in said
    assert "near names: rolled, unrolled" in said


def test_a_name_near_nothing_lists_all() -> None:
    said = refusal("zzz")
    for name in CATALOG.core_names():
        assert name in said


def test_a_name_with_escapes_is_printable() -> None:
    assert "\x1b" not in refusal("\x1b[31mred")


# --------------------------------------------------------------------------- C files


def test_a_file_with_compress_alone_gets_the_guest_around_it(tmp_path: Path) -> None:
    core = load(put(tmp_path / "x.c"))
    assert (core.name, core.unit, core.adapter, core.symbol) == (
        *("x", "x.c", "compress"),
        "blake2b_compress",
    )


def test_a_file_with_all_functions_is_its_own_hash(tmp_path: Path) -> None:
    rest = (
        "void blake2b_init(struct blake2b_state *s, size_t n, const void *k, size_t m)\n{\n}\n"
        "void blake2b_update(struct blake2b_state *s, const void *in, size_t n) {}\n"
        "void blake2b_final(struct blake2b_state *s, void *out) {}\n"
    )
    assert load(put(tmp_path / "x.c", COMPRESS + rest)).adapter == "full"


def test_a_file_with_half_of_the_functions_is_told_what_lacks(tmp_path: Path) -> None:
    some = COMPRESS + "void blake2b_init(void) {}\n"
    assert "defines blake2b_init and not blake2b_update, blake2b_final" in refusal(
        put(tmp_path / "x.c", some)
    )


@pytest.mark.parametrize(
    "source",
    [
        "void blake2b_compress(struct blake2b_state *state);\n",
        "/* void blake2b_compress(int a) { } */\n",
        "// void blake2b_compress(int a) {\n",
        'const char *s = "blake2b_compress(int a) {";\n',
        "int my_blake2b_compress(int a) { return a; }\n",
        "void f(void) { blake2b_compress(0, 0, 0, 0); }\n",
        "",
    ],
    ids=["declared", "comment", "line comment", "string", "longer name", "called", "empty"],
)
def test_a_file_that_defines_no_compress_is_refused(tmp_path: Path, source: str) -> None:
    assert "does not define blake2b_compress()" in refusal(put(tmp_path / "x.c", source))


def test_headers_beside_a_file_come_along_recursively(tmp_path: Path) -> None:
    put(tmp_path / "src" / "x.c", '#include "a.h"\n# include "../common/b.h"\n' + COMPRESS)
    put(tmp_path / "src" / "a.h", '#include "a.h"\n#include "deep/c.h"\n')
    put(tmp_path / "src" / "deep" / "c.h", '#include "../../common/b.h"\n')
    put(tmp_path / "common" / "b.h", '// #include "unused.h"\n')
    put(tmp_path / "common" / "unused.h", "")
    core = load(str(tmp_path / "src" / "x.c"))
    assert sorted(core.files) == ["common/b.h", "src/a.h", "src/deep/c.h", "src/x.c"]
    assert core.unit == "src/x.c"


def test_a_changed_header_changes_the_core(tmp_path: Path) -> None:
    spec = put(tmp_path / "x.c", '#include "a.h"\n' + COMPRESS)
    put(tmp_path / "a.h", "#define A 1\n")
    before = load(spec).digest
    put(tmp_path / "a.h", "#define A 2\n")
    assert load(spec).digest != before


def test_the_digest_ignores_names_and_sees_flags() -> None:
    core = Core("a", "x.c", {"x.c": b""})
    assert core.digest == Core("b", "x.c", {"x.c": b""}, origin="elsewhere").digest
    assert core.digest != Core("a", "x.c", {"x.c": b""}, cflags=("-O3",)).digest


def test_spaces_and_foreign_letters_in_paths(tmp_path: Path) -> None:
    folder = tmp_path / "mein Ördner"
    spec = put(folder / "kern größe 1.c", '#include "kopf ü.h"\n' + COMPRESS)
    put(folder / "kopf ü.h", "")
    core = load(spec)
    assert core.name.isascii()
    assert " " not in core.name
    assert core.unit == f"{core.name}.c"
    assert sorted(core.files) == sorted([core.unit, "kopf ü.h"])


def test_two_files_of_one_name_are_told_apart_by_folder(tmp_path: Path) -> None:
    specs = [put(tmp_path / side / "blake2b.c") for side in ("old", "new")]
    cores = sources.load_all(specs, CATALOG)
    assert [core.name for core in cores] == ["old-blake2b", "new-blake2b"]


def test_a_relative_path_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "x.c", '#include "a.h"\n' + COMPRESS)
    put(tmp_path / "a.h", "")
    monkeypatch.chdir(tmp_path)
    assert sorted(load("x.c").files) == ["a.h", "x.c"]


# --------------------------------------------------------------------------- no cores


def test_a_missing_file_lists_near_ones(tmp_path: Path) -> None:
    put(tmp_path / "rolled_v2.c")
    said = refusal(str(tmp_path / "rolled_v1.c"))
    assert "there is no file" in said
    assert "rolled_v2.c" in said


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in refusal(str(tmp_path))


def test_a_kernel_tree_without_its_prefix_is_recognised(tmp_path: Path) -> None:
    put(tmp_path / "lib" / "crypto" / "blake2b.c", KERNEL)
    assert f"linux:{tmp_path} names a kernel tree" in refusal(str(tmp_path))


@pytest.mark.parametrize("name", ["x.cpp", "x.cc", "x.cxx", "x.C", "x.hpp"])
def test_cxx_by_name(tmp_path: Path, name: str) -> None:
    assert "is C++; a core is C" in refusal(put(tmp_path / name))


def test_cxx_by_content(tmp_path: Path) -> None:
    said = refusal(put(tmp_path / "x.c", "namespace hash {\n}\n" + COMPRESS))
    assert "looks like C++" in said


def test_c_with_a_guard_for_cxx_is_c(tmp_path: Path) -> None:
    guarded = '#ifdef __cplusplus\nextern "C" {\nusing std::size_t;\n#endif\n' + COMPRESS
    assert load(put(tmp_path / "x.c", guarded)).name == "x"


def test_rust_by_name(tmp_path: Path) -> None:
    assert "is Rust; a core is C" in refusal(put(tmp_path / "x.rs", "fn main() {}"))


def test_rust_by_content(tmp_path: Path) -> None:
    said = refusal(put(tmp_path / "x.c", "pub fn compress(state: &mut [u64; 8]) {\n}\n"))
    assert "looks like Rust" in said


def test_an_archive_by_name(tmp_path: Path) -> None:
    archive = tmp_path / "linux-7.2.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo("x.c"))
    assert "is an archive" in refusal(str(archive))


@pytest.mark.parametrize("mode", ["w:gz", "w:xz", "w:bz2", "w"])
def test_an_archive_by_content(tmp_path: Path, mode: str) -> None:
    archive = tmp_path / "x.c"
    with tarfile.open(archive, mode) as tar:  # type: ignore[call-overload]
        tar.addfile(tarfile.TarInfo("y.c"))
    assert "archive, not a C source" in refusal(str(archive))


def test_an_object_is_refused(tmp_path: Path) -> None:
    assert "an object" in refusal(put(tmp_path / "x.o", b"\x7fELF\1\1\1"))
    assert "an object" in refusal(put(tmp_path / "x.c", b"\x7fELF\1\1\1"))


def test_thirty_megabytes_are_refused_by_size(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    with path.open("wb") as file:
        file.truncate(30 << 20)
    said = refusal(str(path))
    assert "is 30.0 MiB; a core may have 4 MiB" in said


def test_headers_count_towards_the_size(tmp_path: Path) -> None:
    names = [f"h{i}.h" for i in range(3)]
    for name in names:
        put(tmp_path / name, b" " * (text.LIMIT // 2))
    lines = "".join(f'#include "{name}"\n' for name in names)
    assert "with its headers is" in refusal(put(tmp_path / "x.c", lines + COMPRESS))


def test_a_flood_of_headers_is_refused(tmp_path: Path) -> None:
    for i in range(text.FILES_LIMIT + 1):
        put(tmp_path / f"h{i}.h", f'#include "h{i + 1}.h"\n')
    said = refusal(put(tmp_path / "x.c", '#include "h0.h"\n' + COMPRESS))
    assert f"more than {text.FILES_LIMIT} files" in said


def test_a_header_far_above_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "secret.h", "")
    deep = tmp_path / "a" / "b" / "c" / "d" / "e" / "x.c"
    include = '#include "../../../../../secret.h"\n'
    assert "5 folders up" in refusal(put(deep, include + COMPRESS))


def test_latin1_is_named_by_line(tmp_path: Path) -> None:
    spec = put(tmp_path / "x.c", b"/* ok */\n/* J\xf6rg */\n" + COMPRESS.encode())
    said = refusal(spec)
    assert "is not UTF-8: byte 0xf6 in line 2" in said
    assert "iconv" in said


def test_utf16_is_named(tmp_path: Path) -> None:
    assert "UTF-16" in refusal(put(tmp_path / "x.c", COMPRESS.encode("utf-16")))


def test_a_fifo_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.c")
    assert "is no regular file" in refusal(str(tmp_path / "x.c"))


# --------------------------------------------------------------------------- kernel files


def test_a_kernel_file_by_itself_gets_headers_of_ours_and_says_so(tmp_path: Path) -> None:
    core = load(put(tmp_path / "old.c", KERNEL))
    assert (core.name, core.adapter, core.symbol) == (
        *("old", "linux"),
        "blake2b_compress_generic",
    )
    assert sorted(core.files) == ["include/crypto/blake2b.h", "lib/crypto/blake2b.c"]
    assert any("no tree given" in note for note in core.notes)


def test_an_older_kernel_file_by_itself_needs_its_tree(tmp_path: Path) -> None:
    older = "#include <crypto/internal/blake2b.h>\n" + KERNEL
    said = refusal(put(tmp_path / "old.c", older))
    assert "needs headers of its tree" in said
    assert "--tree DIR" in said


def test_other_kernel_code_is_refused(tmp_path: Path) -> None:
    said = refusal(put(tmp_path / "x.c", "#include <linux/module.h>\nint x;\n"))
    assert "does not define blake2b_compress_generic()" in said


def test_a_side_is_for_kernel_code_alone(tmp_path: Path) -> None:
    for spec in ("rolled", put(tmp_path / "x.c")):
        with pytest.raises(SourceError, match="no kernel code"):
            sources.load(spec, CATALOG, side=32)
