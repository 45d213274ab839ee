"""A case is one question to a guest, written exactly as its line on the wire (docs/wire.md).

The line has one canonical form: arguments in a fixed order, what equals its default left out.
So the line is the case's name in a report, its key in the oracle and what ``--case`` repeats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from rig.errors import UsageError
from rig.streams import EMPTY, LONGEST, Data, parse_data

BLOCK = 128
Pair64 = tuple[int, int]
"""Two 64-bit words, the low one first: a counter, or the two finalization flags."""

_WORD = re.compile(r"[0-9a-fA-F]{1,16}\Z", re.ASCII)
_BYTE = re.compile(r"[0-9a-fA-F]{2}\Z", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,13}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Hash:
    """``hash``: a whole digest. Fields are the arguments of docs/wire.md.

    n: digest bytes. cut: lengths of all pieces but the last. fill: byte of the context's memory
    before init. stack: byte of the stack before each call, None leaves it. ctr: counter preset.
    rep, map: the message is data so many times over, each time by itself or all in one piece.
    """

    n: int = 64
    key: Data = EMPTY
    data: Data = EMPTY
    cut: tuple[int, ...] = ()
    at: int = 0
    out: int = 0
    guard: str = "-"
    fill: int = 0xA5
    stack: int | None = None
    ctr: Pair64 | None = None
    rep: int = 1
    map: int = 1

    @property
    def length(self) -> int:
        """Bytes of the whole message."""
        return self.data.length * self.rep * self.map

    @property
    def blocks(self) -> int:
        """How many blocks a correct hash compresses; a key is a block of its own."""
        total = self.length + (BLOCK if self.key.length else 0)
        return max(1, -(-total // BLOCK))

    @property
    def line(self) -> str:
        words = ["hash"]
        if self.n != 64:
            words.append(f"n={self.n}")
        if self.key.length:
            words.append(f"key={self.key.text}")
        if self.data.length:
            words.append(f"in={self.data.text}")
        if self.cut:
            words.append("cut=" + ",".join(map(str, self.cut)))
        _add_place(words, self)
        if self.ctr is not None:
            words.append(f"ctr={_pair_text(self.ctr)}")
        if self.rep != 1:
            words.append(f"rep={self.rep}")
        if self.map != 1:
            words.append(f"map={self.map}")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Compress:
    """``compress``: blocks folded into a raw state. t, f: low word first."""

    h: Data
    data: Data
    t: Pair64 = (0, 0)
    f: Pair64 = (0, 0)
    inc: int = BLOCK
    at: int = 0
    guard: str = "-"
    fill: int = 0xA5
    stack: int | None = None

    @property
    def length(self) -> int:
        return self.data.length

    @property
    def blocks(self) -> int:
        return self.data.length // BLOCK

    @property
    def line(self) -> str:
        words = ["compress", f"h={self.h.text}"]
        if self.t != (0, 0):
            words.append(f"t={_pair_text(self.t)}")
        if self.f != (0, 0):
            words.append(f"f={_pair_text(self.f)}")
        words.append(f"in={self.data.text}")
        if self.inc != BLOCK:
            words.append(f"inc={self.inc}")
        _add_place(words, self)
        return " ".join(words)


Question = Hash | Compress


@dataclass(frozen=True)
class Case:
    """One question. line: canonical; :func:`parse` makes any other spelling so."""

    line: str

    @cached_property
    def question(self) -> Question:
        """The line as its parts. Raises UsageError for a line that says nothing sensible."""
        return _read(self.line)

    @property
    def blocks(self) -> int:
        return self.question.blocks

    @property
    def cost(self) -> int:
        """Bytes to be compressed."""
        return self.question.blocks * BLOCK

    @property
    def rank(self) -> tuple[int, int, int, int, int, int, str]:
        """What makes one failing case smaller than another.

        Message length, pieces, key length, further arguments (the full digest is none),
        digest size, the line and its length.
        """
        question = self.question
        pieces, key, size = 1, 0, 64
        if isinstance(question, Hash):
            pieces, key, size = len(question.cut) + 1, question.key.length, question.n
        others = self.line.count("=")
        return question.length, pieces, key, others, size, len(self.line), self.line


def case_of(question: Question) -> Case:
    """The case of a question whose parts are already known; raises UsageError."""
    _judge(question)
    case = Case(question.line)
    case.__dict__["question"] = question  # spares parsing what has just been written
    return case


def hash_case(
    data: Data = EMPTY,
    *,
    n: int = 64,
    key: Data = EMPTY,
    cut: Iterable[int] = (),
    at: int = 0,
    out: int = 0,
    guard: str = "-",
    fill: int = 0xA5,
    stack: int | None = None,
    ctr: Pair64 | None = None,
    rep: int = 1,
    map: int = 1,
) -> Case:
    """A case of ``hash``."""
    return case_of(Hash(n, key, data, tuple(cut), at, out, guard, fill, stack, ctr, rep, map))


def compress_case(
    h: Data,
    data: Data,
    *,
    t: Pair64 = (0, 0),
    f: Pair64 = (0, 0),
    inc: int = BLOCK,
    at: int = 0,
    guard: str = "-",
    fill: int = 0xA5,
    stack: int | None = None,
) -> Case:
    """A case of ``compress``: ``h`` is 64 bytes, ``data`` whole blocks."""
    return case_of(Compress(h, data, t, f, inc, at, guard, fill, stack))


def parse(line: str) -> Case:
    """A case from any spelling of its line. Raises UsageError that says what is wrong."""
    return case_of(_read(line))


# --------------------------------------------------------------------------- reading


def _read(line: str) -> Question:
    verb, *words = line.split() or [""]
    if verb not in ("hash", "compress"):
        raise UsageError(f"'{verb}' is not a case", hint="a case begins with hash or compress")
    readers = _HASH if verb == "hash" else _COMPRESS
    values: dict[str, object] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or name not in readers:
            raise UsageError(
                f"{verb} has no argument '{word[:60]}'", hint=f"it takes {', '.join(readers)}"
            )
        field, reader = readers[name]
        if field in values:
            raise UsageError(f"'{name}' is given twice")
        try:
            values[field] = reader(text)
        except ValueError as wrong:
            raise UsageError(f"{name}={text[:60]}: {wrong}") from wrong
    if verb == "hash":
        question: Question = replace(Hash(), **values)  # type: ignore[arg-type]
    else:
        question = replace(Compress(EMPTY, EMPTY), **values)  # type: ignore[arg-type]
    _judge(question)
    return question


def _judge(question: Question) -> None:
    """Raises UsageError for values out of range or that do not go together."""
    _within("at", question.at, 0, 63)
    if question.guard not in ("-", "after", "before"):
        raise UsageError(f"guard={question.guard}: one of after, before, -")
    _within("fill", question.fill, 0, 255)
    _within("stack", question.stack or 0, 0, 255)
    if isinstance(question, Hash):
        _judge_hash(question)
    else:
        _judge_compress(question)


def _judge_hash(question: Hash) -> None:
    _within("n", question.n, 1, 64)
    _within("key length", question.key.length, 0, 64)
    _within("out", question.out, 0, 63)
    if question.cut and (min(question.cut) < 0 or sum(question.cut) > question.data.length):
        raise UsageError(
            f"the pieces hold {sum(question.cut)} bytes, the message {question.data.length}"
        )
    if question.ctr is not None:
        _judge_pair("ctr", question.ctr)
    _judge_repeated(question)


def _judge_repeated(question: Hash) -> None:
    """Of the ways to write a message of many gigabytes."""
    for name, times in (("rep", question.rep), ("map", question.map)):
        _within(name, times, 1, LONGEST)
    _within("message length", question.length, 0, LONGEST)
    if question.map != 1 and (
        question.rep != 1 or question.cut or question.at or question.guard != "-"
    ):
        raise UsageError("map goes without rep, cut, at and guard")
    if question.ctr is not None and question.length != question.data.length:
        raise UsageError("ctr goes without rep and map")


def _judge_compress(question: Compress) -> None:
    if question.h.length != 64:
        raise UsageError(f"h holds {question.h.length} bytes, a state has 64")
    if not question.data.length or question.data.length % BLOCK:
        raise UsageError(f"in holds {question.data.length} bytes, not whole blocks of {BLOCK}")
    _within("inc", question.inc, 0, BLOCK)
    if BLOCK not in (question.inc, question.data.length):
        raise UsageError(f"inc={question.inc}: several blocks only with inc={BLOCK}")
    _judge_pair("t", question.t)
    _judge_pair("f", question.f)


def _judge_pair(name: str, pair: Pair64) -> None:
    for word in pair:
        _within(name, word, 0, (1 << 64) - 1)


def _within(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UsageError(f"{name}={value}: from {low} to {high}")


def _add_place(words: list[str], question: Question) -> None:
    """Where things lie and what was there before: the arguments that both verbs share."""
    if question.at:
        words.append(f"at={question.at}")
    if isinstance(question, Hash) and question.out:
        words.append(f"out={question.out}")
    if question.guard != "-":
        words.append(f"guard={question.guard}")
    if question.fill != 0xA5:
        words.append(f"fill={question.fill:02x}")
    if question.stack is not None:
        words.append(f"stack={question.stack:02x}")


def _pair_text(pair: Pair64) -> str:
    return f"{pair[0]:x}:{pair[1]:x}"


def _count(text: str) -> int:
    if not _COUNT.match(text):
        raise ValueError("a decimal number was expected")
    return int(text)


def _byte(text: str) -> int:
    if not _BYTE.match(text):
        raise ValueError("two hex digits were expected")
    return int(text, 16)


def _pair(text: str) -> Pair64:
    low, _, high = text.partition(":")
    if not (_WORD.match(low) and _WORD.match(high)):
        raise ValueError("<low>:<high> in hex was expected, 64 bits each")
    return int(low, 16), int(high, 16)


def _cut(text: str) -> tuple[int, ...]:
    return tuple(_count(piece) for piece in text.split(","))


_Reader = tuple[str, Callable[[str], object]]
_SHARED: dict[str, _Reader] = {
    "at": ("at", _count),
    "guard": ("guard", str),
    "fill": ("fill", _byte),
    "stack": ("stack", _byte),
}
_HASH: dict[str, _Reader] = {
    "n": ("n", _count),
    "key": ("key", parse_data),
    "in": ("data", parse_data),
    "cut": ("cut", _cut),
    **_SHARED,
    "out": ("out", _count),
    "ctr": ("ctr", _pair),
    "rep": ("rep", _count),
    "map": ("map", _count),
}
_COMPRESS: dict[str, _Reader] = {
    "h": ("h", parse_data),
    "t": ("t", _pair),
    "f": ("f", _pair),
    "in": ("data", parse_data),
    "inc": ("inc", _count),
    **_SHARED,
}
