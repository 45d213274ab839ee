"""Cores from a kernel tree: our own miniature of one, in real git repositories."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from kernel_tree import MINI, UNIT, committed, edit, git

from rig import catalog, sources
from rig.errors import SourceError, ToolchainMissing
from rig.model import Core

CATALOG = catalog.load()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The newer layout in a git repository: tags v1 and v2 differ in a comment."""
    return committed(tmp_path / "linux tree")


def load(spec: str, side: int | None = None) -> Core:
    return sources.load(spec, CATALOG, side=side)


def refusal(spec: str) -> str:
    with pytest.raises(SourceError) as caught:
        load(spec)
    assert caught.value.hint
    return str(caught.value)


def test_a_tree_as_it_stands(tree: Path) -> None:
    edit(tree, "the message schedule", "edited")
    core = load(f"linux:{tree}")
    assert core.adapter == "linux"
    assert core.symbol == "blake2b_compress_generic"
    assert sorted(core.files) == ["include/crypto/blake2b.h", UNIT]
    assert b"edited" in core.files[UNIT]


def test_a_tree_needs_no_git(tmp_path: Path) -> None:
    shutil.copytree(MINI / "new", tmp_path / "plain")
    assert load(f"linux:{tmp_path / 'plain'}").unit == UNIT


def test_the_older_layout(tmp_path: Path) -> None:
    core = load(f"linux:{MINI / 'old'}")
    assert core.adapter == "linux-generic"
    assert sorted(core.files) == [
        "crypto/blake2b_generic.c",
        "include/crypto/blake2b.h",
        "include/crypto/internal/blake2b.h",
    ]
    assert core.cflags == ("-Wframe-larger-than=4096",)


def test_a_revision_leaves_the_checkout_alone(tree: Path) -> None:
    edit(tree, "the message schedule", "edited")
    before = {p: p.stat().st_mtime_ns for p in tree.rglob("*") if p.is_file()}
    core = load(f"linux:{tree}@v1")
    assert b"section 2.7" in core.files[UNIT]
    assert core.name == "v1"
    assert {p: p.stat().st_mtime_ns for p in tree.rglob("*") if p.is_file()} == before


def test_headers_come_from_the_same_revision(tree: Path) -> None:
    edit(tree, "chaining value", "state", "include/crypto/blake2b.h")
    assert b"chaining value" in load(f"linux:{tree}@v2").files["include/crypto/blake2b.h"]
    assert b"chaining value" not in load(f"linux:{tree}").files["include/crypto/blake2b.h"]


def test_a_folder_with_an_at_sign(tree: Path) -> None:
    other = tree.with_name("linux@home")
    tree.rename(other)
    assert load(f"linux:{other}").name == "linux"
    assert b"section 2.7" in load(f"linux:{other}@v1").files[UNIT]


def test_a_revision_with_a_slash_makes_a_plain_name(tree: Path) -> None:
    git(tree, "branch", "topic/rolled", "v1")
    assert load(f"linux:{tree}@topic/rolled").name == "topic_rolled"


def test_a_tree_within_a_repository(tree: Path) -> None:
    (tree / "sub").mkdir()
    for part in ("lib", "include"):
        git(tree, "mv", part, f"sub/{part}")
    git(tree, "commit", "-qm", "Three")
    assert load(f"linux:{tree / 'sub'}@HEAD").unit == UNIT


def test_the_makefile_is_read(tree: Path) -> None:
    core = load(f"linux:{tree}")
    assert core.cflags == ("-Wframe-larger-than=4096",)
    shown = "\n".join(core.notes)
    assert "lib/crypto/Makefile:4: CFLAGS_blake2b.o := -Wframe-larger-than=4096" in shown
    assert "left out: under ifeq ($(CONFIG_CRYPTO_LIB_BLAKE2B_ARCH),y)" in shown
    assert "-O3" not in shown


def test_the_other_side_of_64bit_is_labelled(tree: Path) -> None:
    plain, core = load(f"linux:{tree}"), load(f"linux:{tree}", side=32)
    assert core.defines == ("RIG_SIDE=32",)
    assert core.name == "linux+32bit"
    assert core.digest != plain.digest
    assert any("what-if" in note for note in core.notes)


