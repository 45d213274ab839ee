"""A core as a project's settings name it: with its own name, symbol, adapter and headers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from rig.errors import SourceError
from rig.model import Core
from rig.sources import LINUX, CoreCatalog, load, text
from rig.sources.cfile import gather_beside, read_source

_HEADERS = (".h", ".inc")
_FOLDER = "include{}"


class AdapterCatalog(CoreCatalog, Protocol):
    """What a named core needs of :class:`rig.catalog.Catalog`."""

    def adapter_symbol(self, name: str) -> str:
        """The function that an adapter's cores are measured by."""
        ...


def named_core(
    name: str,
    spec: str,
    base: Path,
    known: AdapterCatalog,
    *,
    symbol: str = "",
    adapter: str = "",
    defines: Sequence[str] = (),
    include: Sequence[str] = (),
) -> Core:
    """A core under a name of the project's own.

    base: what paths are relative to. adapter: taken as it is, whatever the file defines.
    Raises SourceError.
    """
    if text.plain_name(name) != name:
        raise SourceError(f"'{name}' cannot name a core", "letters, digits, dots, - and _")
    core = _with_adapter(spec, base, adapter, known) if adapter else _found(spec, base, known)
    files = dict(core.files)
    folders = list(core.include)
    for number, folder in enumerate(include):
        place = _FOLDER.format(number)
        files |= _headers(base / folder, place)
        folders.append(place)
    return replace(
        core,
        name=name,
        files=files,
        include=tuple(folders),
        symbol=symbol or core.symbol,
        defines=(*core.defines, *defines),
        origin=name,
    )


def _found(spec: str, base: Path, known: CoreCatalog) -> Core:
    if spec.startswith(LINUX):
        return load(f"{LINUX}{base / (spec.removeprefix(LINUX) or '.')}", known)
    return load(str(base / spec), known)


def _with_adapter(spec: str, base: Path, adapter: str, known: AdapterCatalog) -> Core:
    path = base / spec
    content = read_source(path)
    text.check_language(text.check_text(content, str(path)), str(path))
    files, unit = gather_beside(path, content)
    return Core(
        name=path.stem,
        unit=unit,
        files=files,
        symbol=known.adapter_symbol(adapter),
        adapter=adapter,
    )


def _headers(folder: Path, place: str) -> dict[str, bytes]:
    """All headers below a folder, as files below ``place``."""
    if not folder.is_dir():
        raise SourceError(f"there is no folder {folder}", "'include' lists folders of headers")
    found = [path for path in sorted(folder.rglob("*")) if path.suffix in _HEADERS]
    if len(found) > text.FILES_LIMIT:
        raise SourceError(
            f"{folder} holds {len(found)} headers, more than {text.FILES_LIMIT}",
            "name the folder that holds only what the core includes",
        )
    return {f"{place}/{p.relative_to(folder).as_posix()}": read_source(p) for p in found}
