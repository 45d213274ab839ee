"""One trace, many readers: every instruction that a guest executes, in order.

It comes from stock qemu-user, one instruction a translation block, ``-d exec,nochain``: a line
an instruction with its address, and with ``cpu`` the registers before it. The log is streamed
out of the box through standard output (the guest's replies go to standard error); nothing is
kept on a disk. Readers are in :mod:`rig.measures`.

A hostile core shares qemu's descriptors and could write lines of its own into the log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rig import wire
from rig.elf import Program
from rig.engines import Channel
from rig.errors import EnvironmentFault, ExitCode, RigError
from rig.model import Exit, Files
from rig.printable import printable

Open = Callable[[Sequence[str], Files], Channel]
"""Starts an argv in a box whose work folder holds these files."""

PROGRAM = "guest"
LOG = "/dev/fd/3"
END = b"rig-trace-end "
MOST_BYTES = 128 << 20
"""A trace longer than this is given up: a block takes about 1 MB."""


class Register(NamedTuple):
    """Where a log of registers has one. mark: the text before it. word: how many stand between
    the mark and it.
    """

    mark: bytes
    word: int = 0

    def value(self, line: bytes) -> int | None:
        """The register, where this line has it."""
        at = line.find(self.mark)
        if at < 0:
            return None
        return int(line[at + len(self.mark) :].split(None, self.word + 1)[self.word], 16)


STACK_POINTER = {
    "EM_386": Register(b"ESP="),
    "EM_X86_64": Register(b"RSP="),
    "EM_ARM": Register(b"R13="),
    "EM_AARCH64": Register(b" SP="),
    "EM_RISCV": Register(b"x2/sp"),
    "EM_MIPS": Register(b" sp "),
    "EM_PPC": Register(b"GPR00", word=1),
    "EM_S390": Register(b"R15="),
}
"""How ``-d cpu`` shows the stack pointer, by ELF machine."""

SCRIPT = 'ulimit -c 0; { "$@" 3>&1 >&2; echo "rig-trace-end $?"; } | '
"""The guest gets standard input, its replies go to standard error, the log to a pipe of the
shell's own. ``-D`` opens its file anew, which works for a pipe of one's own and not for a
socket or for a pipe that another user made: hence the last stage.
"""


class Step(NamedTuple):
    """One executed instruction. pc: its address. sp: stack pointer before it, if logged."""

    pc: int
    sp: int | None = None


class Range(NamedTuple):
    """Addresses whose instructions are logged; end is past the last."""

    start: int
    end: int


class TraceCut(RigError):
    """The trace does not reach its end. exit: how the emulator ended; stderr: its last text."""

    exit_code = ExitCode.ENVIRONMENT

    def __init__(self, what: str, exit: Exit, stderr: bytes) -> None:
        super().__init__(what, detail=printable(stderr))
        self.exit = exit
        self.stderr = stderr


@dataclass(frozen=True, slots=True)
class Emulator:
    """A qemu-user as found. argv: program and options (``qemu-arm -cpu max``). version: from
    its banner.
    """

    argv: tuple[str, ...]
    version: tuple[int, ...]


def qemu_version(banner: str) -> tuple[int, ...]:
    """(10, 0, 13) from ``qemu-arm version 10.0.13 (Debian ...)`` or from the bare number."""
    match = re.search(r"(?:version |^)(\d+(?:\.\d+)+)", banner)
    if match is None:
        raise EnvironmentFault(
            "The emulator does not say its version.",
            "qemu-user 7.2 or newer is needed.",
            banner[:200],
        )
    return tuple(int(part) for part in match[1].split("."))


def step_option(version: tuple[int, ...]) -> str:
    """One instruction per translation block. ``-singlestep`` was renamed in 8.1, gone in 9."""
    return "-one-insn-per-tb" if version >= (8, 1) else "-singlestep"


def log_options(
    version: tuple[int, ...], ranges: Sequence[Range], registers: bool
) -> tuple[str, ...]:
    """Options for one line an instruction."""
    what = "exec,nochain,cpu" if registers else "exec,nochain"
    where = ",".join(f"{start:#x}+{end - start:#x}" for start, end in ranges)
    return (step_option(version), "-d", what, "-dfilter", where, "-D", LOG)


def traced_argv(
    emulator: Emulator, ranges: Sequence[Range], stack_pointer: Register | None = None
) -> tuple[str, ...]:
    """What to run in the box. What nobody reads stays there: of a line its address is sent, and
    of up to nineteen lines of registers an instruction, the one with the stack pointer.
    """
    last = "cut -d/ -f2"  # a line without a slash passes whole
    if stack_pointer:
        wanted = ("Trace ", END.decode(), stack_pointer.mark.decode())
        kept = " ".join(f"-e '{text}'" for text in wanted)
        last = f"LC_ALL=C grep -aF {kept} | {last}"  # fixed strings: ten times as fast
    options = log_options(emulator.version, ranges, bool(stack_pointer))
    return ("sh", "-c", SCRIPT + last, "rig-trace", *emulator.argv, *options, f"./{PROGRAM}")


DRIVER = frozenset(
    {
        *("frame_init", "frame_next", "reply_begin", "reply_end", "data_load"),
        *("put_text", "put_slice", "put_decimal", "put_hex_bytes", "put_hex_words"),
    }
)
"""What the driver runs before and after calls of a core, never within one."""

STARTUP = frozenset({"read_encoded_value_with_base", "classify_object_over_fdes"})
"""Functions of libgcc's start, several of a name. With the driver's they are most of a log."""


def text_ranges(program: Program) -> tuple[Range, ...]:
    """What is logged when nothing is known of the calls yet: all code but the driver's and
    libgcc's start.

    A name that the core has too, as a function of its own, is logged wherever it is.
    """
    found = []
    for code in program.code:
        start = code.start
        for function in program.functions:
            if code.start <= function.start < code.end and _is_drivers(function.name, program):
                found.append(Range(start, function.start))
                start = function.end
        found.append(Range(start, code.end))
    return tuple(one for one in found if one.start < one.end)


def _is_drivers(name: str, program: Program) -> bool:
    return name in STARTUP or (name in DRIVER and len(program.names[name]) == 1)


def parse(lines: Iterable[bytes], stack_pointer: Register | None = None) -> Iterator[Step]:
    """Steps from the lines that leave the box, lazily.

    qemu's line is ``Trace 0: 0x7f.. [<cs base>/<pc>/<flags>/<cflags>] <symbol>`` in every
    version; what leaves the box is the second field, the width of which differs. Consecutive
    equal addresses are one step: a repeated string instruction is logged once or many times,
    depending on the version. Messages of qemu's own are passed over.
    """
    pc, sp = -1, None
    for line in lines:  # a hundred thousand of them: no call here that can be spared
        if stack_pointer and stack_pointer.mark in line:
            sp = stack_pointer.value(line) if sp is None else sp
            continue
        try:
            following = int(line, 16)
        except ValueError as error:
            if not line.startswith(b"Trace "):
                continue
            what = "A line of the trace is not understood."
            raise RigError(what, detail=repr(line[:200])) from error
        if following != pc:
            if pc >= 0:
                yield Step(pc, sp)
            pc, sp = following, None
    if pc >= 0:
        yield Step(pc, sp)


def _received(channel: Channel, patience: float) -> Iterator[bytes]:
    """Lines up to the end marker; TraceCut when it does not come or is not good."""
    rest, total = b"", 0
    while True:
        try:
            chunk = channel.read(1 << 16, patience)
        except TimeoutError as error:
            raise _cut(channel, f"No line of the trace for {patience:g} s.") from error
        if not chunk:
            raise _cut(channel, "The trace was cut short: its end marker is missing.", 1.0)
        total += len(chunk)
        if total > MOST_BYTES:
            raise _cut(channel, f"The trace is longer than {MOST_BYTES >> 20} MB.")
        data = rest + chunk
        *lines, rest = data.split(b"\n")
        if END not in data:
            yield from lines
            continue
        for line in lines:
            if line.startswith(END):
                _good_end(channel, line)
                return
            yield line


def _good_end(channel: Channel, line: bytes) -> None:
    code = int(line[len(END) :])
    if code:
        exit = Exit(None, code - 128) if code > 128 else Exit(code)
        how = f"signal {exit.signal}" if exit.code is None else f"status {code}"
        what = f"The trace was cut short: the emulator ended with {how}."
        channel.close(1.0)
        raise TraceCut(what, exit, channel.stderr())


FULL = b"No space left on device"


def _cut(channel: Channel, what: str, grace: float = 0.0) -> TraceCut:
    end = channel.close(grace)
    said = channel.stderr()
    if FULL in said:  # of the last stage in the box
        what = "The trace was cut short: a disk is full."
    return TraceCut(what, end, said)


def _send(channel: Channel, cases: Sequence[str], patience: float) -> None:
    """All requests at once, then end of input: together they fit into any pipe's buffer."""
    data = b""
    for seq, case in enumerate((*cases, wire.QUIT), 1):
        data += wire.encode(seq, case)
    try:
        while data:
            sent = channel.write(data, patience)
            if not sent:
                raise _cut(channel, "The guest does not read its requests.")
            data = data[sent:]
        channel.end_input()
    except BrokenPipeError as error:
        raise _cut(channel, "The guest ended before it read its requests.", 1.0) from error


