"""One conversation with one guest: pexpect over the byte streams of an engine's channel.

A batch of requests is sent together with a ``sync``, whose reply is known byte by byte, and
that reply is what is waited for. A session is never used again after a fault.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any

from pexpect import EOF, TIMEOUT
from pexpect.fdpexpect import fdspawn

from rig.engines import Channel
from rig.model import Exit
from rig.patience import Patience, timeout_scale
from rig.printable import one_line
from rig.wire import (
    QUIT,
    SYNC,
    Hello,
    Reply,
    WireFault,
    encode,
    encode_reply,
    parse,
    parse_hello,
)

READ_SIZE = 64 << 10
REPLY_BYTES = 1024
"""More than any reply takes (a raw state is 194 bytes)."""

SLACK_BYTES = 16 << 10
CORK = "cork"
"""Feature and command: replies leave the guest in bulk."""

_KEPT = 128
"""Batches that are remembered: every core is asked the same, and right ones answer the same."""

_WRITE_SLICE = 0.02  # s: how long a stuck write waits before output is looked at again
_END_SECONDS = 2.0  # s from end of file to the end of the process


class Kind(StrEnum):
    """How a session can fail."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    DESYNC = "desync"
    FLOOD = "flood"


class SessionFault(Exception):
    """The end of a session.

    replies: to the first cases of the batch, all good. The case after them is the one that
    went wrong; when every case has a reply, the guest failed between the last and the sync.
    started: the hello had come. careful: replies had left at once, so the case is the right
    one; otherwise it is that one or a later one. stderr: its tail, after the end.
    """

    def __init__(
        self,
        kind: Kind,
        why: str,
        exit: Exit,
        stderr: bytes,
        replies: Sequence[Reply] = (),
        *,
        started: bool = True,
        careful: bool = True,
    ) -> None:
        super().__init__(why)
        self.kind = kind
        self.why = why
        self.exit = exit
        self.stderr = stderr
        self.replies = tuple(replies)
        self.started = started
        self.careful = careful

    @property
    def index(self) -> int:
        """Of the first case without a good reply."""
        return len(self.replies)


class _Talk(fdspawn):  # type: ignore[misc]  # pexpect has no types
    """pexpect over a channel: bytes, no delays, a deadline from the last byte, no deadlock.

    No search window is set: with expect_exact pexpect then looks at what is new and at as much
    before it as the longest string has, which is the smallest window that misses nothing.
    """

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel.fileno(), timeout=None, maxread=READ_SIZE, use_poll=True)
        self.delaybeforesend = None
        self.delayafterread = None
        self.flooded = False
        self._channel = channel
        self._early = b""
        self._room = 0
        self.quiet = 0.0
        self._ends = 0.0

    def allow(self, size: int, quiet: float, total: float) -> None:
        """From now on: ``size`` bytes, ``quiet`` s of silence, ``total`` s in all."""
        self._room = size
        self.quiet = quiet
        self._ends = time.monotonic() + total

    def read_nonblocking(self, size: int = 1, timeout: float | None = None) -> bytes:  # noqa: ARG002
        """What was taken in while writing, or what comes before the deadline."""
        if self._early:
            early, self._early = self._early, b""
            return early
        if self.flooded:
            raise EOF("more output than the batch may have")
        left = max(0.0, min(self.quiet, self._ends - time.monotonic()))
        try:
            data = self._take(size, left)
        except TimeoutError:
            raise TIMEOUT(f"nothing came for {left:g} s") from None
        if not data:
            self.flag_eof = True
            raise EOF("end of file")
        return data

    def send(self, data: bytes) -> int:
        """Writes all, and takes in what comes meanwhile, so that full buffers cannot block.

        Fewer bytes go when the guest reads no more or the deadline is over; what is expected
        next then tells which.
        """
        sent = 0
        heard = time.monotonic()
        while sent < len(data) and not self.flooded:
            try:
                wrote = self._channel.write(data[sent:], _WRITE_SLICE)
            except ConnectionError:
                break
            sent += wrote
            if sent == len(data):
                break
            now = time.monotonic()
            if self._take_early() or wrote:
                heard = now
            elif now > min(heard + self.quiet, self._ends):
                self._ends = now
                break
        return sent

    def _take_early(self) -> bool:
        try:
            data = self._take(READ_SIZE, 0.0)
        except TimeoutError:
            return False
        self._early += data
        return bool(data)

    def _take(self, size: int, timeout: float) -> bytes:
        try:
            data = self._channel.read(size, timeout)
        except ConnectionError:
            return b""
        self._room -= len(data)
        self.flooded = self._room < 0
        return data

    def close(self) -> None:
        """Nothing: the descriptor is the channel's."""

    def said(self, terminator: bytes) -> tuple[bytes, Any]:
        """All that came up to ``terminator`` and what ended it: that, EOF or TIMEOUT."""
        self.expect_exact([terminator, EOF, TIMEOUT], timeout=None)
        return bytes(self.before), self.after


