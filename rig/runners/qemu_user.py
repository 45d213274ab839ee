"""QEMU's user-mode emulator, always called by name, with a fixed CPU model."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, field

from rig.model import Exit, Target
from rig.runners import (
    Ability,
    Explanation,
    explain_common,
    explain_shell,
    explain_status,
    last_line,
    signal_name,
    status_of,
)
from rig.verdicts import Verdict

# QEMU 10 says so only for targets of which it can write a core file; riscv64 is none. The
# guest's own last words then tell (guest/trap.h).
_GUEST_SIGNAL = re.compile(
    rb"^(?:qemu: uncaught target signal |rig-trap signal=)(\d+)", re.MULTILINE
)
_OWN_END = re.compile(rb"^(qemu\b|QEMU internal|\*\* ?$|ERROR:|Bail out!)", re.MULTILINE)
_UNSUPPORTED = re.compile(rb"^.*[Uu]nsupported syscall.*$", re.MULTILINE)

# What QEMU 7.2 and 10.0 print when they cannot start a program, and what to do about it.
_START_FAULTS = (
    (rb"unable to find CPU model", "QEMU does not know the CPU model '{cpu}'"),
    (
        rb"Unable to (reserve|find a guest_base)|Cannot allocate memory",
        "QEMU could not reserve the guest's address space; look at 'ulimit -v' and the memory",
    ),
    (
        rb"Invalid ELF image for this architecture",
        "the program is not one for {qemu}",
    ),
    (
        rb"Could not open '[^']*(ld-linux|ld-musl|ld\.so|ld64)",
        "the program is dynamic and must be static",
    ),
    (
        rb"Resource temporarily unavailable",
        "no further thread could be started; too low a limit",
    ),
    (rb"error while loading shared libraries", "the emulator itself could not be loaded"),
    (rb"Exec format error", "the program is no ELF file, or its format is not known here"),
    (rb"No such file or directory", "the program is not there"),
    (rb"Permission denied", "the program may not be read or executed; a noexec mount?"),
)


@dataclass(frozen=True)
class QemuUser:
    """Runs programs of ``target`` by its qemu binary; times are the emulator's.

    options: further ones of QEMU's own.
    """

    target: Target
    options: tuple[str, ...] = ()
    name: str = "qemu-user"
    abilities: frozenset[Ability] = field(default=frozenset({Ability.CHECK, Ability.TRACE}))

    def argv(self, program: str) -> tuple[str, ...]:
        return (self.target.qemu, "-cpu", self.target.qemu_cpu, *self.options, f"./{program}")

    def explain(self, exit: Exit, stderr: bytes, *, started: bool = True) -> Explanation:
        common = explain_common(exit)
        if common:
            return common
        code, number = status_of(exit)
        if number is not None:
            return self._signal(number, exit, stderr)
        if not started:
            return self._not_started(code, stderr)
        return _with_syscall(explain_status(code, stderr), stderr)

    def _signal(self, number: int, exit: Exit, stderr: bytes) -> Explanation:
        """QEMU tells of a guest's signal before it repeats it on itself, and of its own end."""
        if not any(int(said) == number for said in _GUEST_SIGNAL.findall(stderr)):
            as_status = exit.relayed or exit.signal is None
            if as_status and not _OWN_END.search(stderr):
                return Explanation(
                    Verdict.GUEST_CRASH,
                    f"it exited with status {128 + number}, without a word from QEMU",
                )
            return Explanation(
                Verdict.EMULATOR_FAULT,
                f"{self.target.qemu} itself died by {signal_name(number)}{last_line(stderr)}",
            )
        text = f"{signal_name(number)} in the guest"
        if number == signal.SIGILL:
            text += (
                f": an instruction that -cpu {self.target.qemu_cpu} does not have, or a trap; "
                "does -march ask for more than that CPU?"
            )
        return _with_syscall(Explanation(Verdict.GUEST_CRASH, text), stderr)

    def _not_started(self, code: int | None, stderr: bytes) -> Explanation:
        for pattern, text in _START_FAULTS:
            if re.search(pattern, stderr):
                said = text.format(cpu=self.target.qemu_cpu, qemu=self.target.qemu)
                return Explanation(Verdict.ENVIRONMENT, said + last_line(stderr))
        shell = explain_shell(code, stderr)
        if shell:
            return shell
        if code == 1 and not stderr.strip():
            # Of a program that it cannot load QEMU 7.2 says nothing into a pipe, 10.0 on
            # standard output.
            return Explanation(
                Verdict.ENVIRONMENT,
                "QEMU said nothing: the program is missing, not executable, or no ELF file",
            )
        if code in (1, 255):
            return Explanation(
                Verdict.EMULATOR_FAULT,
                f"{self.target.qemu} did not start the program{last_line(stderr)}",
            )
        return explain_status(code, stderr)


def _with_syscall(found: Explanation, stderr: bytes) -> Explanation:
    """Names a system call that the emulator does not have, for that may be the reason."""
    calls = _UNSUPPORTED.findall(stderr)
    if not calls:
        return found
    return Explanation(
        found.verdict, f"{found.text} (QEMU: {calls[-1][:80].decode('ascii', 'replace')})"
    )
