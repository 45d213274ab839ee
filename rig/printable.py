"""Bytes from compilers, emulators and guests as text that any terminal or XML can take."""

from __future__ import annotations


def printable(data: bytes, limit: int = 2000) -> str:
    r"""The last ``limit`` bytes as printable ASCII and line ends; all else becomes ``\xNN``."""
    cut = data[-limit:] if limit else b""
    text = cut.decode("ascii", "backslashreplace").replace("\r\n", "\n").strip("\n")
    return "".join(char if _plain(char) else f"\\x{ord(char):02x}" for char in text)


def one_line(data: bytes, limit: int = 120) -> str:
    """The first ``limit`` bytes in one line, for messages; an ellipsis where more was left."""
    text = printable(data[:limit], limit).replace("\n", "\\n")
    return text if len(data) <= limit else f"{text}..."


def _plain(char: str) -> bool:
    return char == "\n" or " " <= char <= "~"
