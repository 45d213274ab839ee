"""A kernel tree, as it stands on disk or at a revision, as a core.

Two layouts are known. Since 6.19 the hash is lib/crypto/blake2b.c; before, and back to 5.12, it
is crypto/blake2b_generic.c. Either is compiled unmodified through the shim headers of
guest/adapters/linux; headers of include/crypto come from the same tree and revision.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from rig.errors import SourceError
from rig.model import Core
from rig.sources import git, text
from rig.sources.makefile import object_flags


@dataclass(frozen=True, slots=True)
class Layout:
    """One place of BLAKE2b in a tree.

    needs: headers that must come from the tree. parts: functions that belong to compress.
    """

    unit: str
    adapter: str
    needs: tuple[str, ...]
    parts: tuple[str, ...] = ()

    @property
    def makefile(self) -> str:
        return posixpath.join(posixpath.dirname(self.unit), "Makefile")


LAYOUTS = (
    Layout("lib/crypto/blake2b.c", "linux", ("crypto/blake2b.h",)),
    Layout(
        "crypto/blake2b_generic.c",
        "linux-generic",
        ("crypto/blake2b.h", "crypto/internal/blake2b.h"),
        ("blake2b_compress_one_generic",),  # holds the rounds; gcc does not inline it
    ),
)

SYMBOL = "blake2b_compress_generic"

SHIMMED = ("crypto/internal/hash.h",)
"""Headers of include/crypto that the shim stands in for."""


class Tree(Protocol):
    """Files of a kernel tree. where: how messages call it."""

    @property
    def where(self) -> str: ...

    def read(self, path: str) -> bytes | None:
        """A file, path relative to the tree's top; None where it is not there."""
        ...


@dataclass(frozen=True)
class FolderTree:
    """A tree as it stands on disk."""

    folder: Path
    where: str

    def read(self, path: str) -> bytes | None:
        file = self.folder / path
        if not file.is_file():
            return None
        text.check_size(file.stat().st_size, str(file))
        return file.read_bytes()


@dataclass(frozen=True)
class CommitTree:
    """A tree at a commit; no checkout is touched."""

    folder: Path
    commit: str
    where: str

    def read(self, path: str) -> bytes | None:
        return git.read(self.folder, self.commit, path)


@dataclass(frozen=True)
class OverlayTree:
    """A tree in which some files are others."""

    below: Tree
    files: dict[str, bytes | None]
    where: str

    def read(self, path: str) -> bytes | None:
        return self.files[path] if path in self.files else self.below.read(path)


def is_tree(folder: Path) -> bool:
    """Whether a folder is a kernel tree with BLAKE2b in it."""
    return any((folder / layout.unit).is_file() for layout in LAYOUTS)


def open_tree(spec: str) -> Tree:
    """``DIR`` or ``DIR@REV``. Raises SourceError, see :func:`rig.sources.git.resolve`."""
    folder, revision = split_spec(spec)
    if not folder.is_dir():
        raise SourceError(
            f"there is no folder {folder}", "linux:DIR or linux:DIR@REV names a kernel tree"
        )
    if not revision:
        return FolderTree(folder, str(folder))
    commit = git.resolve(folder, revision)
    return CommitTree(folder, commit, f"{folder}@{revision}")


def split_spec(spec: str) -> tuple[Path, str]:
    """The folder and the revision, empty for the working tree. A folder may hold an ``@``."""
    whole = Path(spec).expanduser()
    if whole.is_dir() or "@" not in spec:
        return whole, ""
    folder, _, revision = spec.partition("@")
    for index in (i for i, c in enumerate(spec) if c == "@"):  # the longest folder that exists
        if Path(spec[:index] or ".").expanduser().is_dir():
            folder, revision = spec[:index], spec[index + 1 :]
    return Path(folder or ".").expanduser(), revision or "HEAD"


def find_layout(tree: Tree) -> Layout:
    """Where BLAKE2b is in this tree. Raises SourceError when it is nowhere."""
    for layout in LAYOUTS:
        if tree.read(layout.unit) is not None:
            return layout
    raise SourceError(
        f"{tree.where} has neither {' nor '.join(layout.unit for layout in LAYOUTS)}",
        "name the top of a kernel tree, and a revision from 5.12 on",
    )


def core_of(tree: Tree, name: str, origin: str, side: int | None = None) -> Core:
    """The tree's BLAKE2b as a core.

    side: 32 or 64 asks for that side of CONFIG_64BIT whatever the target's word size. Raises
    SourceError: no BLAKE2b there, a header missing, not text, too large.
    """
    layout = find_layout(tree)
    files = gather(tree, layout)
    unit = text.check_text(files[layout.unit], f"{tree.where}: {layout.unit}")
    if not text.defines_function(unit, SYMBOL):
        raise SourceError(
            f"{tree.where}: {layout.unit} does not define {SYMBOL}()",
            "rig knows the kernel's file from 5.12 on, where the function has that name",
        )
    makefile = tree.read(layout.makefile)
    own = object_flags(
        (makefile or b"").decode("utf-8", "replace"),
        PurePosixPath(layout.unit).stem,
        layout.makefile,
    )
    core = Core(
        name=text.plain_name(name),
        unit=layout.unit,
        files=files,
        symbol=SYMBOL,
        adapter=layout.adapter,
        include=("include",),
        origin=origin,
        cflags=own.flags,
        notes=own.notes,
        parts=layout.parts,
    )
    return on_side(core, side)


def on_side(core: Core, side: int | None) -> Core:
    """The core on one side of CONFIG_64BIT, labelled as what it is: a what-if."""
    if side is None:
        return core
    if side not in (32, 64):
        raise SourceError(f"CONFIG_64BIT has no side '{side}'", "32 or 64")
    state = "set" if side == 64 else "unset"
    return replace(
        core,
        name=f"{core.name}+{side}bit",
        defines=(*core.defines, f"RIG_SIDE={side}"),
        notes=(*core.notes, f"a what-if: CONFIG_64BIT is {state} on every target"),
    )


def gather(tree: Tree, layout: Layout) -> dict[str, bytes]:
    """The unit and the headers that it includes from the tree itself."""
    files: dict[str, bytes] = {}
    waiting = [layout.unit, *(f"include/{header}" for header in layout.needs)]
    while waiting:
        path = waiting.pop()
        content = tree.read(path)
        if content is None or path in files:
            continue
        files[path] = content
        text.check_size(
            sum(map(len, files.values())), f"{tree.where}: {layout.unit} with headers"
        )
        waiting += _wanted(path, text.check_text(content, f"{tree.where}: {path}"))
    for header in layout.needs:
        if f"include/{header}" not in files:
            raise SourceError(
                f"{tree.where} has no include/{header}, which {layout.unit} needs",
                "the tree is incomplete (a sparse checkout?), or the layout is a new one",
            )
    return files


def _wanted(path: str, content: str) -> Iterator[str]:
    """What a file includes that may come from the tree: beside it, or in include/crypto."""
    for name, local in text.includes(content):
        if local:
            found = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        elif name.startswith("crypto/") and name not in SHIMMED:
            found = posixpath.normpath(f"include/{name}")
        else:
            continue
        if not found.startswith(("../", "/")):
            yield found
