"""What can be seen in a C source without compiling it: is it one, what it includes, defines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from rig.errors import SourceError

LIMIT = 4 << 20
"""Bytes of all files of one core. An unrolled core is some 100 KiB."""

FILES_LIMIT = 128
"""Files of one core."""

_CXX = {".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx"}
_MAGIC = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"!<arch>\n", "a library (ar archive) or a Debian package"),
    (b"\x7fELF", "an object or a program"),
)
_ARCHIVES = re.compile(r"\.(tar(\.\w+)?|tgz|txz|tbz2?|zip|7z|gz|xz|bz2|zst|deb|rpm|a|o|so)$")

_NOT_CODE = re.compile(
    r"//(?:[^\n\\]|\\.|\\\n)*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.S
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
_CXX_CODE = re.compile(
    r"^\s*(?:namespace\s+\w*\s*\{|template\s*<|using\s+\w|class\s+\w+\s*[:{]|extern\s*\"C\+\+\")"
    r"|\bstd::\w",
    re.M,
)
_RUST_CODE = re.compile(
    r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:fn\s+\w+\s*[<(]|impl\b.*\{|use\s+\w+::)", re.M
)


def check_size(total: int, what: str, limit: int = LIMIT) -> None:
    """Raises SourceError when files grow beyond what a core can be."""
    if total > limit:
        raise SourceError(
            f"{what} is {total / (1 << 20):.1f} MiB; a core may have {limit >> 20} MiB",
            "a core is one C file and its headers; name that file alone",
        )


def check_name(path: PurePath) -> None:
    """Raises SourceError when a name says that this is no C source."""
    suffix = path.suffix.lower()
    if suffix == ".rs":
        raise SourceError(
            f"{path} is Rust; a core is C",
            "rig builds one C11 translation unit with gcc and clang",
        )
    if suffix in _CXX or path.suffix == ".C":
        raise SourceError(
            f"{path} is C++; a core is C", "write it as C11; guest/blake2b.h is the contract"
        )
    if _ARCHIVES.search(path.name.lower()):
        raise SourceError(
            f"{path} is an archive or an object, not a C source",
            "unpack it and name the C file, or linux:DIR for a kernel tree",
        )


def check_text(content: bytes, where: str) -> str:
    """The text of a C source; raises SourceError when the bytes are something else."""
    for magic, what in _MAGIC:
        if content.startswith(magic):
            raise SourceError(
                f"{where} is {what}, not a C source",
                "unpack it and name the C file, or linux:DIR for a kernel tree",
            )
    if content[257:262] == b"ustar":
        raise SourceError(f"{where} is a tar archive, not a C source", "unpack it first")
    if b"\0" in content:
        raise SourceError(
            f"{where} holds NUL bytes: it is binary, or UTF-16",
            "save it as UTF-8 text (iconv -f utf-16 -t utf-8)",
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"{where} is not UTF-8: byte 0x{content[error.start]:02x} in line {line}",
            "convert it, for instance with iconv -f latin1 -t utf-8",
        ) from error


def check_language(text: str, where: str) -> None:
    """Raises SourceError when a .c file holds another language."""
    code = code_of(text)
    if "#include" not in code and _RUST_CODE.search(code):
        raise SourceError(f"{where} looks like Rust; a core is C", "rig builds C11 alone")
    if _CXX_CODE.search(code) and "__cplusplus" not in code:
        raise SourceError(f"{where} looks like C++; a core is C", "write it as C11")


def code_of(text: str) -> str:
    """The text with comments blanked and strings emptied; line numbers stay.

    An include keeps its name, which is no string.
    """

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        if found[0] in "\"'":
            start = text.rfind("\n", 0, match.start()) + 1
            directive = text[start : match.start()].lstrip().startswith("#")
            return found if directive else found[0] * 2
        return " " + "\n" * found.count("\n")

    return _NOT_CODE.sub(blank, text)


def includes(text: str) -> Iterator[tuple[str, bool]]:
    """Names of included files, and whether each is local (quoted). Conditions are ignored."""
    for match in _INCLUDE.finditer(code_of(text)):
        yield (match[1], True) if match[1] else (match[2], False)


def defines_function(text: str, name: str) -> bool:
    """Whether a file defines a function: its name, parameters, and an opening brace."""
    definition = rf"\b{re.escape(name)}\s*\([^;{{}}()]*(?:\([^()]*\)[^;{{}}()]*)*\)\s*\{{"
    return re.search(definition, code_of(text)) is not None


def plain_name(text: str) -> str:
    """A name for tables, cells and files: ASCII, without blanks or slashes."""
    return re.sub(r"[^A-Za-z0-9._@+-]+", "_", text).strip("_") or "core"


def printable(text: str) -> str:
    """Text of unknown origin for a terminal: what cannot be printed is replaced."""
    return "".join(c if c.isprintable() else "?" for c in text)
