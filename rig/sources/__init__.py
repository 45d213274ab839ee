"""Sources: what a user names as a core -> :class:`rig.model.Core`.

``rolled`` (built in), ``x.c`` (a file), ``linux:DIR`` and ``linux:DIR@REV`` (a kernel tree, as
it stands or at a revision), a patch against a tree, a tree's HEAD against its working files.
After this, all cores are alike.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from rig.errors import SourceError
from rig.model import Core
from rig.sources import patch as patches
from rig.sources import text
from rig.sources.cfile import load_file
from rig.sources.kernel import core_of, is_tree, open_tree, split_spec
from rig.sources.missing import explain_missing

LINUX = "linux:"


class CoreCatalog(Protocol):
    """What sources need of :class:`rig.catalog.Catalog`."""

    @property
    def guest(self) -> Path:
        """The guest folder."""
        ...

    def core_names(self) -> list[str]:
        """Names of the built-in cores."""
        ...

    def core(self, name: str) -> Core:
        """A built-in core."""
        ...


def load(
    spec: str, catalog: CoreCatalog, *, tree: str | None = None, side: int | None = None
) -> Core:
    """What a user named, as a core.

    tree: ``DIR`` or ``DIR@REV`` for the headers of a kernel file that is named by itself.
    side: 32 or 64 asks kernel code for that side of CONFIG_64BIT whatever the target. Raises
    SourceError with what is wrong and what to do.
    """
    if spec.startswith(LINUX):
        where = spec.removeprefix(LINUX) or "."
        return core_of(open_tree(where), _tree_name(where), spec, side)
    if spec in catalog.core_names():
        if tree is not None or side is not None:
            raise SourceError(
                f"{spec} is a core of rig's own, no kernel code",
                "--tree and the side of CONFIG_64BIT are for kernel code",
            )
        return catalog.core(spec)
    path = Path(spec).expanduser()
    if path.exists() or "/" in spec or path.suffix:
        return load_file(path, catalog.guest, tree, side)
    names = catalog.core_names()
    close = difflib.get_close_matches(spec, names, n=3, cutoff=0.5)
    hint = f"near names: {', '.join(close)}" if close else f"built in: {', '.join(names)}"
    raise SourceError(
        f"no core is called '{text.printable(spec)}'",
        f"{hint}; a file ends in .c, a kernel tree is linux:DIR",
    )


def load_all(
    specs: Sequence[str],
    catalog: CoreCatalog,
    *,
    tree: str | None = None,
    side: int | None = None,
) -> list[Core]:
    """Several cores; those that would be called alike get their folder's name in front.

    A core named twice stays so: whoever asks decides whether that is an error.
    """
    cores = [load(spec, catalog, tree=tree, side=side) for spec in specs]
    names = [core.name for core in cores]
    built_in = catalog.core_names()
    return [
        replace(core, name=_longer(core, spec))
        if names.count(core.name) > 1 and spec not in built_in
        else core
        for core, spec in zip(cores, specs, strict=True)
    ]


def _longer(core: Core, spec: str) -> str:
    if spec.startswith(LINUX):
        folder = split_spec(spec.removeprefix(LINUX) or ".")[0].resolve().name
    else:
        folder = Path(spec).expanduser().resolve().parent.name
    return text.plain_name(f"{folder}-{core.name}")


def _tree_name(where: str) -> str:
    """``linux`` for a tree as it stands, ``v7.2`` at a revision."""
    return split_spec(where)[1] or "linux"


def compare_tree(folder: str = ".", *, side: int | None = None) -> tuple[Core, Core]:
    """A kernel tree's HEAD, and its files as they stand.

    Raises SourceError: no kernel tree, not a git tree, nothing changed in the core's files.
    """
    if not is_tree(Path(folder)):
        raise SourceError(
            f"{folder} is no kernel tree with BLAKE2b in it",
            "name two cores, or run this in a kernel tree",
        )
    before = core_of(open_tree(f"{folder}@HEAD"), "HEAD", f"{LINUX}{folder}@HEAD", side)
    after = core_of(open_tree(folder), "working-tree", f"{LINUX}{folder}", side)
    if before.digest == after.digest:
        raise SourceError(
            f"the working tree of {folder} has HEAD's {after.unit}: nothing to compare",
            f"name two revisions: {LINUX}{folder}@HEAD~1 {LINUX}{folder}",
        )
    return before, after


def patch_pair(patch: str, where: str = ".", *, side: int | None = None) -> tuple[Core, Core]:
    """A tree before and after a patch.

    patch: a file, ``-`` for standard input. where: ``DIR`` or ``DIR@REV``, ``linux:`` in front
    or not. What the patch has for other files is left out; the second core's notes name it.
    """
    where = where.removeprefix(LINUX) or "."
    tree = open_tree(where)
    content, name = _read_patch(patch)
    origin = f"{LINUX}{where}"
    before = core_of(tree, "before", origin, side)
    applied = patches.apply(content, tree, name)
    after = core_of(applied.tree, "after", f"{origin} with {name}", side)
    return before, replace(after, notes=(*after.notes, *applied.notes))


def _read_patch(patch: str) -> tuple[bytes, str]:
    if patch == "-":
        return sys.stdin.buffer.read(patches.LIMIT + 1), "the patch on standard input"
    path = Path(patch).expanduser()
    if not path.is_file():
        raise SourceError(
            f"there is no patch {path}", "a diff or a mail box; - reads it from stdin"
        )
    text.check_size(path.stat().st_size, str(path), patches.LIMIT)
    return path.read_bytes(), path.name


__all__ = [
    "CoreCatalog",
    "compare_tree",
    "explain_missing",
    "is_tree",
    "load",
    "load_all",
    "patch_pair",
]