def run_trace(
    open_channel: Open,
    emulator: Emulator,
    program: bytes,
    cases: Sequence[str],
    ranges: Sequence[Range],
    *,
    stack_pointer: Register | None = None,
    patience: float = 60.0,
) -> Generator[Step, None, None]:
    """Runs the guest on these cases (docs/wire.md) and yields what it executes in ``ranges``.

    patience: seconds without a byte. Raises TraceCut when the guest or the emulator dies, or a
    case is not answered well; the box is gone when the iterator ends or is closed.
    """
    argv = traced_argv(emulator, ranges, stack_pointer)
    channel = open_channel(argv, {PROGRAM: program})
    try:
        _send(channel, cases, patience)
        yield from parse(_received(channel, patience), stack_pointer)
        _all_answered(channel, cases, channel.close(patience))
    finally:
        channel.close()


def _all_answered(channel: Channel, cases: Sequence[str], end: Exit) -> None:
    """Every case must have had a good reply; the emulator's own messages lie between them."""
    replies = channel.stderr()
    answered = set()
    for line in replies.split(b"\n"):
        try:
            reply = wire.parse(line)
        except wire.WireFault:
            continue
        if reply.ok:
            answered.add(reply.seq)
    for seq, case in enumerate(cases, 1):
        if seq not in answered:
            raise TraceCut(f"Under the trace, the guest did not answer: {case}", end, replies)
