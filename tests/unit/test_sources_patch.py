"""A patch against a kernel tree: what is applied, what is left out, what is refused."""

from __future__ import annotations

import base64
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from kernel_tree import UNIT, edit, git
from test_sources_kernel import tree

from rig import sources
from rig.errors import SourceError
from rig.sources.patch import diffs_of, sections

__all__ = ["tree"]

Patch = Callable[[bytes], str]


@pytest.fixture
def patch(tmp_path: Path) -> Patch:
    def write(content: bytes) -> str:
        (tmp_path / "the.patch").write_bytes(content)
        return str(tmp_path / "the.patch")

    return write


@pytest.fixture
def diff(tree: Path) -> bytes:
    """A diff against v2 that changes the unit, its Makefile, and a file of others."""
    (tree / "README").write_text("one\n")
    git(tree, "add", "README")
    git(tree, "commit", "-qm", "Three")
    edit(tree, "the message schedule", "sigma")
    edit(tree, "CFLAGS_blake2b.o := -Wframe-larger-than=4096 #", "#", "lib/crypto/Makefile")
    (tree / "README").write_text("two\n")
    made = git(tree, "diff").encode() + b"\n"
    git(tree, "checkout", "-q", ".")
    return made


def refusal(patch: str, tree: Path) -> str:
    with pytest.raises(SourceError) as caught:
        sources.patch_pair(patch, str(tree))
    assert caught.value.hint
    return str(caught.value)


def test_before_and_after(tree: Path, diff: bytes, patch: Patch) -> None:
    before, after = sources.patch_pair(patch(diff), f"linux:{tree}")
    assert (before.name, after.name) == ("before", "after")
    assert b"the message schedule" in before.files[UNIT]
    assert b"sigma" in after.files[UNIT]
    assert before.cflags == ("-Wframe-larger-than=4096",)
    assert after.cflags == ()


def test_the_tree_is_not_touched(tree: Path, diff: bytes, patch: Patch) -> None:
    sources.patch_pair(patch(diff), str(tree))
    assert git(tree, "status", "--porcelain") == ""


def test_what_is_left_out_is_named(tree: Path, diff: bytes, patch: Patch) -> None:
    _, after = sources.patch_pair(patch(diff), str(tree))
    assert "left out of the.patch: README (1 hunk)" in after.notes


def test_against_a_revision(tree: Path, diff: bytes, patch: Patch) -> None:
    edit(tree, "the message schedule", "something else")
    _, after = sources.patch_pair(patch(diff), f"{tree}@HEAD")
    assert b"sigma" in after.files[UNIT]


def test_standard_input(tree: Path, diff: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(diff)))
    _, after = sources.patch_pair("-", str(tree))
    assert b"sigma" in after.files[UNIT]


def test_a_mail_as_git_makes_it(tree: Path, diff: bytes, patch: Patch) -> None:
    start = git(tree, "rev-parse", "HEAD")
    edit(tree, "the message schedule", "sigma")
    git(tree, "commit", "-qam", "Rename the schedule")
    edit(tree, "sigma", "sigma, ten rounds")
    git(tree, "commit", "-qam", "Say more")
    mails = git(tree, "format-patch", "--stdout", start).encode() + b"\n"
    _, after = sources.patch_pair(patch(mails), f"{tree}@{start}")
    assert b"sigma, ten rounds" in after.files[UNIT]


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
def test_a_mail_with_a_transfer_encoding(
    tree: Path, diff: bytes, patch: Patch, encoding: str
) -> None:
    import quopri

    body = base64.encodebytes(diff) if encoding == "base64" else quopri.encodestring(diff)
    head = (
        b"From: Mini <mini@example.org>\nSubject: [PATCH] x\nMIME-Version: 1.0\n"
        b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: "
    )
    mail = head + encoding.encode() + b"\n\n" + body
    _, after = sources.patch_pair(patch(mail), str(tree))
    assert b"sigma" in after.files[UNIT]


def test_lines_ended_by_a_mail_program(tree: Path, diff: bytes, patch: Patch) -> None:
    _, after = sources.patch_pair(patch(diff.replace(b"\n", b"\r\n")), str(tree))
    assert b"sigma" in after.files[UNIT]
    assert b"\r" not in after.files[UNIT]


