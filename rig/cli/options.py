"""Options that several verbs share, declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class EngineName(StrEnum):
    """Engines by name."""

    DOCKER = "docker"
    HOST = "host"


def engine_name(engine: EngineName | None) -> str:
    """The engine that was named, else the project's. Raises ConfigError."""
    from rig.config import find  # noqa: PLC0415 - help needs no settings

    return engine.value if engine else find().settings.engine


On = Annotated[
    list[str] | None,
    typer.Option(
        "--on",
        metavar="GLOB",
        help="Setups: i386, 'i386/*', '*/clang', arm32/gcc/user, all. May be repeated.",
    ),
]
Profile = Annotated[
    str | None, typer.Option("--profile", metavar="NAME", help="Flags: kernel unless named.")
]
Toolchains = Annotated[
    list[str] | None,
    typer.Option(
        "--toolchain",
        metavar="NAME",
        help="Compilers: gcc-13, clang-22, bookworm/gcc, 'gcc-*' (rig list toolchains).",
    ),
]
StaleIndex = Annotated[
    bool,
    typer.Option(
        "--stale-index", help="Accept another release's package index that is past its date."
    ),
]
Tree = Annotated[
    str | None,
    typer.Option("--tree", metavar="DIR[@REV]", help="Kernel tree of a kernel file's headers."),
]
Side = Annotated[
    int | None,
    typer.Option(
        "--side",
        metavar="BITS",
        help="What if: this side (32, 64) of CONFIG_64BIT on every target.",
    ),
]
FrameLimit = Annotated[
    int | None,
    typer.Option(
        "--frame-limit", metavar="N", min=1, help="A stack frame above N bytes fails its cell."
    ),
]
Cc = Annotated[
    list[str] | None,
    typer.Option("--cc", metavar="CMD", help="A compiler of your own (--engine host)."),
]
CrossCompile = Annotated[
    str | None,
    typer.Option(
        "--cross-compile",
        metavar="PREFIX",
        help="Your own gcc by its prefix, as for make (--engine host).",
    ),
]
FlagsFrom = Annotated[
    str | None,
    typer.Option(
        "--flags-from",
        metavar="FILE",
        help="Flags of a real kbuild: DIR/lib/crypto/.blake2b.o.cmd.",
    ),
]
NoWork = Annotated[bool, typer.Option("--no-work", help="Leave instructions and stack out.")]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Work on so many at a time.")
]
Engine = Annotated[
    EngineName | None,
    typer.Option("--engine", help="Where commands run; docker unless rig.toml says otherwise."),
]
Json = Annotated[
    str | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Write the report there, also after failure or Ctrl-C; - is standard output.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Of every random choice.")]
Case = Annotated[
    str | None,
    typer.Option("--case", metavar="LINE", help="Ask only this case, as a report prints it."),
]
Checks = Annotated[
    str | None,
    typer.Option("--checks", metavar="NAMES", help="Only these, separated by commas."),
]
Long = Annotated[bool, typer.Option("--long", help="Also the cases that take minutes.")]
ConstantTime = Annotated[
    bool,
    typer.Option(
        "--constant-time",
        help="Look whether what is executed varies with data and keys of one length.",
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline", metavar="FILE", help="Show what moved since this report of --json."
    ),
]
FailIf = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="RULE",
        help="Exit 1 when a figure moved further: 'size>+2%', 'work>+0.5%', 'stack>+16'.",
    ),
]
ShardOf = Annotated[
    str | None,
    typer.Option("--shard", metavar="K/N", help="Only the K-th of N parts of the setups."),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Take over what interrupted runs had judged of the same."),
]
Keep = Annotated[bool, typer.Option("--keep", help="Keep the journal and tell where it is.")]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder, made if missing.")]
