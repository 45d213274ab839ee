"""A patch against a kernel tree: before and after, without touching the tree.

The patch is a diff, or a mail box of one or several. Only what concerns the core's own files
is applied, in a scratch folder, by git; everything else is named and left out.
"""

from __future__ import annotations

import email
import email.policy
import posixpath
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rig.errors import SourceError
from rig.sources import git, text
from rig.sources.kernel import LAYOUTS, OverlayTree, Tree, find_layout, gather

LIMIT = 16 << 20
"""Bytes of a patch."""

_MAIL = re.compile(rb"^From [0-9a-f]{7,64} .*\n", re.M)
_HEADER = re.compile(rb"\A(?:[A-Za-z][A-Za-z0-9-]*: .*\r?\n)")
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a diff that concerns one file. old, new: paths, empty for none.

    head: lines before the hunks. hunks: each with its lines, ends of line included.
    """

    old: str
    new: str
    head: bytes
    hunks: tuple[bytes, ...]

    @property
    def paths(self) -> set[str]:
        return {self.old, self.new} - {""}


@dataclass(frozen=True, slots=True)
class Applied:
    """The tree after a patch. notes: offsets, and what was left out and why."""

    tree: Tree
    notes: tuple[str, ...]


def diffs_of(patch: bytes) -> list[bytes]:
    """The text of each mail of a mail box, decoded; a bare diff is returned as it is."""
    if not (_MAIL.match(patch) or _HEADER.match(patch)):
        return [patch]
    starts = [match.start() for match in _MAIL.finditer(patch)] or [0]
    mails = [patch[a:b] for a, b in zip(starts, [*starts[1:], len(patch)], strict=True)]
    return [_body(_MAIL.sub(b"", mail, count=1)) for mail in mails]


def _body(mail: bytes) -> bytes:
    """All text parts of a mail, with its transfer encoding undone."""
    message = email.message_from_bytes(mail, policy=email.policy.compat32)
    parts = [part for part in message.walk() if part.get_content_maintype() == "text"]
    bodies = (part.get_payload(decode=True) for part in parts)
    return b"\n".join(body for body in bodies if isinstance(body, bytes))


def sections(diff: bytes) -> Iterator[Section]:
    """The files of a unified diff. Raises SourceError when a hunk is cut short."""
    if b"\r\n" in diff and diff.count(b"\r\n") == diff.count(b"\n"):
        diff = diff.replace(b"\r\n", b"\n")  # a mail program did this to every line
    lines = diff.splitlines(keepends=True)
    at, head = 0, list[bytes]()
    while at < len(lines):
        line = lines[at]
        if line.startswith(b"diff --git "):
            if head and head[0].startswith(b"diff --git "):  # a rename or mode change alone
                yield _section(head, ())
            head = [line]
        elif (
            line.startswith(b"--- ") and lines[at + 1 : at + 2] and lines[at + 1][:4] == b"+++ "
        ):
            head += [line, lines[at + 1]]
            at, hunks = _hunks(lines, at + 2)
            yield _section(head, hunks)
            head = []
            continue
        elif head:
            head.append(line)
        at += 1
    if head:
        yield _section(head, ())


def _hunks(lines: list[bytes], at: int) -> tuple[int, tuple[bytes, ...]]:
    """The hunks that begin at a line, by their own counts; where they end."""
    hunks = []
    while at < len(lines) and (found := _HUNK.match(lines[at])):
        old, new = (1 if count is None else int(count) for count in found.groups())
        start = at
        at += 1
        while at < len(lines) and (old > 0 or new > 0 or lines[at][:1] == b"\\"):
            kind = lines[at][:1]
            if kind not in (b" ", b"-", b"+", b"\\", b"\n"):
                break
            old -= kind in (b" ", b"-", b"\n")
            new -= kind in (b" ", b"+", b"\n")
            at += 1
        if old != 0 or new != 0:
            raise SourceError(
                f"the patch is damaged: the hunk in its line {start + 1} is cut short",
                "save the mail itself (b4, lore's raw view) rather than copied text",
            )
        hunks.append(b"".join(lines[start:at]))
    return at, tuple(hunks)


def _section(head: list[bytes], hunks: tuple[bytes, ...]) -> Section:
    old = new = ""
    for line in head:
        said = line.decode("utf-8", "replace").rstrip("\n")
        for mark in ("--- ", "rename from ", "copy from "):
            old = said.removeprefix(mark).split("\t")[0] if said.startswith(mark) else old
        for mark in ("+++ ", "rename to ", "copy to "):
            new = said.removeprefix(mark).split("\t")[0] if said.startswith(mark) else new
    if not old and not new:  # a mode change or a binary file: the first line alone names it
        words = head[0].decode("utf-8", "replace").split()
        old, new = words[-2], words[-1]
    clean = ["" if path == _NOWHERE else path.strip('"') for path in (old, new)]
    return Section(clean[0], clean[1], b"".join(head), hunks)


def _strip(path: str, depth: int) -> str:
    """A path without its first folders; empty when it has no more than those."""
    return "/".join(path.split("/")[depth:])


def _depth(found: list[Section], files: set[str]) -> int:
    """How many folders a patch puts in front of the tree's paths: one, unless it says other.

    One depth for the whole patch: ``arch/arm/crypto/Makefile`` is not ``crypto/Makefile``.
    """
    named = [path for section in found for path in section.paths]
    if all(path.startswith(("a/", "b/")) for path in named):
        return 1
    hits = [sum(_strip(path, depth) in files for path in named) for depth in range(4)]
    return hits.index(max(hits)) if any(hits) else 1


def _ours(files: set[str]) -> set[str]:
    """Files that a patch may concern: the core's, and where another layout would put them."""
    more = {layout.unit for layout in LAYOUTS} | {layout.makefile for layout in LAYOUTS}
    headers = {f"include/{header}" for layout in LAYOUTS for header in layout.needs}
    return files | more | headers


