"""The flags of a real kernel build, from the ``.blake2b.o.cmd`` file that kbuild leaves.

Kept is what can change the code. Dropped are include paths and forced includes (rig has its own
shim), kbuild's names for the object, dependency files, debug information, warnings, and output.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rig.errors import SourceError

_COMMAND = re.compile(r"^(?:saved)?cmd_(\S+)\s*:=\s*(.*)$", re.M)
_SOURCE = re.compile(r"^source_\S+\s*:=\s*(\S+)", re.M)
_COMPILER = re.compile(r"(^|-)(gcc|clang|cc)(-[\d.]+)?$")
_WITH_VALUE = {"-I", "-include", "-isystem", "-iquote", "-idirafter", "-imacros", "-o", "-MF",
               "-MT", "-MQ"}  # fmt: skip
_TAKES_VALUE = {"-target", "--param", "-Xclang", "-mllvm", "-x", "-D", "-U"}
_KEPT_WARNINGS = ("-Wa,", "-Wframe-larger-than")
_DROPPED = (
    "-I", "-isystem", "-iquote", "-idirafter", "-nostdinc", "-include", "-imacros", "-DKBUILD_",
    "-D__KBUILD_", "-Wp,-M", "-MD", "-MMD", "-MP", "-g", "-o", "-fplugin", "-W",
    "-fmacro-prefix-map", "-fdebug-prefix-map", "-ffile-prefix-map", "--sysroot",
    "-fdiagnostics", "-fno-diagnostics", "-pipe",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class KbuildFlags:
    """compiler: as called, without ``ccache`` and its like. flags: those that matter, in order.

    dropped: the others. object, source: paths as kbuild has them.
    """

    compiler: str
    flags: tuple[str, ...]
    dropped: tuple[str, ...]
    object: str
    source: str

    @property
    def family(self) -> str:
        """``gcc`` or ``clang``, by the compiler's name."""
        return "clang" if "clang" in PurePosixPath(self.compiler).name else "gcc"


def read_cmd(path: Path) -> KbuildFlags:
    """A ``.cmd`` file. Raises SourceError when it is absent or not one."""
    if not path.is_file():
        raise SourceError(
            f"there is no file {path}",
            "kbuild leaves .blake2b.o.cmd beside blake2b.o: lib/crypto/.blake2b.o.cmd",
        )
    return parse_cmd(path.read_bytes().decode("utf-8", "replace"), str(path))


def parse_cmd(text: str, where: str = ".cmd file") -> KbuildFlags:
    """The text of a ``.cmd`` file, in the old form (``cmd_``) or the new (``savedcmd_``)."""
    found = _COMMAND.search(text)
    if found is None:
        raise SourceError(
            f"{where} holds no compiler command",
            "the .cmd file of an object that kbuild compiled",
        )
    words = _words(found[2], where)
    start = next((i for i, w in enumerate(words) if _is_compiler(w)), None)
    if start is None or "-c" not in words:
        raise SourceError(
            f"{where} is not of a compiled C file: it runs {words[0] if words else 'nothing'}",
            "the object itself is meant (.blake2b.o.cmd), no library or module",
        )
    kept, dropped, inputs = _sort(words[start + 1 :])
    source = _SOURCE.search(text)
    return KbuildFlags(
        compiler=words[start],
        flags=tuple(kept),
        dropped=tuple(dropped),
        object=found[1],
        source=source[1] if source else (inputs[-1] if inputs else ""),
    )


def _words(command: str, where: str) -> list[str]:
    """The first command of a line; make's own escapes undone. objtool and others may follow."""
    command = command.replace("$(pound)", "#").replace("$$", "$")
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    words = []
    try:
        for word in lexer:
            if set(word) <= set(";&|"):
                break
            words.append(word)
    except ValueError as error:
        raise SourceError(f"{where} cannot be read as a command: {error}") from error
    return words


def _is_compiler(word: str) -> bool:
    return _COMPILER.search(PurePosixPath(word).name) is not None


def _sort(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Flags kept, flags dropped, and input files."""
    kept: list[str] = []
    dropped: list[str] = []
    inputs: list[str] = []
    for flag, value in _pairs(words):
        both = [flag] if value is None else [flag, value]
        if flag == "-c":
            continue
        if not flag.startswith("-"):
            inputs.append(flag)
        elif flag.startswith(_KEPT_WARNINGS) or not _drops(flag, value):
            kept += both
        else:
            dropped += both
    return kept, dropped, inputs


def _pairs(words: list[str]) -> Iterator[tuple[str, str | None]]:
    """Each flag with its value, where the value is a word of its own."""
    rest = iter(words)
    for word in rest:
        takes = word in _WITH_VALUE or word in _TAKES_VALUE
        yield word, next(rest, "") if takes else None


def _drops(flag: str, value: str | None) -> bool:
    if flag == "-D":
        return (value or "").startswith(("KBUILD_", "__KBUILD_"))
    if flag.startswith("-Wp,-D"):
        return False
    return flag.startswith(_DROPPED)
