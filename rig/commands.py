"""The commands that compile a core's unit, the driver, and link a program, as plain data.

What is measured is the core's unit, compiled with the profile's flags. The driver is compiled
once a target by the target's own gcc. A program is linked from a copy of the object in which
the core's mem* are renamed to the guest's own, since glibc's choice by CPU feature would change
instruction counts with the emulator's version.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from rig.compilers import compiler_argv, core_flags, passed
from rig.model import Cell, Files, ToolchainFacts
from rig.tables import Adapter

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
    own = setup.toolchain.command
    return (
        *compiler_argv(setup.target, facts),
        *core_flags(setup, facts),
        *WARNINGS,
        *core.cflags,
        *(f"-D{define}" for define in core.defines),
        *_folders(cell, adapter),
        *(_system_headers(setup.target.triple) if own else ()),
        # neither changes the code: line tables for diagnosis, and the frame as reported
        *("-g1", "-fstack-usage"),
        *("-MD", "-MF", "core.d", "-c", core.unit, "-o", "core.o"),
    )


def _system_headers(triple: str) -> tuple[str, ...]:
    """For a compiler without a C library, as kernel.org's are: searched last of all."""
    folders = (f"/usr/{triple}/include", f"/usr/include/{triple}", "/usr/include")
    return tuple(word for folder in folders for word in ("-idirafter", folder))


def driver_script(cell: Cell, guest: Files) -> str:
    """Compiles the driver once a target, always by the target's own gcc: it is not measured."""
    target = cell.setup.target
    other_port = "port_bare.c" if target.libc else "port.c"
    # of the adapter's convention, or another program's
    apart = {"mem.c", "blake2b.c", "duel.c", other_port}
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
    own = (*_around_command(cell, adapter, facts), "-c", f"{_SHARED}/mem.c", "who.c")
    steps, objects = _core_steps(cell, adapter, facts)
    link = link_command(cell, PROGRAM, ("who.o", "mem.o", *objects, "driver.a"))
    return script((own, *steps, link))


def script(steps: Iterable[Sequence[str]]) -> str:
    """Commands for ``sh -e``, one a line."""
    return "".join(f"{shlex.join(step)}\n" for step in steps)


def link_command(cell: Cell, output: str, parts: Sequence[str]) -> tuple[str, ...]:
    """Links a static program; the target's gcc does it whichever compiler made the parts."""
    target = cell.setup.target
    # no library is named: gcc brings its own and C's, unless target.toml says -nostdlib
    return (
        *(f"{target.triple}-gcc", "-static", "-no-pie", "-o", output),
        *target.link.of("gcc"),
        *cell.setup.flags.link.of(cell.setup.toolchain.family),
        *parts,
    )


def _around_command(cell: Cell, adapter: Adapter, facts: ToolchainFacts) -> tuple[str, ...]:
    """How the units around a core are compiled: with its calling convention.

    A user's own gcc may have no C library: the target's gcc then compiles them.
    """
    target, family = cell.setup.target, cell.setup.toolchain.family
    own = cell.setup.toolchain.command and family == "gcc"
    return (
        *((f"{target.triple}-gcc",) if own else compiler_argv(target, facts)),
        *("-O2", "-g1", "-std=gnu11", *WARNINGS),
        *target.driver.of(family),
        *passed(cell.setup.flags.abi.of(family), facts),
        *(f"-D{define}" for define in cell.core.defines),
        *_folders(cell, adapter),
    )


def _core_steps(
    cell: Cell, adapter: Adapter, facts: ToolchainFacts
) -> tuple[list[tuple[str, ...]], list[str]]:
    """From given.o to the objects of core and adapter that go into a program."""
    compile_ = _around_command(cell, adapter, facts)
    around = [f"{_SHARED}/{path}" for path in adapter.sources]
    steps: list[tuple[str, ...]] = []
    if LTO in core_flags(cell.setup, facts):
        steps.append((*compile_, LTO, "-c", *around))
        objects = ["core.o"]
        steps.append(_lto_step(cell, facts, [*_objects(adapter), "given.o"], objects[0]))
    else:
        steps.append((*compile_, "-c", *around))
        objects = [*_objects(adapter), "core.o"]
        steps.append(("cp", "given.o", "core.o"))
    rename = (
        f"{cell.setup.target.triple}-objcopy",
        *(f"--redefine-sym={name}=rig_core_{name}" for name in MEM),
    )
    return [*steps, *((*rename, name) for name in objects)], objects


# ------------------------------------------------------------------------------- a duel

OPS = "rig_ops"
"""The one name that an adapter offers (guest/ops.h)."""

SIDE = "side.o"
DUELS = ("duel-1", "duel-2", "duel-3")
"""Programs of one pair, the same but for where their parts lie."""

_PAD = '.text\n.skip 48\n.section .note.GNU-stack,"",%progbits\n'
_ORDERS = (
    ("before.o", "after.o", "control.o"),
    ("control.o", "after.o", "before.o"),
    ("pad.o", "after.o", "pad.o", "before.o", "pad.o", "control.o"),
)


def side_script(cell: Cell, adapter: Adapter, facts: ToolchainFacts) -> str:
    """One side of a duel: core and adapter as one object whose only global name is its ops.

    All other names become its own, so that two cores of one name live in one program.
    """
    steps, objects = _core_steps(cell, adapter, facts)
    triple = cell.setup.target.triple
    join = (f"{triple}-ld", "-r", "-o", SIDE, *objects)
    return script((*steps, join, (f"{triple}-objcopy", f"--keep-global-symbol={OPS}", SIDE)))


def duel_script(before: Cell, adapter: Adapter, facts: ToolchainFacts) -> str:
    """Links left.o and right.o, two sides, into the programs of :data:`DUELS`.

    The control is the left side once more, under another name.
    """
    target = before.setup.target
    named = {"before": "left.o", "after": "right.o", "control": "left.o"}
    plain = (f"{target.triple}-gcc", "-O2", "-g1", "-std=gnu11", *WARNINGS)
    steps: list[tuple[str, ...]] = [
        (*_around_command(before, adapter, facts), "-c", f"{_SHARED}/mem.c"),
        (*plain, *target.driver.of("gcc"), f"-I{_SHARED}", "-c", f"{_SHARED}/duel.c"),
        (*plain, *target.driver.of("gcc"), "-c", "pad.s"),
    ]
    steps += [
        (f"{target.triple}-objcopy", f"--redefine-sym={OPS}=duel_{name}", side, f"{name}.o")
        for name, side in named.items()
    ]
    steps += [
        link_command(before, duel, ("duel.o", "mem.o", *order, "driver.a"))
        for duel, order in zip(DUELS, _ORDERS, strict=True)
    ]
    return script(steps)


def pad_source() -> bytes:
    """Bytes between the parts of a duel: what is moved lies otherwise in the caches' lines."""
    return _PAD.encode()


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