def test_a_side_that_does_not_exist(tree: Path) -> None:
    with pytest.raises(SourceError, match="no side '16'"):
        load(f"linux:{tree}", side=16)


def test_a_kernel_file_takes_headers_of_the_tree_around_it(tree: Path) -> None:
    core = load(str(tree / UNIT))
    own = (tree / "include/crypto/blake2b.h").read_bytes()
    assert core.files["include/crypto/blake2b.h"] == own
    assert core.name == "blake2b"


def test_a_kernel_file_takes_headers_of_the_tree_named(tree: Path, tmp_path: Path) -> None:
    shutil.copy(tree / UNIT, tmp_path / "old.c")
    edit(tree, "chaining value", "state", "include/crypto/blake2b.h")
    core = sources.load(str(tmp_path / "old.c"), CATALOG, tree=f"{tree}@v1")
    assert b"chaining value" in core.files["include/crypto/blake2b.h"]


def test_two_trees_are_told_apart_by_folder() -> None:
    cores = sources.load_all([f"linux:{MINI / side}" for side in ("old", "new")], CATALOG)
    assert [core.name for core in cores] == ["old-linux", "new-linux"]


# --------------------------------------------------------------------------- HEAD and files


def test_head_against_the_working_tree(tree: Path) -> None:
    edit(tree, "the message schedule", "edited")
    before, after = sources.compare_tree(str(tree))
    assert (before.name, after.name) == ("HEAD", "working-tree")
    assert b"the message schedule" in before.files[UNIT]
    assert b"edited" in after.files[UNIT]


def test_an_unchanged_tree_has_nothing_to_compare(tree: Path) -> None:
    with pytest.raises(SourceError, match="nothing to compare"):
        sources.compare_tree(str(tree))


def test_compare_outside_a_tree(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is no kernel tree"):
        sources.compare_tree(str(tmp_path))


def test_compare_in_a_tree_without_git(tmp_path: Path) -> None:
    shutil.copytree(MINI / "new", tmp_path / "plain")
    with pytest.raises(SourceError, match="is not a git tree"):
        sources.compare_tree(str(tmp_path / "plain"))


# --------------------------------------------------------------------------- bad input


def test_no_such_folder(tmp_path: Path) -> None:
    assert "there is no folder" in refusal(f"linux:{tmp_path / 'nowhere'}")


def test_not_a_git_tree(tmp_path: Path) -> None:
    shutil.copytree(MINI / "new", tmp_path / "plain")
    assert "is not a git tree" in refusal(f"linux:{tmp_path / 'plain'}@v1")


def test_an_unknown_revision_lists_near_ones(tree: Path) -> None:
    said = refusal(f"linux:{tree}@v3")
    assert "has no revision 'v3'" in said
    assert "near names: v" in said


def test_a_revision_is_no_option(tree: Path) -> None:
    assert "has no revision '--help'" in refusal(f"linux:{tree}@--help")


def test_the_file_is_not_there(tree: Path) -> None:
    git(tree, "rm", "-q", UNIT)
    git(tree, "commit", "-qm", "Gone")
    for spec in (f"linux:{tree}", f"linux:{tree}@HEAD"):
        assert f"has neither {UNIT} nor crypto/blake2b_generic.c" in refusal(spec)


def test_a_header_is_not_there(tree: Path) -> None:
    (tree / "include/crypto/blake2b.h").unlink()
    assert "has no include/crypto/blake2b.h" in refusal(f"linux:{tree}")


def test_a_file_older_than_the_function(tree: Path) -> None:
    edit(tree, "blake2b_compress_generic(", "blake2b_compress(")
    assert "does not define blake2b_compress_generic()" in refusal(f"linux:{tree}")


def test_a_path_out_of_the_tree_is_not_followed(tree: Path) -> None:
    (tree.parent / "secret.h").write_text("int secret;\n")
    edit(tree, "#include <linux/bug.h>", '#include "../../../secret.h"')
    assert all("secret" not in path for path in load(f"linux:{tree}").files)


def test_git_is_not_installed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tree))
    with pytest.raises(ToolchainMissing, match="git is not installed"):
        load(f"linux:{tree}@v1")
