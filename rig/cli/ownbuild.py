"""A build of the user's own: compilers of this machine, and the flags of a real kbuild."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rig.errors import ToolchainMissing, UsageError
from rig.model import Core, Flags, Profile, ProfileFlags, Setup, Target, Toolchain
from rig.sources.kbuild import KbuildFlags, read_cmd

PROFILE = "kbuild"
"""What setups are called whose flags come from a ``.cmd`` file."""

_GUARD = "-mstack-protector-guard"
_PATIENCE = 20  # s, for a compiler to say what it is


def own_toolchain(command: str) -> Toolchain:
    """A compiler by its command; it is asked what it is.

    Raises ToolchainMissing: not there, or it does not run; UsageError: neither gcc nor clang.
    """
    found = shutil.which(os.path.expanduser(command))
    if found is None:
        raise ToolchainMissing(
            f"there is no compiler {command}",
            "--cc takes one program, --cross-compile a prefix such as /opt/gcc/bin/arm-linux-",
        )
    said = _ask(found, "--version")
    family = "clang" if "clang" in said else "gcc" if "Free Software Foundation" in said else ""
    if not family:
        raise UsageError(f"{command} is neither gcc nor clang", "--cc names a C compiler")
    return Toolchain(family, command=os.path.abspath(found) if "/" in command else command)


def own_toolchains(
    commands: Sequence[str], prefix: str | None, engine: str
) -> Sequence[Toolchain]:
    """The compilers that --cc and --cross-compile name. Raises UsageError off this machine."""
    names = [*commands, *([f"{prefix}gcc"] if prefix else [])]
    if names and engine != "host":
        raise UsageError(
            "--cc and --cross-compile name programs of this machine", "add --engine host"
        )
    return [own_toolchain(name) for name in names]


def fitting(setups: Sequence[Setup]) -> list[Setup]:
    """Setups without those of a gcc of the user's own that makes code for another machine."""
    machines = {
        toolchain: _arch(_ask(toolchain.command, "-dumpmachine"))
        for toolchain in {setup.toolchain for setup in setups}
        if toolchain.command and toolchain.family == "gcc"
    }
    kept = [
        setup
        for setup in setups
        if setup.toolchain not in machines
        or machines[setup.toolchain] == _arch(setup.target.triple)
    ]
    if not kept:
        names = ", ".join(f"{t.command} ({machine})" for t, machine in machines.items())
        raise UsageError(
            f"no target here is one of {names}", "--on names a target that it can compile for"
        )
    return kept


def _arch(triple: str) -> str:
    """``i686-linux-gnu`` and ``i386-linux`` are one machine."""
    return re.sub(r"^i[3-6]86$", "i686", triple.partition("-")[0])


def _ask(program: str, option: str) -> str:
    try:
        done = subprocess.run(
            [program, option],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainMissing(f"{program} {option} does not run: {error}") from error
    if done.returncode:
        raise ToolchainMissing(f"{program} {option} failed", "", done.stderr)
    return done.stdout.strip()


# ------------------------------------------------------------------------ kbuild's flags


def with_flags_from(setups: Sequence[Setup], path: str, chosen: bool) -> list[Setup]:
    """The setups that a ``.cmd`` file is for, with its flags in place of their profile's.

    chosen: the targets were named; else the file's own is meant. Raises SourceError for what
    is no such file, UsageError when no setup fits.
    """
    found = read_cmd(Path(path))
    kept = [
        setup
        for setup in setups
        if setup.toolchain.family == found.family and (chosen or _is_for(found, setup.target))
    ]
    if not kept:
        raise UsageError(
            f"{path} is of {found.compiler}, and no chosen setup fits",
            f"name a target with {found.family}: --on i386/{found.family}",
        )
    return [replace(setup, profile=_profile(setup, found, path)) for setup in kept]


def noted(cores: Sequence[Core], path: str) -> list[Core]:
    """The cores, each with a note of whose flags it got."""
    found = read_cmd(Path(path))
    text = (
        f"flags from {path}, of {found.compiler}: {len(found.flags)} kept; {len(found.dropped)}"
        " words of include paths, names, warnings and debugging left out"
    )
    return [replace(core, notes=(*core.notes, text)) for core in cores]


def _is_for(found: KbuildFlags, target: Target) -> bool:
    """By --target, or by what the compiler is called; -m32 and -m64 have the last word."""
    triples = [f.partition("=")[2] for f in found.flags if f.startswith("--target=")]
    triple = triples[-1] if triples else found.compiler.rpartition("/")[-1]
    arch = _arch(triple) if "-" in triple else os.uname().machine
    if arch in ("i686", "x86_64"):
        arch = {"-m32": "i686", "-m64": "x86_64"}.get(
            next((f for f in found.flags if f in ("-m32", "-m64")), ""), arch
        )
    return arch == _arch(target.triple)


def _profile(setup: Setup, found: KbuildFlags, path: str) -> Profile:
    """Flags of kbuild for the core; what makes it run in user space stays the target's.

    Where the canary lies is the C library's to say: the kernel's place would be a crash.
    """
    kept = tuple(flag for flag in found.flags if not flag.startswith(_GUARD))
    flags = ProfileFlags(
        core=Flags(common=kept),
        abi=setup.flags.abi,
        runnable=setup.flags.runnable,
        link=setup.flags.link,
    )
    return Profile(PROFILE, f"flags from {path}", flags)
