"""The host's own CPU, where it executes the target's instructions itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from rig.model import Exit, Target
from rig.runners import (
    Ability,
    Explanation,
    explain_common,
    explain_shell,
    explain_status,
    signal_name,
    status_of,
)
from rig.verdicts import Verdict

_EXECUTES = {
    "x86_64": {"EM_X86_64", "EM_386"},
    "aarch64": {"EM_AARCH64", "EM_ARM"},
    "arm64": {"EM_AARCH64", "EM_ARM"},
}
"""What a CPU executes itself, by uname's machine. Not every aarch64 CPU has the 32-bit state;
one that has not refuses the program as a wrong format."""

_OWN_CPUINFO = {"x86_64": "vendor_id", "aarch64": "CPU implementer", "arm64": "CPU implementer"}
"""A line that /proc/cpuinfo has on such hardware."""

_TRANSLATORS = ("VirtualApple", "QEMU TCG", "Rosetta")


@dataclass(frozen=True)
class Native:
    """Runs programs of ``target`` on the CPU of the box."""

    target: Target
    name: str = "native"
    abilities: frozenset[Ability] = field(default=frozenset({Ability.CHECK, Ability.TIME}))

    def argv(self, program: str) -> tuple[str, ...]:
        return (f"./{program}",)

    def explain(self, exit: Exit, stderr: bytes, *, started: bool = True) -> Explanation:
        common = explain_common(exit)
        if common:
            return common
        code, number = status_of(exit)
        if number is not None:
            return Explanation(Verdict.GUEST_CRASH, f"{signal_name(number)} in the guest")
        if not started:
            shell = explain_shell(code, stderr)
            if shell:
                return shell
        return explain_status(code, stderr)


def refusal(target: Target, machine: str, cpuinfo: str) -> str:
    """Why a machine does not run ``target`` by itself; empty when it does.

    machine: of uname in the box. cpuinfo: its /proc/cpuinfo. A translator shows itself by its
    name there, or by a CPU of another kind below the machine's name.
    """
    if target.machine not in _EXECUTES.get(machine, set()):
        return f"a CPU of {machine} does not execute {target.name}"
    found = [name for name in _TRANSLATORS if name in cpuinfo]
    if found:
        return f"a translator is at work here ({found[0]})"
    if _OWN_CPUINFO[machine] not in cpuinfo:
        return f"what calls itself {machine} shows the CPU of another machine"
    return ""


def cpu_model(cpuinfo: str) -> str:
    """What a CPU is called in /proc/cpuinfo: a model's name, on arm its numbers; else empty."""
    lines = (line.partition(":") for line in cpuinfo.splitlines())
    found = {name.strip(): " ".join(value.split()) for name, _, value in lines}
    if "model name" in found:
        return found["model name"]
    arm = [f"{name} {found[name]}" for name in ("CPU implementer", "CPU part") if name in found]
    return ", ".join(arm)


def disguise(asked: str, cpuinfo: str) -> str:
    """Why a program's own look at its CPU does not fit the machine's; empty when it does.

    asked: what the CPU answered to the program, empty where programs cannot ask. A program
    that an emulator took over unseen (binfmt_misc) is answered by the emulator.
    """
    model = cpu_model(cpuinfo)
    if not asked or asked == model:
        return ""
    return f"the program ran on '{asked}', not on this machine's '{model}': an emulator"
