"""Plain ASCII in at most 72 columns: cleaning, wrapping, tables.

What KERNEL.md's readers paste into a commit message: four spaces of indent, so that no line
starts with ``---`` or ``#``.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 72
INDENT = "    "

_GAPS = (3, 2)
"""Blanks between columns; the smaller one where it saves a second block."""


def clean(text: str) -> str:
    """One line of printable ASCII; anything else is escaped by its code point."""
    return "".join(_clean_character(character) for character in text)


def clean_lines(text: str) -> list[str]:
    """The lines of a text that came from outside, each cleaned; no blank ones at the end."""
    return [clean(line) for line in text.rstrip().split("\n")] if text.strip() else []


def shorten(text: str, width: int) -> str:
    """At most width characters, the middle left out."""
    if len(text) <= width:
        return text
    head = (width - 3) // 2
    return f"{text[:head]}...{text[len(text) - (width - 3 - head) :]}"


def wrap(text: str, first: str = INDENT, rest: str | None = None) -> list[str]:
    """A cleaned paragraph as lines; first, rest: what its lines begin with."""
    cleaned = clean(text)
    lines = textwrap.wrap(
        cleaned,
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_on_hyphens=False,
    )
    # textwrap keeps a blank before a long word that it then breaks
    return [line.rstrip() for line in lines] or [first.rstrip()]


def wrap_lines(text: str, indent: str, limit: int) -> list[str]:
    """Text from outside: each of its first ``limit`` lines wrapped, the rest counted."""
    lines = clean_lines(text)
    shown = [part for line in lines[:limit] for part in wrap(line, indent, indent + "  ")]
    left = len(lines) - limit
    return shown if left <= 0 else [*shown, f"{indent}({left} more lines)"]


def command(argv: Sequence[str], indent: str = INDENT) -> list[str]:
    """A command that a shell takes as it stands, wrapped with backslashes between words.

    A single word that is longer than the line is kept whole: cut, it would not repeat.
    """
    lines: list[str] = []
    line = ""
    for word in _groups(argv):
        longer = f"{line} {word}" if line else indent + word
        if line and len(longer) > WIDTH - 2:
            lines.append(f"{line} \\")
            longer = f"{indent}  {word}"
        line = longer
    return [*lines, line]


def number(count: int, noun: str) -> str:
    """``1 cell``, ``12 cells``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows under heads; the first column has no head and is flush left, the rest flush right.

    Columns that do not fit go into a further block below, with the first column again.
    """
    widths = [max(len(text) for text in column) for column in zip(heads, *rows, strict=True)]
    rules = ["", *("-" * width for width in widths[1:])]
    gap = next((gap for gap in _GAPS if len(_blocks(widths, gap)) == 1), _GAPS[0])
    lines: list[str] = []
    for block in _blocks(widths, gap):
        if lines:
            lines.append("")
        lines += [_row(row, block, widths, gap) for row in (heads, rules, *rows)]
    return lines


def _groups(argv: Sequence[str]) -> Iterable[str]:
    """Words for the shell, an option together with its value."""
    quoted = [_quote(word) for word in argv]
    index = 0
    while index < len(quoted):
        group = quoted[index]
        takes_next = group.startswith("--") and "=" not in group and index + 1 < len(quoted)
        if takes_next and not quoted[index + 1].startswith("-"):
            index += 1
            group = f"{group} {quoted[index]}"
        yield group
        index += 1


def _quote(word: str) -> str:
    """Quoted for a shell; odd bytes in bash's and zsh's own form, ``$'...'``."""
    if clean(word) == word:
        return shlex.quote(word)
    body = "".join(_octal(character) for character in word)
    return f"$'{body}'"


def _octal(character: str) -> str:
    if " " <= character <= "~" and character not in "\\'":
        return character
    undecodable = "\udc80" <= character <= "\udcff"  # a byte of a name that is not UTF-8
    errors = "surrogateescape" if undecodable else "replace"
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", errors))


def _blocks(widths: Sequence[int], gap: int) -> list[list[int]]:
    """Column numbers, greedily packed; each block begins with column 0."""
    blocks = [[0]]
    room = WIDTH - len(INDENT) - widths[0]
    left = room
    for index in range(1, len(widths)):
        need = gap + widths[index]
        if need > left and len(blocks[-1]) > 1:
            blocks.append([0])
            left = room
        blocks[-1].append(index)
        left -= need
    return blocks


def _row(texts: Sequence[str], block: Sequence[int], widths: Sequence[int], gap: int) -> str:
    others = [texts[index].rjust(widths[index]) for index in block[1:]]
    return (INDENT + (" " * gap).join([texts[0].ljust(widths[0]), *others])).rstrip()


def _clean_character(character: str) -> str:
    code = ord(character)
    if 0x20 <= code < 0x7F:
        return character
    if character == "\t":
        return " "
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
