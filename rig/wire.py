"""The frames of docs/wire.md: requests out, replies and the hello in. Bytes and no I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

from rig.errors import UsageError
from rig.model import ByteOrder
from rig.printable import one_line

PROTOCOL = 1
MAX_LINE = 131072
"""Bytes of the longest line, its LF included."""

SYNC = "sync"
QUIT = "quit"

_FRAME = re.compile(rb"#([0-9]{1,20}) (ok|err)(?: ([ -~]*))? \*([0-9a-f]{8})")
_CRC_TAIL = len(" *xxxxxxxx")


class Reply(NamedTuple):
    """A good frame. payload: what follows ``ok`` or ``err``, printable ASCII."""

    seq: int
    ok: bool
    payload: str


class WireFault(Exception):
    """A line that is not a frame of the protocol; says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who a guest says it is; keys as in docs/wire.md.

    bits: pointer width. page: bytes. char: ``signed`` or ``unsigned``. build: 16 hex digits.
    """

    target: str
    bits: int
    order: ByteOrder
    char: str
    core: str
    adapter: str
    build: str
    cc: str
    page: int
    features: frozenset[str]


def encode(seq: int, command: str) -> bytes:
    """The request frame, LF included. Raises UsageError for what does not fit into one line."""
    if not (command.isascii() and command.isprintable()):
        raise UsageError(f"a case is one line of printable ASCII, not {command!r:.80}")
    body = b"#%d %s" % (seq, command.encode("ascii"))
    if len(body) + _CRC_TAIL >= MAX_LINE:
        raise UsageError(
            f"a case of {len(command)} bytes does not fit into one line ({MAX_LINE})",
            "Long data is given by rule: lcg:<seed>:<length>.",
        )
    return b"%s *%08x\n" % (body, crc32(body))


def encode_reply(seq: int, payload: str = "", *, ok: bool = True) -> bytes:
    """The bytes of a reply, LF included: what a ``sync`` is recognised by."""
    text = f"#{seq} {'ok' if ok else 'err'} {payload}".rstrip(" ")
    body = text.encode("ascii")
    return b"%s *%08x\n" % (body, crc32(body))


def parse(line: bytes) -> Reply:
    """A reply from its line without the LF. Raises WireFault."""
    frame = _FRAME.fullmatch(line)
    if frame is None:
        raise WireFault(f"{_kind_of(line)}: {one_line(line)}")
    seq, status, payload, crc = frame.groups(b"")
    if int(crc, 16) != crc32(line[:-_CRC_TAIL]):
        raise WireFault(f"wrong CRC: {one_line(line)}")
    return Reply(int(seq), status == b"ok", payload.decode("ascii"))


def _kind_of(line: bytes) -> str:
    """A frame that is damaged, or no frame at all."""
    framed = line[:1] == b"#" and line[-_CRC_TAIL:-8] == b" *"
    return "damaged frame" if framed else "stray output"


def parse_hello(payload: str) -> Hello:
    """The payload of a hello. Raises WireFault for another protocol or a missing key."""
    fields = dict(item.split("=", 1) for item in payload.split() if "=" in item)
    version = fields.get("rig", "none")
    if version != str(PROTOCOL):
        raise WireFault(f"the guest speaks protocol {version}, not {PROTOCOL}")
    try:
        return Hello(
            target=fields["target"],
            bits=int(fields["bits"]),
            order=ByteOrder(fields["order"]),
            char=fields["char"],
            core=fields["core"],
            adapter=fields["adapter"],
            build=fields["build"],
            cc=fields["cc"],
            page=int(fields["page"]),
            features=frozenset(filter(None, fields["features"].split(","))),
        )
    except KeyError as missing:
        raise WireFault(f"the guest's hello has no {missing.args[0]}") from None
    except ValueError as wrong:
        raise WireFault(f"the guest's hello cannot be read: {wrong}") from None
