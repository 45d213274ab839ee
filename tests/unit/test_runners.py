"""What a death means: with real programs, real emulators and what they really print."""

import shutil
import subprocess
from dataclasses import replace

import pytest
from conversing import I386, READY

from rig.engines.host import HostEngine
from rig.errors import GuestRefused
from rig.model import ByteOrder, Exit, Limits
from rig.program import ElfFacts, identify, require
from rig.runners import status_of
from rig.runners.native import Native, refusal
from rig.runners.qemu_user import QemuUser
from rig.verdicts import Verdict

ARM = replace(
    I386,
    name="arm32",
    triple="arm-linux-gnueabihf",
    machine="EM_ARM",
    family="arm",
    qemu="qemu-arm",
    qemu_cpu="cortex-a7",
)
X86_64 = replace(
    I386,
    name="x86_64",
    triple="x86_64-linux-gnu",
    bits=64,
    machine="EM_X86_64",
    qemu="qemu-x86_64",
)
PROGRAMS = {
    "ok": "int main(void){return 0;}",
    "three": "int main(void){return 3;}",
    "segv": "int main(void){*(volatile int *)0 = 1; return 0;}",
    "abort": "#include <stdlib.h>\nint main(void){abort();}",
    "trap": "int main(void){__builtin_trap();}",
}
RESERVE_FAILED = (
    b"qemu-i386: Unable to reserve 0xfffff000 bytes of virtual address space at 0x1000 (Cannot "
    b"allocate memory) for use as guest address space (check your virtual memory ulimit "
    b"setting, min_mmap_addr or reserve less using -R option)\n"
)
NO_BASE = (
    b"qemu-arm: ./guest: Unable to find a guest_base to satisfy all guest address mapping "
    b"requirements\n  00000000-ffffffff\n"
)


def needs(*tools):
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


