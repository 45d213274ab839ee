"""What a kernel's Makefile says of one object: CFLAGS_blake2b.o and its like.

No make runs: assignments are read line by line. What stands under a condition, or depends on
what only kbuild knows, is named and left out rather than guessed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

_ASSIGN = re.compile(r"^\s*([\w.$(){}-]+)\s*(\+=|:::?=|:=|\?=|=)\s*(.*)$")
_OPEN = re.compile(r"^\s*(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)$")
_ELSE = re.compile(r"^\s*else\b\s*(.*)$")
_CLOSE = re.compile(r"^\s*endif\b")


@dataclass(frozen=True, slots=True)
class ObjectFlags:
    """flags: what kbuild adds for the object. notes: lines that say so, or were left out."""

    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Logical lines with the number of their first: continued ones joined, comments cut."""
    number, start, held = 0, 0, ""
    for raw in text.splitlines():
        number += 1
        start = start if held else number
        if raw.endswith("\\"):
            held += raw[:-1] + " "
            continue
        yield start, re.sub(r"(^|\s)#.*$", "", held + raw).rstrip()
        held = ""
    if held:
        yield start, held


def object_flags(text: str, stem: str, where: str) -> ObjectFlags:
    """What a Makefile adds for ``<stem>.o``.

    where: its path, for the notes. ``CFLAGS_<stem>.o`` counts, and ``ccflags-y`` of the folder;
    what ``CFLAGS_REMOVE_<stem>.o`` takes away is named.
    """
    flags: list[str] = []
    notes: list[str] = []
    conditions: list[str] = []
    for number, line in _lines(text):
        if opened := _OPEN.match(line):
            conditions.append(f"{opened[1]} {opened[2]}".strip())
        elif _CLOSE.match(line):
            del conditions[-1:]
        elif turned := _ELSE.match(line):
            if conditions:
                conditions[-1] = f"else of {conditions[-1]} {turned[1]}".strip()
        elif assigned := _ASSIGN.match(line):
            found = _one(assigned[1], assigned[3], stem)
            if found is None:
                continue
            at = f"{where}:{number}: {line.strip()}"
            if conditions:
                notes.append(f"{at} (left out: under {' and '.join(conditions)})")
            elif reason := _unknown(assigned[1], found):
                notes.append(f"{at} (left out: {reason})")
            else:
                flags = flags if assigned[2] == "+=" else []
                flags += shlex.split(found)
                notes.append(at)
    return ObjectFlags(tuple(flags), tuple(notes))


def _one(name: str, value: str, stem: str) -> str | None:
    """The value, where the assignment concerns the object."""
    wanted = (f"CFLAGS_{stem}.o", f"CFLAGS_REMOVE_{stem}.o", "ccflags-y", "ccflags-remove-y")
    plain = re.sub(r"-\$[({]\w+[)}]$", "", name)
    return value if name in wanted or plain in (*wanted, "ccflags") else None


def _unknown(name: str, value: str) -> str:
    """Why an assignment cannot be followed; empty when it can."""
    if "REMOVE" in name or "remove" in name:
        return "flags taken away are not followed"
    if "$" in name:
        return "depends on the configuration"
    if "cc-option" in value:
        return "depends on the compiler"
    if "$" in value:
        return "depends on variables of kbuild"
    try:
        shlex.split(value)
    except ValueError:
        return "quotes do not match"
    return ""
