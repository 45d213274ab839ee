"""One C file, with the headers that lie beside it, as a core."""

from __future__ import annotations

import difflib
import os
import posixpath
from dataclasses import replace
from pathlib import Path

from rig.errors import SourceError
from rig.model import Core
from rig.sources import text
from rig.sources.kernel import LAYOUTS, OverlayTree, Tree, core_of, is_tree, open_tree

CONTRACT = "guest/blake2b.h is the contract; `rig list cores` names examples"

_FALLBACK = Path("adapters/linux/fallback")
_UP_LIMIT = 4  # folders above the unit's own that an include may reach


def load_file(
    path: Path, guest: Path, tree: str | None = None, side: int | None = None
) -> Core:
    """A C file as a core; what it defines chooses the adapter.

    guest: rig's guest folder. tree: ``DIR`` or ``DIR@REV``, where a kernel's file gets its
    headers. Raises SourceError for whatever is not one C file with a BLAKE2b in it.
    """
    content = read_source(path)
    code = text.check_text(content, str(path))
    text.check_language(code, str(path))
    if is_kernel(code):
        return _kernel_file(path, content, code, guest, tree, side)
    if tree is not None or side is not None:
        raise SourceError(
            f"{path} is no kernel code: it includes no <linux/...> header",
            "--tree and the side of CONFIG_64BIT are for kernel code",
        )
    adapter = _adapter_of(code, path)
    files, unit = gather_beside(path, content)
    return Core(
        name=text.plain_name(path.stem),
        unit=unit,
        files=files,
        adapter=adapter,
        origin=str(path),
    )


def read_source(path: Path) -> bytes:
    """The bytes of what can be a source. Raises SourceError: absent, a folder, too large."""
    if path.is_dir():
        hint = f"linux:{path} names a kernel tree" if is_tree(path) else "name one C file in it"
        raise SourceError(f"{path} is a folder, not a C file", hint)
    if not path.exists():
        raise SourceError(f"there is no file {path}", _near_files(path))
    text.check_name(path)
    if not path.is_file():
        raise SourceError(f"{path} is no regular file", "a core is a C file on disk")
    text.check_size(path.stat().st_size, str(path))
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error


def _near_files(path: Path) -> str:
    folder = path.parent
    names = [p.name for p in folder.glob("*.c")] if folder.is_dir() else []
    close = difflib.get_close_matches(path.name, names, n=3, cutoff=0.5)
    return f"near names: {', '.join(close)}" if close else "a core is a C file"


def is_kernel(code: str) -> bool:
    """Whether a source is kernel code: it includes headers of linux/ and the crypto API."""
    names = {name for name, local in text.includes(code) if not local}
    return any(name.startswith(("linux/", "crypto/")) for name in names)


def _adapter_of(code: str, path: Path) -> str:
    if not text.defines_function(code, "blake2b_compress"):
        raise SourceError(f"{path} does not define blake2b_compress()", CONTRACT)
    rest = [f"blake2b_{part}" for part in ("init", "update", "final")]
    defined = [name for name in rest if text.defines_function(code, name)]
    if defined and defined != rest:
        lacks = ", ".join(name for name in rest if name not in defined)
        raise SourceError(
            f"{path} defines {', '.join(defined)} and not {lacks}",
            "a core defines blake2b_compress alone, or all of guest/blake2b.h",
        )
    return "full" if defined else "compress"


def gather_beside(path: Path, content: bytes) -> tuple[dict[str, bytes], str]:
    """The unit and local headers, recursively, by paths relative to what holds them all.

    Returns files and the unit's path among them. A header that is not there is left to the
    compiler: it may be one of rig's own, or under a condition.
    """
    unit = Path(os.path.abspath(path))
    found = {unit: content}
    waiting = [(unit, content)]
    while waiting:
        user, data = waiting.pop()
        for name, local in text.includes(text.check_text(data, str(user))):
            header = Path(os.path.normpath(user.parent / name))
            if local and header not in found and header.is_file():
                found[header] = data = read_source(header)
                waiting.append((header, data))
                _check_bounds(path, unit, header, found)
    top = Path(os.path.commonpath([file.parent for file in found]))
    # only the unit's own name is free of includes, so only it can be made plain
    plain = unit.with_name(text.plain_name(unit.stem) + ".c")
    names = {file: (plain if file == unit else file).relative_to(top) for file in found}
    return {names[f].as_posix(): data for f, data in found.items()}, names[unit].as_posix()


def _check_bounds(path: Path, unit: Path, header: Path, found: dict[Path, bytes]) -> None:
    if len(found) > text.FILES_LIMIT:
        raise SourceError(
            f"{path} includes more than {text.FILES_LIMIT} files",
            "a core is one C file and its headers",
        )
    text.check_size(sum(map(len, found.values())), f"{path} with its headers")
    ups = os.path.relpath(header, unit.parent).split(os.sep).count("..")
    if ups > _UP_LIMIT:
        raise SourceError(
            f"{path} includes {header}, {ups} folders up", "copy the header beside the core"
        )


# --------------------------------------------------------------------------- kernel code


class _Fallback:
    """rig's own words for the kernel's headers, where no tree is at hand."""

    def __init__(self, guest: Path) -> None:
        self.where = "rig's own headers"
        self.folder = guest / _FALLBACK

    def read(self, path: str) -> bytes | None:
        file = self.folder / path
        return file.read_bytes() if file.is_file() else None


def _kernel_file(
    path: Path, content: bytes, code: str, guest: Path, tree: str | None, side: int | None
) -> Core:
    """A kernel's blake2b.c, named by itself: its headers come from a tree, or are rig's own."""
    generic = text.defines_function(code, "blake2b_compress_generic")
    if not generic:
        raise SourceError(
            f"{path} is kernel code and does not define blake2b_compress_generic()",
            "rig knows lib/crypto/blake2b.c and crypto/blake2b_generic.c, 5.12 and later",
        )
    layout = LAYOUTS[1 if "crypto/internal/blake2b.h" in code else 0]
    below, note = _tree_for(path, layout.unit, guest, tree)
    over = OverlayTree(below, _over(layout.unit, content, path), str(path))
    core = core_of(over, path.stem, str(path), side)
    return replace(core, notes=(*core.notes, note))


def _over(unit: str, content: bytes, path: Path) -> dict[str, bytes | None]:
    """The file in its place; the units of other layouts are hidden."""
    files: dict[str, bytes | None] = {layout.unit: None for layout in LAYOUTS}
    files[unit] = content
    for name, local in text.includes(content.decode("utf-8", "replace")):
        beside = path.parent / name
        if local and beside.is_file() and posixpath.basename(name) == name:
            files[posixpath.join(posixpath.dirname(unit), name)] = read_source(beside)
    return files


def _tree_for(path: Path, unit: str, guest: Path, tree: str | None) -> tuple[Tree, str]:
    """Where headers come from: the tree named, the tree around the file, or rig's own."""
    if tree is not None:
        return open_tree(tree), f"{path}: headers from {tree}"
    whole = Path(os.path.abspath(path))
    if whole.as_posix().endswith(f"/{unit}"):
        top = whole.parents[unit.count("/")]
        if (top / "include" / "crypto" / "blake2b.h").is_file():
            return open_tree(str(top)), f"{path}: headers from {top}"
    if unit != LAYOUTS[0].unit:
        raise SourceError(
            f"{path} is the kernel's {unit}, which needs headers of its tree",
            "name the tree: --tree DIR or --tree DIR@REV, or linux:DIR",
        )
    return _Fallback(guest), f"{path}: no tree given, so <crypto/blake2b.h> is rig's own"
