"""rig size: sizes within objects that exist already, one or two of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rig.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from rig.verdicts import Measurement

_LIMIT = 64 << 20
_NAMES = ("blake2b_compress_generic", "blake2b_compress")
"""What is measured when no symbol is named: the first that an object has."""


def size(
    objects: Annotated[
        list[str], typer.Argument(metavar="FILE.o [OTHER.o]", help="Objects: before, after.")
    ],
    *,
    symbol: Annotated[
        str | None,
        typer.Option("--symbol", metavar="NAME", help="The function; BLAKE2b's by default."),
    ] = None,
) -> int:
    """Measure a function in objects that a build has left: nothing is compiled or run.

    With two, before / after and each symbol that changed, as bloat-o-meter shows it.

    Example:
      rig size lib/crypto/blake2b.o
      rig size old/blake2b.o new/blake2b.o --symbol blake2b_compress_generic
    """
    from rig.report.layout import INDENT, table, wrap  # noqa: PLC0415

    if len(objects) > 2:
        raise UsageError(f"size takes one or two objects; {len(objects)} given")
    contents = [_read(Path(name).expanduser()) for name in objects]
    name = symbol or _found(contents, objects)
    figures = [_measure(content, name) for content in contents]
    rows = [
        [f"{key} ({figures[0][key].unit})", " / ".join(_shown(each[key]) for each in figures)]
        for key in figures[0]
    ]
    sides = ", before / after" if len(objects) == 2 else ""
    lines = [
        *wrap(f"{name}(){sides}: {' / '.join(objects)}"),
        "",
        *table(["", "figure" if not sides else "before / after"], rows),
    ]
    for each, which in zip(figures, objects, strict=True):
        notes = {item.note: item.name for item in each.values() if item.note}
        texts = [f"{which}: {name}: {note}" for note, name in notes.items()]
        lines += [line for text in texts for line in wrap(text, INDENT, INDENT + "  ")]
    if len(objects) == 2:
        lines += ["", *_bloat(contents, objects)]
    print("\n".join(lines))
    measured = all(each["size"].value is not None for each in figures)
    return ExitCode.GOOD if measured else ExitCode.CORE_FAILED


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise UsageError(f"there is no object {path}", "an .o file that a compiler has left")
    if path.stat().st_size > _LIMIT:
        raise UsageError(f"{path} is larger than {_LIMIT >> 20} MiB", "name one object file")
    return path.read_bytes()


def _found(contents: list[bytes], objects: list[str]) -> str:
    """The symbol that all objects have; the first of them names what there is, if none."""
    from rig.elf import is_part  # noqa: PLC0415
    from rig.measures import bloat  # noqa: PLC0415

    names = [set(bloat.sizes(*one)) for one in zip(contents, objects, strict=True)]
    for name in _NAMES:
        if all(any(is_part(one, name) for one in found) for found in names):
            return name
    known = ", ".join(sorted(names[0])[:20])
    raise UsageError(
        f"{' and '.join(objects)}: no {' or '.join(_NAMES)} there (inlined away?)",
        f"--symbol names another; {objects[0]} has: {known}",
    )


def _measure(content: bytes, symbol: str) -> dict[str, Measurement]:
    from rig.measures import size as sizes  # noqa: PLC0415

    return {item.name: item for item in sizes.of(content, symbol)}


def _bloat(contents: list[bytes], objects: list[str]) -> list[str]:
    from rig.measures.bloat import sizes  # noqa: PLC0415
    from rig.report.bloat import bloat, render  # noqa: PLC0415
    from rig.report.layout import INDENT  # noqa: PLC0415

    old, new = (sizes(*one) for one in zip(contents, objects, strict=True))
    return [INDENT + line for line in render(bloat(old, new))]


def _shown(item: Measurement) -> str:
    return "-" if item.value is None else str(int(item.value))
