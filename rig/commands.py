"""The commands that compile a core's unit, the driver, and link a program, as plain data.

What is measured is the core's unit, compiled with the profile's flags. The driver is compiled
once a target by the target's own gcc. A program is linked from a copy of the object in which
the core's mem* are renamed to the guest's own, since glibc's choice by CPU feature would change
instruction counts with the emulator's version.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath

from rig.catalog import Adapter
from rig.compilers import compiler_argv, core_flags, passed
from rig.model import Cell, Files, ToolchainFacts

MEM = ("memcpy", "memset", "memmove", "memcmp", "bcmp")
"""What a compiler may call by itself; in a program these are the guest's (guest/mem.c)."""

PROGRAM = "guest.elf"
"""The program in its job folder; a core that reaches up may bring a folder ``guest``."""

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic")

LTO = "-flto"
"""Among a profile's flags: the core's object holds no machine code yet."""

_SHARED = "../../shared"  # from a job's folder to the guest's files


def _folders(cell: Cell, adapter: Adapter) -> list[str]:
    """Where headers are searched: the core's own, the adapter's, the guest's."""
    own = [f"-I{folder}" for folder in cell.core.include]
    return own + [f"-I{_SHARED}/{folder}".rstrip("/") for folder in (*adapter.include, "")]


def core_command(cell: Cell, adapter: Adapter, facts: ToolchainFacts) -> tuple[str, ...]:
    """The command that compiles a core's unit, as run in its job folder."""
    setup, core = cell
    return (
        *compiler_argv(setup.target, facts),
        *core_flags(setup, facts),
        *WARNINGS,
        *core.cflags,
        *(f"-D{define}" for define in core.defines),
        *_folders(cell, adapter),
        # neither changes the code: line tables for diagnosis, and the frame as reported
        *("-g1", "-fstack-usage"),
        *("-MD", "-MF", "core.d", "-c", core.unit, "-o", "core.o"),
    )


def driver_script(cell: Cell, guest: Files) -> str:
    """Compiles the driver once a target, always by the target's own gcc: it is not measured."""
    target = cell.setup.target
    other_port = "port_bare.c" if target.libc else "port.c"
    apart = {"mem.c", "blake2b.c", other_port}  # of the adapter's convention, or not ours
    units = sorted(p for p in guest if "/" not in p and p.endswith(".c") and p not in apart)
    command = (
        *(f"{target.triple}-gcc", "-O2", "-g1", "-std=gnu11", *WARNINGS),
        *target.driver.of("gcc"),
        *(f"-I{_SHARED}", "-c", *(f"{_SHARED}/{unit}" for unit in units)),
    )
    return f"{shlex.join(command)}\n{target.triple}-ar rcsD driver.a *.o\n"


def who_source(core: str, build: str) -> bytes:
    """The unit that tells the guest who it is; ``guest/who.h`` declares the names."""
    return (
        f'#include "who.h"\nconst char rig_who_core[] = {json.dumps(core)};\n'
        f'const char rig_who_build[] = "{build}";\n'
        "const char rig_who_cc[] = RIG_WHO_CC;\n"
    ).encode()


def program_script(cell: Cell, adapter: Adapter, facts: ToolchainFacts) -> str:
    """Compiles adapter and mem*, renames, links given.o (the core) and driver.a."""
    setup, core = cell
    target, family = setup.target, setup.toolchain.family
    lto = LTO in core_flags(setup, facts)
    compile_ = (
        *compiler_argv(target, facts),
        *("-O2", "-g1", "-std=gnu11", *WARNINGS),
        *target.driver.of(family),
        *passed(setup.flags.abi.of(family), facts),
        *(f"-D{define}" for define in core.defines),
        *_folders(cell, adapter),
    )
    around = [f"{_SHARED}/{path}" for path in adapter.sources]
    steps = [(*compile_, "-c", f"{_SHARED}/mem.c", "who.c")]
    if lto:
        steps.append((*compile_, LTO, "-c", *around))
        objects = ["core.o"]
        steps.append(_lto_step(cell, facts, [*_objects(adapter), "given.o"], objects[0]))
    else:
        steps.append((*compile_, "-c", *around))
        objects = [*_objects(adapter), "core.o"]
        steps.append(("cp", "given.o", "core.o"))
    rename = (
        f"{target.triple}-objcopy",
        *(f"--redefine-sym={name}=rig_core_{name}" for name in MEM),
    )
    steps += [(*rename, name) for name in objects]
    # no library is named: gcc brings its own and C's, unless target.toml says -nostdlib
    link = (
        *(f"{target.triple}-gcc", "-static", "-no-pie", "-o", PROGRAM),
        *target.link.of("gcc"),
        *setup.flags.link.of(family),
        *("who.o", "mem.o", *objects, "driver.a"),
    )
    return "".join(f"{shlex.join(step)}\n" for step in (*steps, link))


def _objects(adapter: Adapter) -> list[str]:
    """What compiling an adapter's sources leaves in the job's folder."""
    return [f"{PurePosixPath(path).stem}.o" for path in adapter.sources]


def _lto_step(
    cell: Cell, facts: ToolchainFacts, parts: Sequence[str], output: str
) -> tuple[str, ...]:
    """Optimises core and adapter across their units into one object of machine code.

    Names can be redefined only in machine code, and the driver is another compiler's work, so
    link-time optimisation ends here instead of in the final link.
    """
    setup = cell.setup
    own = {
        "gcc": ("-flinker-output=nolto-rel",),
        "clang": ("-fuse-ld=lld",),
    }[setup.toolchain.family]
    return (
        *compiler_argv(setup.target, facts),
        *core_flags(setup, facts),
        *("-r", "-nostdlib", *own, "-o", output, *parts),
    )
