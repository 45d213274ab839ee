"""The stream of steps: what is asked of qemu, what its log says, how a trace ends badly.

The logs are qemu's own (compiled/make.sh); the counts beside them were made by hand from the
disassembly, and by stepping with gdb where this machine runs the program.
"""

from __future__ import annotations

import gzip
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from rig.elf import Code, Program, Symbol, read_program
from rig.errors import EnvironmentFault, RigError
from rig.measures.calls import Call, calls, narrow, record
from rig.model import Exit, Files
from rig.trace import (
    FULL,
    STACK_POINTER,
    Emulator,
    Range,
    Register,
    Step,
    TraceCut,
    log_options,
    parse,
    qemu_version,
    run_trace,
    text_ranges,
    traced_argv,
)
from rig.wire import encode_reply

COMPILED = Path(__file__).parent / "compiled"
TOYS = ("i386", "x86_64", "arm", "thumb")
VERSIONS = ("7.2", "10.0")
PER_BLOCK = {"i386": 30, "x86_64": 23, "arm": 48, "thumb": 47}
OVERHEAD = {"i386": 13, "x86_64": 6, "arm": 8, "thumb": 8}


def log_of(toy: str, version: str) -> list[bytes]:
    """Qemu's own log, as the last stage in the box cuts it."""
    log = gzip.decompress((COMPILED / f"{toy}-{version}.log.gz").read_bytes())
    return subprocess.run(
        ["cut", "-d/", "-f2"], input=log, stdout=subprocess.PIPE, check=True
    ).stdout.splitlines()


def calls_of(toy: str, version: str, *, registers: bool = False) -> list[Call]:
    program = read_program((COMPILED / f"{toy}.elf").read_bytes())
    entry = program.entry("toy")
    assert entry is not None
    mark = STACK_POINTER[program.machine] if registers else None
    return list(calls(parse(log_of(toy, version), mark), program, entry))


# ---------------------------------------------------------------- what is asked of qemu


@pytest.mark.parametrize(
    ("banner", "version"),
    [
        ("qemu-i386 version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)", (7, 2, 22)),
        ("qemu-arm version 10.0.13 (Debian 1:10.0.13+ds-0+deb13u1)", (10, 0, 13)),
        ("10.0.13", (10, 0, 13)),
    ],
)
def test_the_version_is_read_from_the_banner(banner: str, version: tuple[int, ...]) -> None:
    assert qemu_version(banner) == version


def test_a_banner_without_a_version_is_the_environments_fault() -> None:
    with pytest.raises(EnvironmentFault, match="does not say its version"):
        qemu_version("qemu-arm: command not understood")


@pytest.mark.parametrize(
    ("version", "option"),
    [((7, 2, 22), "-singlestep"), ((8, 0), "-singlestep"), ((8, 1), "-one-insn-per-tb"),
     ((10, 0, 13), "-one-insn-per-tb")],
)  # fmt: skip
def test_the_option_for_single_instructions_follows_the_version(
    version: tuple[int, ...], option: str
) -> None:
    options = log_options(version, [Range(0x1000, 0x1010), Range(0x2000, 0x2004)], False)
    assert options[0] == option
    assert options[options.index("-dfilter") + 1] == "0x1000+0x10,0x2000+0x4"
    assert "cpu" not in options[options.index("-d") + 1]


def test_registers_are_asked_for_and_thinned_out_in_the_box() -> None:
    emulator = Emulator(("qemu-arm", "-cpu", "max"), (10, 0))
    argv = traced_argv(emulator, [Range(0, 16)], STACK_POINTER["EM_ARM"])
    assert "exec,nochain,cpu" in argv
    assert "R13=" in argv[2]
    assert argv[-1] == "./guest"