def _rewritten(section: Section, old: str, new: str) -> bytes:
    """The section with the prefixes that git expects."""
    if b"rename from" in section.head or b"copy from" in section.head or not section.hunks:
        return section.head + b"".join(section.hunks)
    lines = []
    if not section.old or not section.new:
        mode = b"deleted" if not section.new else b"new"
        name = (new or old).encode()
        lines = [b"diff --git a/" + name + b" b/" + name + b"\n", mode + b" file mode 100644\n"]
    lines.append(f"--- {'a/' + old if section.old else _NOWHERE}\n".encode())
    lines.append(f"+++ {'b/' + new if section.new else _NOWHERE}\n".encode())
    return b"".join((*lines, *section.hunks))


def apply(patch: bytes, tree: Tree, name: str) -> Applied:
    """The tree after a patch (or a series), as far as its BLAKE2b is concerned.

    name: how messages call the patch. Raises SourceError: no diff, nothing for the core,
    rejected hunks, hunks that fit only with fuzz, applied already.
    """
    text.check_size(len(patch), name, LIMIT)
    layout = find_layout(tree)
    before: dict[str, bytes] = dict(gather(tree, layout))
    for path in {layout.makefile, *_ours(set())} - set(before):
        if (content := tree.read(path)) is not None:
            before[path] = content
    found = [section for diff in diffs_of(patch) for section in sections(diff)]
    if not found:
        raise SourceError(f"{name} holds no diff", "a unified diff or a mail box is expected")
    chosen, left = _split(found, set(before))
    if not chosen:
        raise SourceError(
            f"{name} touches no file of the core",
            f"the core is {layout.unit} and its headers; the patch has {', '.join(left)}",
        )
    with tempfile.TemporaryDirectory(prefix="rig-patch-") as scratch:
        folder = Path(scratch)
        for path, content in before.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        notes = [note for part in chosen for note in _apply_one(folder, part, name, tree.where)]
        after = dict.fromkeys(before) | _read_all(folder)
    notes += [f"left out of {name}: {path}" for path in left]
    return Applied(OverlayTree(tree, after, f"{tree.where} with {name}"), tuple(notes))


def _split(found: list[Section], known: set[str]) -> tuple[list[bytes], list[str]]:
    """Sections that concern the core, ready for git; and the others, by path and hunks."""
    files = _ours(known)
    depth = _depth(found, files)
    folders = {posixpath.dirname(layout.unit) for layout in LAYOUTS} | {"include/crypto"}
    chosen, left = [], []
    for section in found:
        old, new = _strip(section.old, depth), _strip(section.new, depth)
        # a new header in one of these folders may be for the core
        header = not old and new.endswith(".h") and posixpath.dirname(new) in folders
        if old in files or new in files or header:
            chosen.append(_rewritten(section, old, new))
        else:
            count = len(section.hunks)
            left.append(f"{text.printable(new or old)} ({count} hunk{'s'[: count != 1]})")
    return chosen, left


def _apply_one(folder: Path, part: bytes, name: str, where: str) -> list[str]:
    """Applies one file's section; notes of offsets. Raises SourceError when it does not fit."""
    good, said = git.apply(folder, part)
    if good:
        return [f"{name}: {line}" for line in said.splitlines() if "offset" in line]
    if git.apply(folder, part, "--check", "-R")[0]:
        raise SourceError(
            f"{name} is applied in {where} already",
            "name the revision before it: linux:DIR@REV",
            said,
        )
    if git.apply(folder, part, "--check", "-C1", "--ignore-whitespace")[0]:
        raise SourceError(
            f"{name} fits {where} only with fuzz: the lines around a hunk differ",
            "rig does not guess; rebase the patch, or name the revision it was made for",
            said,
        )
    raise SourceError(
        f"{name} does not apply to {where}: {_rejected(said)}",
        "name the revision it was made for: linux:DIR@REV",
        said,
    )


def _rejected(said: str) -> str:
    """The first complaint of git."""
    lines = [line.removeprefix("error: ") for line in said.splitlines() if "error: " in line]
    named = [line for line in lines if not line.startswith("while searching")]
    return named[0] if named else "git refuses it"


def _read_all(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