TARGETS = [
    pytest.param(I386, marks=needs("i686-linux-gnu-gcc", "qemu-i386"), id="i386"),
    pytest.param(ARM, marks=needs("arm-linux-gnueabihf-gcc", "qemu-arm"), id="arm32"),
]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Compiles one of PROGRAMS for a target, once."""
    folder = tmp_path_factory.mktemp("programs")

    def compile_one(target, name, *flags):
        out = folder / f"{target.name}-{name}{''.join(flags)}"
        if not out.exists():
            source = folder / f"{name}.c"
            source.write_text(PROGRAMS[name])
            command = [
                f"{target.triple}-gcc",
                "-O1",
                *(flags or ["-static"]),
                "-o",
                out,
                source,
            ]
            subprocess.run(command, check=True)
        return out.read_bytes()

    return compile_one


def run(runner, program, argv=None):
    """How a program ends, and what its standard error holds."""
    files = {} if program is None else {"guest": program}
    channel = HostEngine().open(READY, argv or runner.argv("guest"), files, Limits())
    channel.end_input()
    exit = channel.close(20.0)
    return exit, channel.stderr()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("name", "says"),
    [("segv", "SIGSEGV"), ("abort", "SIGABRT"), ("three", "status 3"), ("ok", "status 0")],
)
def test_a_guest_that_ends_early_is_a_crash(compiled, target, name, says):
    runner = QemuUser(target)
    verdict, text = runner.explain(*run(runner, compiled(target, name)))
    assert (verdict, says in text) == (Verdict.GUEST_CRASH, True)


@pytest.mark.parametrize("target", TARGETS)
def test_an_illegal_instruction_names_the_model_and_march(compiled, target):
    runner = QemuUser(target)
    verdict, text = runner.explain(*run(runner, compiled(target, "trap")))
    assert verdict is Verdict.GUEST_CRASH
    assert f"-cpu {target.qemu_cpu}" in text
    assert "-march" in text


@needs("arm-linux-gnueabihf-gcc", "qemu-arm")
def test_an_armv7_program_on_an_older_cpu(compiled):
    runner = QemuUser(replace(ARM, qemu_cpu="arm926"))
    exit, stderr = run(runner, compiled(ARM, "ok"))
    _, text = runner.explain(exit, stderr, started=False)
    assert "SIGILL" in text
    assert "-cpu arm926" in text


@pytest.mark.parametrize("target", TARGETS)
def test_an_unknown_cpu_model_is_not_the_cores_fault(compiled, target):
    runner = QemuUser(replace(target, qemu_cpu="nonesuch"))
    exit, stderr = run(runner, compiled(target, "ok"))
    verdict, text = runner.explain(exit, stderr, started=False)
    assert verdict is Verdict.ENVIRONMENT
    assert "does not know the CPU model 'nonesuch'" in text


@needs("i686-linux-gnu-gcc", "qemu-arm")
def test_a_program_of_another_architecture(compiled):
    exit, stderr = run(QemuUser(ARM), compiled(I386, "ok"))
    verdict, text = QemuUser(ARM).explain(exit, stderr, started=False)
    assert verdict is Verdict.ENVIRONMENT
    assert "not one for qemu-arm" in text


@needs("arm-linux-gnueabihf-gcc", "qemu-arm")
def test_a_dynamic_program(compiled):
    exit, stderr = run(QemuUser(ARM), compiled(ARM, "ok", "-no-pie"))
    verdict, text = QemuUser(ARM).explain(exit, stderr, started=False)
    assert verdict is Verdict.ENVIRONMENT
    assert "dynamic and must be static" in text


@needs("qemu-i386")
@pytest.mark.parametrize("program", [None, b"no ELF file"])
def test_an_emulator_without_a_word(program):
    exit, stderr = run(QemuUser(I386), program)
    verdict, text = QemuUser(I386).explain(exit, stderr, started=False)
    assert verdict is Verdict.ENVIRONMENT
    assert "missing, not executable, or no ELF file" in text


@needs("i686-linux-gnu-gcc", "qemu-i386")
def test_no_room_for_the_address_space(compiled):
    argv = ("sh", "-c", "ulimit -v 2000000; exec qemu-i386 ./guest")
    exit, stderr = run(None, compiled(I386, "ok"), argv)
    verdict, text = QemuUser(I386).explain(exit, stderr, started=False)
    assert verdict is Verdict.ENVIRONMENT
    assert "address space" in text


@pytest.mark.parametrize("message", [RESERVE_FAILED, NO_BASE], ids=["7.2", "10.0"])
def test_both_wordings_of_no_address_space(message):
    verdict, text = QemuUser(I386).explain(Exit(1), message, started=False)
    assert verdict is Verdict.ENVIRONMENT
    assert "ulimit -v" in text


def test_a_missing_emulator():
    runner = QemuUser(replace(I386, qemu="qemu-nonesuch"))
    exit, stderr = run(runner, b"")
    verdict, text = runner.explain(exit, stderr, started=False)
    assert verdict is Verdict.ENVIRONMENT
    assert "not found" in text


def test_a_noexec_mount_is_named():
    stderr = b"sh: 1: exec: ./guest: Permission denied\n"
    for runner in (QemuUser(I386), Native(I386)):
        verdict, text = runner.explain(Exit(126), stderr, started=False)
        assert verdict is Verdict.ENVIRONMENT
        assert "noexec" in text


def test_a_signal_of_the_emulators_own_is_not_the_guests():
    verdict, text = QemuUser(I386).explain(Exit(None, signal=11), b"")
    assert verdict is Verdict.EMULATOR_FAULT
    assert "qemu-i386 itself died by SIGSEGV" in text


def test_start_messages_are_not_believed_of_a_guest_that_had_started():
    forged = b"qemu-i386: unable to find CPU model 'x'\n"
    assert QemuUser(I386).explain(Exit(1), forged).verdict is Verdict.GUEST_CRASH
    assert QemuUser(I386).explain(Exit(1), b"").verdict is Verdict.GUEST_CRASH
    assert QemuUser(I386).explain(Exit(127), b"not found").verdict is Verdict.GUEST_CRASH


def test_an_unsupported_system_call_is_named():
    stderr = b"qemu: Unsupported syscall: 403\n"
    verdict, text = QemuUser(I386).explain(Exit(1), stderr)
    assert verdict is Verdict.GUEST_CRASH
    assert "Unsupported syscall: 403" in text


@pytest.mark.parametrize("runner", [QemuUser(I386), Native(I386)], ids=["qemu-user", "native"])
@pytest.mark.parametrize(
    ("exit", "verdict", "says"),
    [
        (Exit(None, signal=9), Verdict.ENVIRONMENT, "SIGKILL"),
        (Exit(137), Verdict.ENVIRONMENT, "SIGKILL"),
        (Exit(None, signal=9, oom=True), Verdict.LIMIT_EXCEEDED, "memory"),
        (Exit(None, signal=9, killed=True), Verdict.GUEST_CRASH, "closed its output"),
        (Exit(None, lost="container removed"), Verdict.ENVIRONMENT, "container removed"),
        (Exit(None, signal=25), Verdict.LIMIT_EXCEEDED, "file size"),
    ],
)
def test_deaths_that_mean_the_same_everywhere(runner, exit, verdict, says):
    found, text = runner.explain(exit, b"")
    assert (found, says in text) == (verdict, True)


@pytest.mark.parametrize(
    ("exit", "status"),
    [
        (Exit(139), (None, 11)),
        (Exit(None, signal=11), (None, 11)),
        (Exit(255), (255, None)),
        (Exit(None, signal=127), (255, None)),
        (Exit(1), (1, None)),
    ],
)
def test_a_status_is_read_through_an_init(exit, status):
    assert status_of(exit) == status


@needs("x86_64-linux-gnu-gcc")
def test_native_runs_the_program_itself(compiled):
    runner = Native(X86_64)
    exit, stderr = run(runner, compiled(X86_64, "segv"))
    assert runner.explain(exit, stderr) == (Verdict.GUEST_CRASH, "SIGSEGV in the guest")


@pytest.mark.parametrize(
    ("target", "machine", "cpuinfo", "why"),
    [
        (I386, "x86_64", "vendor_id : GenuineIntel", ""),
        (X86_64, "x86_64", "vendor_id : AuthenticAMD", ""),
        (ARM, "x86_64", "vendor_id : GenuineIntel", "does not execute arm32"),
        (X86_64, "x86_64", "vendor_id : VirtualApple", "translator"),
        (X86_64, "x86_64", "CPU implementer : 0x61", "another machine"),
        (ARM, "aarch64", "CPU implementer : 0x41", ""),
        (I386, "riscv64", "", "does not execute"),
    ],
)
def test_native_is_refused_where_a_translator_is_at_work(target, machine, cpuinfo, why):
    found = refusal(target, machine, cpuinfo)
    assert (why in found) if why else (found == "")


# ------------------------------------------------------------------ what a program is


@pytest.mark.parametrize("target", TARGETS)
def test_a_static_program_of_the_target_is_accepted(compiled, target):
    facts = identify(compiled(target, "ok"))
    assert facts.kind == "static"
    assert (facts.machine, facts.bits) == (target.machine, 32)
    require(facts, target)


@needs("arm-linux-gnueabihf-gcc")
def test_another_targets_program_is_refused_with_wanted_and_found(compiled):
    facts = identify(compiled(ARM, "ok"))
    with pytest.raises(GuestRefused, match=r"wanted .*i386 \(EM_386.*found EM_ARM, 32 bit"):
        require(facts, I386)


@needs("x86_64-linux-gnu-gcc")
@pytest.mark.parametrize(
    ("flag", "kind"),
    [("-static-pie", "static PIE"), ("-pie", "PIE"), ("-no-pie", "dynamic"), ("-c", "ET_REL")],
)
def test_only_static_programs_at_a_fixed_address_will_do(compiled, flag, kind):
    facts = identify(compiled(X86_64, "ok", flag))
    assert facts.kind == kind
    with pytest.raises(GuestRefused, match=f"found .*{kind}"):
        require(facts, X86_64)


def test_byte_order_counts():
    facts = ElfFacts(32, ByteOrder.BIG, "EM_386", "ET_EXEC", "", dynamic=False)
    with pytest.raises(GuestRefused, match="found EM_386, 32 bit, big endian"):
        require(facts, I386)


@pytest.mark.parametrize("data", [b"", b"#!/bin/sh\n", b"\x7fELF", b"\x7fELF" + b"\xff" * 60])
def test_what_is_no_program_is_refused(data):
    with pytest.raises(GuestRefused, match="not a readable ELF file"):
        identify(data)