@pytest.mark.parametrize(("mark", "kept"), [(None, 3), (STACK_POINTER["EM_386"], 4)])
def test_what_leaves_the_box_is_addresses_and_the_stack_pointer(
    mark: Register | None, kept: int
) -> None:
    """The script itself, with a program that writes a log as qemu does."""
    log = (
        "Trace 0: 0x7f7 [00000000/080480d0/104040b3/00000201] toy\n"
        "EAX=00000001 EBX=40800808 ECX=080bd0dc EDX=00000073\n"
        "ESI=00000001 EDI=407ff64c EBP=40800858 ESP=407ff61c\n"
        "Trace 0: 0x7f7 [00000000/080480d1/104040b3/00000201] toy\n"
    )
    wanted = [line for line in log.splitlines(True) if mark or line.startswith("Trace")]
    emulator = Emulator(("sh", "-c", 'printf %s "$0" >&3; echo reply', "".join(wanted)), (10,))
    argv = traced_argv(emulator, [Range(0, 16)], mark)
    done = subprocess.run(argv, capture_output=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == kept
    assert lines[-1] == b"rig-trace-end 0"
    assert [step.pc for step in parse(lines, mark)] == [0x80480D0, 0x80480D1]
    assert done.stderr == b"reply\n"


def test_a_full_disk_is_told_by_the_last_stage_in_the_box() -> None:
    emulator = Emulator(("sh", "-c", "echo 'Trace 0: 0x7 [0/10/0/0] f' >&3"), (10,))
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            traced_argv(emulator, [Range(0, 16)]),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert FULL in done.stderr


def test_the_drivers_own_work_is_not_logged_unless_a_core_has_its_name() -> None:
    def program(*cores: Symbol) -> Program:
        found = (function("put_text", 0x20), function("toy", 0x40), *cores)
        names: dict[str, frozenset[int]] = {}
        for one in found:
            names[one.name] = names.get(one.name, frozenset()) | {one.start}
        return Program("EM_386", found, names, (Code(0x10, bytes(0x70)),))

    def function(name: str, start: int) -> Symbol:
        return Symbol(name, start, 0x10, 1, "STT_FUNC", False, False)

    assert text_ranges(program()) == (Range(0x10, 0x20), Range(0x30, 0x80))
    assert text_ranges(program(function("put_text", 0x60))) == (Range(0x10, 0x80),)


# ------------------------------------------------------------------- what the log says


def test_a_line_of_each_version_gives_its_address() -> None:
    lines = [b"000105b8", b"qemu: some words", b"00000000080480d0", b"0000000000401830"]
    assert [step.pc for step in parse(lines)] == [0x105B8, 0x80480D0, 0x401830]


def test_an_instruction_logged_again_and_again_is_one_step() -> None:
    lines = [b"%08x" % pc for pc in (16, 18, 18, 18, 20, 18)]
    assert [step.pc for step in parse(lines)] == [16, 18, 20, 18]


def test_the_stack_pointer_is_the_one_before_the_instruction() -> None:
    lines = [
        b"00000010",
        b"ESI=00000001 EDI=407ff64c EBP=40800858 ESP=407ff61c",
        b"00000011",
        b"ESI=00000001 EDI=407ff64c EBP=40800858 ESP=407ff618",
        b"00000011",
        b"ESI=00000001 EDI=407ff64c EBP=40800858 ESP=407ff000",
    ]
    assert list(parse(lines, Register(b"ESP="))) == [
        Step(0x10, 0x407FF61C),
        Step(0x11, 0x407FF618),
    ]


def test_a_damaged_line_is_not_passed_over() -> None:
    with pytest.raises(RigError, match="not understood"):
        list(parse([b"Trace 0: 0x7f7 [0000"]))


def test_the_fixtures_hold_repeated_lines_in_the_old_version_only() -> None:
    old, new = (sum(b"=" not in line for line in log_of("i386", v)) for v in VERSIONS)
    assert old > new


# ------------------------------------------------------------------------------- calls


@pytest.mark.parametrize(
    ("machine", "line", "value"),
    [
        ("EM_AARCH64", b"X29=00007f0 X30=0000000000400238  SP=00005500", 0x5500),
        ("EM_RISCV", b" x1/ra 00000000000101e4 x2/sp 0000004000800150", 0x4000800150),
        ("EM_MIPS", b"GPR28: gp 004a8e50 sp 2b2ab4c8 s8 00000000 ra 00400634", 0x2B2AB4C8),
        ("EM_PPC", b"GPR00 00000000100003fc 00000000407ffb10 0000000010070a10", 0x407FFB10),
        ("EM_S390", b"R13=0000000001000000 R14=0000 R15=000000400083e0c8", 0x400083E0C8),
    ],
)
def test_each_machine_names_its_stack_pointer_its_own_way(machine, line, value) -> None:
    assert STACK_POINTER[machine].value(line) == value
    assert STACK_POINTER[machine].value(b"Trace 0: 0x7f [0/1/2/3]") is None


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("version", VERSIONS)
def test_each_call_is_counted_to_the_instruction(toy: str, version: str) -> None:
    """One, three and four blocks; the last by a tail call, helper calls in between left out."""
    expected = [OVERHEAD[toy] + blocks * PER_BLOCK[toy] for blocks in (1, 3, 4)]
    assert [len(call.steps) for call in calls_of(toy, version)] == expected


@pytest.mark.parametrize("toy", TOYS)
def test_both_versions_give_the_same_steps(toy: str) -> None:
    old, new = ([[s.pc for s in c.steps] for c in calls_of(toy, v)] for v in VERSIONS)
    assert old == new


@pytest.mark.parametrize("toy", TOYS)
def test_a_narrow_trace_gives_the_same_calls(toy: str) -> None:
    """Only what narrow() keeps is in the log: functions of the calls, and the call sites."""
    program = read_program((COMPILED / f"{toy}.elf").read_bytes())
    entry = program.entry("toy")
    assert entry is not None
    whole = calls_of(toy, "10.0")
    ranges = narrow(whole, program)
    steps = list(parse(log_of(toy, "10.0")))
    kept = [s for s in steps if any(r.start <= s.pc < r.end for r in ranges)]
    assert len(kept) < len(steps)
    assert [c.steps for c in calls(kept, program, entry)] == [c.steps for c in whole]


def test_a_call_without_its_return_is_an_error() -> None:
    program = read_program((COMPILED / "i386.elf").read_bytes())
    entry = program.entry("toy")
    assert entry is not None
    steps = list(parse(log_of("i386", "10.0")))[:40]
    with pytest.raises(RigError, match="without its return"):
        list(calls(steps, program, entry))


# ------------------------------------------------------------------------------ running


class FakeChannel:
    """A box that plays back chunks, which no real one does in a chosen way on demand."""

    def __init__(self, chunks: Sequence[bytes], stderr: bytes, end: Exit) -> None:
        self.chunks = list(chunks)
        self.text = stderr
        self.end = end
        self.sent = b""
        self.closed = 0
        self.argv: Sequence[str] = ()

    def __call__(self, argv: Sequence[str], files: Files) -> FakeChannel:
        assert files["guest"] == b"program"
        self.argv = argv
        return self

    def fileno(self) -> int:
        return -1

    def read(self, size: int, timeout: float) -> bytes:
        if not self.chunks:
            return b""
        if self.chunks[0] == b"silence":
            raise TimeoutError
        return self.chunks.pop(0)

    def write(self, data: bytes, timeout: float) -> int:
        self.sent += data[:10]
        return len(data[:10])

    def end_input(self) -> None:
        self.sent += b"EOF"

    def stderr(self) -> bytes:
        return self.text

    def close(self, grace: float = 0.0) -> Exit:
        self.closed += 1
        return self.end


LINES = b"00000010\n00000012\n"
GOOD = encode_reply(0, "rig=1") + b"qemu: some words\n" + encode_reply(1, "00")


def run(channel: FakeChannel) -> list[Step]:
    emulator = Emulator(("qemu-arm",), (10, 0))
    return list(run_trace(channel, emulator, b"program", ["hash"], [Range(0, 99)]))


def test_steps_arrive_however_the_stream_is_cut() -> None:
    text = LINES + b"rig-trace-end 0\n"
    for size in (1, 7, len(text)):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        channel = FakeChannel(chunks, GOOD, Exit(0))
        assert [step.pc for step in run(channel)] == [0x10, 0x12]
        assert channel.sent.startswith(b"#1 hash *")
        assert channel.sent.endswith(b"EOF")
        assert channel.closed


@pytest.mark.parametrize(
    ("chunks", "stderr", "message"),
    [
        ([LINES], GOOD, "end marker is missing"),
        ([LINES], b"cut: write error: No space left on device\n", "a disk is full"),
        ([LINES, b"silence"], GOOD, "No line of the trace for"),
        ([LINES + b"rig-trace-end 139\n"], GOOD, "ended with signal 11"),
        ([LINES + b"rig-trace-end 1\n"], GOOD, "ended with status 1"),
        ([LINES + b"rig-trace-end 0\n"], encode_reply(0, "rig=1"), "did not answer: hash"),
        ([LINES + b"rig-trace-end 0\n"], encode_reply(1, "usage x", ok=False), "not answer"),
    ],
)
def test_a_trace_that_does_not_end_well_says_how(
    chunks: list[bytes], stderr: bytes, message: str
) -> None:
    channel = FakeChannel(chunks, stderr, Exit(0))
    with pytest.raises(TraceCut, match=message):
        run(channel)
    assert channel.closed


def test_an_abandoned_trace_closes_its_box() -> None:
    channel = FakeChannel([LINES] * 1000, GOOD, Exit(0))
    steps = run_trace(channel, Emulator(("q",), (10, 0)), b"program", ["hash"], [Range(0, 9)])
    next(steps)
    steps.close()
    assert channel.closed
    assert channel.chunks


def test_a_symbol_that_is_not_there_is_named_before_anything_runs() -> None:
    program = read_program((COMPILED / "i386.elf").read_bytes())
    channel = FakeChannel([], b"", Exit(0))
    with pytest.raises(RigError, match="no function gone"):
        record(channel, Emulator(("q",), (10, 0)), b"program", program, "gone", ["hash"])
    assert not channel.argv