class Session:
    """A guest that has said hello. ``hello``: what it said."""

    def __init__(
        self, channel: Channel, patience: Patience | None = None, *, careful: bool = True
    ) -> None:
        """Waits for the hello; raises SessionFault, with the channel closed, if none comes.

        careful: each reply leaves the guest at once, so that a fault strikes exactly one case.
        Otherwise they leave in bulk, which takes less time, where the guest can do that.
        """
        self._channel = channel
        self._patience = patience or Patience()
        self._seq = 0
        self.careful = True
        try:
            self._talk = _Talk(channel)
            self.hello = self._read_hello()
        except BaseException:
            channel.close()
            raise
        self._settle(careful)

    def _settle(self, careful: bool) -> None:
        """How replies are to leave the guest, which has just said hello."""
        if not careful and CORK in self.hello.features:
            self.ask([f"{CORK} on"])
            self.careful = False

    def ask(self, cases: Sequence[str]) -> Sequence[Reply]:
        """The replies to a batch, one a case. Raises SessionFault, with the channel closed."""
        first = self._seq + 1
        batch = tuple(cases)
        last = self._seq = first + len(batch)
        room = REPLY_BYTES * (len(batch) + 1) + SLACK_BYTES
        self._talk.allow(room, *self._patience.of(batch))
        self._talk.send(_requests(first, batch))
        data, ended = self._talk.said(encode_reply(last))
        replies, why = _sort_out(data, first, len(batch))
        if why is None and ended not in (EOF, TIMEOUT):
            return replies
        raise self._fault(data, ended, replies, why)

    def next_act(self, status: int, *, careful: bool = True) -> None:
        """Ends this program, and hears the hello of the one that follows it in the same box.

        status: of the exit that the box waits for, and follows with the next program. careful:
        as for the first program.
        Raises SessionFault, with the channel closed, when none does.
        """
        last = self._seq + 1
        self._allow_start()
        self._talk.send(encode(last, f"{QUIT} {status}"))
        data, ended = self._talk.said(encode_reply(last))
        if data or ended in (EOF, TIMEOUT):
            raise self._fault(data, ended, [], None)
        self._seq = 0
        self.careful = True
        self.hello = self._read_hello()
        self._settle(careful)

    def close(self) -> Exit:
        """Ends the guest's input, waits a little for its end, and collects its exit."""
        self._channel.end_input()
        return self._channel.close(_END_SECONDS * timeout_scale())

    def _allow_start(self) -> float:
        """From now on what a program that starts may take; returns its seconds."""
        seconds = self._patience.start * timeout_scale()
        self._talk.allow(SLACK_BYTES, seconds, seconds)
        return seconds

    def _read_hello(self) -> Hello:
        seconds = self._allow_start()
        data, ended = self._talk.said(b"\n")
        why = f"no hello in {seconds:g} s; is its output flushed?" if ended is TIMEOUT else None
        if ended not in (EOF, TIMEOUT):
            try:
                reply = parse(data)
                if reply.seq == 0 and reply.ok:
                    return parse_hello(reply.payload)
                why = f"no hello but {one_line(data)}"
            except WireFault as wrong:
                why = str(wrong)
        raise self._fault(data, ended, [], why, started=False)

    def _fault(
        self,
        data: bytes,
        ended: Any,
        replies: Sequence[Reply],
        why: str | None,
        *,
        started: bool = True,
    ) -> SessionFault:
        """Ends the channel and tells what happened."""
        garbled = ended is TIMEOUT and data.count(b"\n") > len(replies)
        kind = _kind(ended, self._talk.flooded, garbled or _talks_on(data, len(replies)))
        if started and kind is Kind.TIMEOUT:
            why = f"no answer in {self._talk.quiet:.3g} s"
        ends_by_itself = kind is Kind.CRASH or (kind is Kind.DESYNC and not started)
        grace = _END_SECONDS * timeout_scale() if ends_by_itself else 0.0
        ended_as = self._channel.close(grace)
        stderr = self._channel.stderr()
        return SessionFault(
            kind,
            why or f"the guest's answers ended ({kind})",
            ended_as,
            stderr,
            replies,
            started=started,
            careful=self.careful,
        )


def _kind(ended: Any, flooded: bool, talks_on: bool) -> Kind:
    """A garbled line that good ones or silence follow is what failed first; a guest that ends
    after one may have been cut in the middle.
    """
    if flooded:
        return Kind.FLOOD
    if talks_on or ended not in (EOF, TIMEOUT):
        return Kind.DESYNC
    return Kind.CRASH if ended is EOF else Kind.TIMEOUT


@lru_cache(_KEPT)
def _requests(first: int, cases: tuple[str, ...]) -> bytes:
    """The frames of a batch and of its sync."""
    frames = [encode(seq, case) for seq, case in enumerate(cases, first)]
    return b"".join((*frames, encode(first + len(cases), SYNC)))


@lru_cache(_KEPT)
def _sort_out(data: bytes, first: int, count: int) -> tuple[Sequence[Reply], str | None]:
    """The good replies at the beginning, and what is wrong with the line after them.

    None when nothing is: all ``count`` are there and nothing else, or the rest has not come.
    """
    lines = data.split(b"\n")
    rest = lines.pop()
    replies: list[Reply] = []
    for seq, line in enumerate(lines, first):
        try:
            reply = parse(line)
        except WireFault as wrong:
            return replies, str(wrong)
        if reply.seq != seq or len(replies) == count:
            return replies, _out_of_turn(reply, seq, line)
        replies.append(reply)
    if rest:
        return replies, f"stray output: {one_line(rest)}"
    return replies, None if len(replies) == count else "answers are missing"


def _out_of_turn(reply: Reply, due: int, line: bytes) -> str:
    if reply.seq == 0 and not reply.ok:
        return f"the guest could not read its request: {one_line(line)}"
    return f"an answer to request {reply.seq} where that to {due} was due"


def _talks_on(data: bytes, good: int) -> bool:
    """Whether a good frame comes after the first line that was not the reply due."""
    for line in data.split(b"\n")[good + 1 : -1]:
        try:
            parse(line)
        except WireFault:
            continue
        return True
    return False
