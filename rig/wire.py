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

_UNPRINTABLE = re.compile(rb"[^ -~]")
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
    body = line[:-_CRC_TAIL]
    if line[-_CRC_TAIL:] != b" *%08x" % crc32(body) or not body:
        raise WireFault(_what_is_wrong(line))
    if _UNPRINTABLE.search(body):
        raise WireFault(f"unprintable bytes in a frame: {one_line(line)}")
    head, _, rest = body.decode("ascii").partition(" ")
    status, _, payload = rest.partition(" ")
    number = head[1:]
    if head[:1] != "#" or not number.isdigit() or len(number) > 20:
        raise WireFault(f"a frame without a sequence number: {one_line(line)}")
    if status not in ("ok", "err"):
        raise WireFault(f"a frame that is neither ok nor err: {one_line(line)}")
    return Reply(int(number), status == "ok", payload)


def _what_is_wrong(line: bytes) -> str:
    looks_framed = line[:1] == b"#" and line[-_CRC_TAIL:-8] == b" *"
    return f"{'wrong CRC' if looks_framed else 'stray output'}: {one_line(line)}"


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