@pytest.mark.parametrize("prefix", [("", ""), ("old/linux-7.1/", "new/linux-7.2/")])
def test_other_prefixes(tree: Path, diff: bytes, patch: Patch, prefix: tuple[str, str]) -> None:
    lines = [
        line for line in diff.splitlines(keepends=True) if line[:5] not in (b"diff ", b"index")
    ]
    other = b"".join(lines)
    other = other.replace(b"--- a/", b"--- " + prefix[0].encode())
    other = other.replace(b"+++ b/", b"+++ " + prefix[1].encode())
    _, after = sources.patch_pair(patch(other), str(tree))
    assert b"sigma" in after.files[UNIT]


def test_a_new_header_of_the_core(tree: Path, patch: Patch) -> None:
    edit(tree, "#include <linux/bug.h>", '#include <linux/bug.h>\n#include "round.h"')
    (tree / "lib/crypto/round.h").write_text("#define ROUNDS 12\n")
    git(tree, "add", "-N", ".")
    made = git(tree, "diff").encode() + b"\n"
    _, after = sources.patch_pair(patch(made), f"{tree}@v2")
    assert after.files["lib/crypto/round.h"] == b"#define ROUNDS 12\n"


def test_an_offset_is_told(tree: Path, diff: bytes, patch: Patch) -> None:
    edit(tree, "// SPDX", "// one more line\n// SPDX")
    _, after = sources.patch_pair(patch(diff), str(tree))
    assert any("offset 1 line" in note for note in after.notes)


def test_a_trailing_signature_is_no_part_of_a_hunk(diff: bytes) -> None:
    found = list(sections(diff + b"-- \n2.47.0\n\n"))
    assert found[-1].hunks[-1].endswith(b"\n")
    assert b"2.47" not in found[-1].hunks[-1]


def test_a_bare_diff_is_no_mail(diff: bytes) -> None:
    assert diffs_of(diff) == [diff]


# --------------------------------------------------------------------------- bad input


def test_no_such_patch(tree: Path) -> None:
    assert "there is no patch" in refusal(str(tree / "no.patch"), tree)


def test_no_diff_in_it(tree: Path, patch: Patch) -> None:
    assert "holds no diff" in refusal(patch(b"hello\n"), tree)


def test_nothing_for_the_core(tree: Path, patch: Patch) -> None:
    other = b"--- a/README\n+++ b/README\n@@ -1 +1 @@\n-one\n+two\n"
    said = refusal(patch(other), tree)
    assert "touches no file of the core" in said
    assert "README (1 hunk)" in said


def test_a_file_of_another_folder_is_not_ours(tree: Path, diff: bytes, patch: Patch) -> None:
    path = b"arch/arm/lib/crypto/Makefile"
    other = b"--- a/" + path + b"\n+++ b/" + path + b"\n@@ -1 +1 @@\n-one\n+two\n"
    _, after = sources.patch_pair(patch(diff + other), str(tree))
    assert "left out of the.patch: arch/arm/lib/crypto/Makefile (1 hunk)" in after.notes


def test_rejects(tree: Path, diff: bytes, patch: Patch) -> None:
    edit(tree, "the message schedule", "quite another comment")
    said = refusal(patch(diff), tree)
    assert "does not apply" in said
    assert f"patch failed: {UNIT}:" in said


def test_fuzz(tree: Path, diff: bytes, patch: Patch) -> None:
    edit(tree, "#include <linux/types.h>", "#include <linux/types.h> /* moved */")
    assert "only with fuzz" in refusal(patch(diff), tree)


def test_applied_already(tree: Path, diff: bytes, patch: Patch) -> None:
    edit(tree, "the message schedule", "sigma")
    edit(tree, "CFLAGS_blake2b.o := -Wframe-larger-than=4096 #", "#", "lib/crypto/Makefile")
    assert "already" in refusal(patch(diff), tree)


def test_a_hunk_cut_short(tree: Path, diff: bytes, patch: Patch) -> None:
    at = diff.index(b"sigma")
    assert "is cut short" in refusal(patch(diff[:at]), tree)


def test_a_patch_of_thirty_megabytes(tree: Path, patch: Patch) -> None:
    assert "is 30.0 MiB" in refusal(patch(b" " * (30 << 20)), tree)


def test_a_patch_cannot_write_elsewhere(tree: Path, patch: Patch) -> None:
    evil = b"--- a/../../" + UNIT.encode() + b"\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n"
    with pytest.raises(SourceError):
        sources.patch_pair(patch(evil), str(tree))
    assert not (tree.parent / "x").exists()


def test_git_knows_of_no_repository_around_the_scratch(
    tree: Path, diff: bytes, patch: Patch, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tree / "tmp"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", None)
    _, after = sources.patch_pair(patch(diff), str(tree))
    assert b"sigma" in after.files[UNIT]
    shutil.rmtree(scratch)
