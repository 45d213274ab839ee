"""The commands in README and docs: what a reader would copy into a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENTS = (
    ROOT / "README.md",
    *sorted(
        path
        for path in (ROOT / "docs").rglob("*.md")
        if "reference" not in path.parts or path.name == "cli.md"
    ),
)
_PROGRAMS = ("rig", "make", "pytest", "docker", "pip", "b4")
_LINE = re.compile(rf"^(?: {{4}}|  )((?:{'|'.join(_PROGRAMS)}) (?!builds ).*|pytest)$")


def commands(document: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(file:line, words) of each command in an indented block, comments taken off.

    Several in one line, by ``|``, ``;`` or ``&&``, come one by one. A line of prose in a block
    is none: a command begins with a program's name and at most two spaces stand in it before
    its comment.
    """
    name = document.relative_to(ROOT)
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        found = _LINE.match(line)
        if not found:
            continue
        text = re.split(r" {2,}(?=\S)", found[1])[0]
        one: list[str] = []
        lexer = shlex.shlex(text, posix=True, punctuation_chars="|;&")
        lexer.whitespace_split = True
        for word in [*lexer, ";"]:
            if set(word) <= set("|;&"):
                if one:
                    yield f"{name}:{number}", tuple(one)
                one = []
            else:
                one.append(word)
