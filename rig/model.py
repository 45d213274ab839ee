"""The words of rig as data: frozen, without behaviour that touches the world.

Everything here is plain data from the standard library; it is serialised at the edge
(:mod:`rig.journal`) and never imports another module of rig.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

Files = Mapping[str, bytes]
"""Relative POSIX path -> content, as sent into a box."""

DEFAULT_RELEASE = "trixie"
"""The Debian release whose compilers are meant when none is named."""


# --------------------------------------------------------------------------- targets


class ByteOrder(StrEnum):
    LITTLE = "little"
    BIG = "big"


@dataclass(frozen=True, slots=True)
class Flags:
    """Compiler flags: for every compiler, and what gcc or clang alone get after them.

    A flag written ``?-fsomething`` is passed only where the compiler knows it, as kbuild's
    cc-option does.
    """

    common: tuple[str, ...] = ()
    gcc: tuple[str, ...] = ()
    clang: tuple[str, ...] = ()

    def of(self, family: str) -> tuple[str, ...]:
        """All flags for one compiler family, common ones first."""
        return self.common + {"gcc": self.gcc, "clang": self.clang}[family]

    def __add__(self, other: Flags) -> Flags:
        return Flags(self.common + other.common, self.gcc + other.gcc, self.clang + other.clang)


@dataclass(frozen=True, slots=True)
class ProfileFlags:
    """What one profile asks of one target.

    core: for the core's translation unit alone.
    abi: the subset that changes the calling convention; the adapter gets these too.
    runnable: added to the core's unit so that it runs in user space; sizes do not change.
    link: for the final link.
    """

    core: Flags = Flags()
    abi: Flags = Flags()
    runnable: Flags = Flags()
    link: Flags = Flags()

    def __add__(self, other: ProfileFlags) -> ProfileFlags:
        return ProfileFlags(
            self.core + other.core,
            self.abi + other.abi,
            self.runnable + other.runnable,
            self.link + other.link,
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of flags for the core's translation unit (images/profiles/<name>.toml).

    flags: what every target gets. families: what targets of one family (``x86``) get on top.
    Deltas of a single target stand in the target's own file.
    only: targets that the profile makes sense for; empty means all.
    like: a profile whose flags, deltas of families and targets included, come before its own.
    """

    name: str
    summary: str
    flags: ProfileFlags
    only: tuple[str, ...] = ()
    families: Mapping[str, ProfileFlags] = field(default_factory=dict)
    like: Profile | None = None

    def __hash__(self) -> int:
        return hash(self.name)

    def of(self, target: Target) -> ProfileFlags:
        """The profile as ``target`` gets it."""
        total = self.like.of(target) if self.like else ProfileFlags()
        total = total + self.flags
        if target.family in self.families:
            total = total + self.families[target.family]
        if self.name in target.profiles:
            total = total + target.profiles[self.name]
        return total


@dataclass(frozen=True, slots=True)
class Target:
    """An ABI and CPU; everything about one is in images/<name>/target.toml.

    triple: GNU triple, also the prefix of the cross gcc and binutils.
    clang_target: what clang's --target gets.
    bits: pointer width. machine: ELF e_machine as readelf spells it (``EM_ARM``).
    qemu, qemu_cpu: the user-mode emulator and the CPU model it is started with.
    compilers: families that exist for this target. gcc_package: Debian's name of a gcc of a
    certain version, ``{version}`` in it; by the triple if empty.
    libc: False means freestanding, through the port file's twin.
    default: part of the matrix when no setup is named.
    driver: flags for the driver and adapter (plain ABI of the target).
    profiles: profile name -> this target's deltas.
    """

    name: str
    summary: str
    triple: str
    clang_target: str
    bits: int
    byte_order: ByteOrder
    machine: str
    family: str
    qemu: str
    qemu_cpu: str
    compilers: tuple[str, ...]
    packages: tuple[str, ...]
    gcc_package: str = ""
    libc: bool = True
    default: bool = True
    driver: Flags = Flags()
    link: Flags = Flags()
    profiles: Mapping[str, ProfileFlags] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True, order=True)
class Toolchain:
    """What was asked for; what it is, is read from the image (:class:`ToolchainFacts`).

    family: ``gcc`` or ``clang``. version: major version asked for, empty for the release's own.
    stale_index: packages may come from an index past its date, since the user said so.
    command: a compiler of the user's own, a program of this machine (host engine).
    """

    family: str
    version: str = ""
    release: str = DEFAULT_RELEASE
    stale_index: bool = False
    command: str = ""

    @property
    def label(self) -> str:
        """``gcc``, ``clang-22``, ``bookworm/gcc``; of the user's own, the program's name."""
        if self.command:
            return self.command.rpartition("/")[-1]
        name = f"{self.family}-{self.version}" if self.version else self.family
        return name if self.release == DEFAULT_RELEASE else f"{self.release}/{name}"


@dataclass(frozen=True, slots=True)
class ToolchainFacts:
    """A toolchain as found: nothing here is assumed.

    compiler: the executable called. version: as the compiler prints it (``14.2.0``).
    banner: first line of ``--version``. qemu: version of the emulator.
    linker: first line of the linker's ``--version``. image: tag; image_id: content id.
    unknown_flags: those of the target's optional flags that the compiler does not know.
    """

    toolchain: Toolchain
    target: str
    compiler: str
    version: str
    banner: str
    linker: str
    qemu: str
    image: str
    image_id: str
    release: str
    unknown_flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setup:
    """target x toolchain x profile: everything but the core."""

    target: Target
    toolchain: Toolchain
    profile: Profile

    @property
    def id(self) -> str:
        """``i386/gcc/kernel``."""
        return f"{self.target.name}/{self.toolchain.label}/{self.profile.name}"

    @property
    def attributes(self) -> dict[str, str]:
        """What tells setups apart, the most general first."""
        return {
            "order": self.target.byte_order.value,
            "bits": str(self.target.bits),
            "profile": self.profile.name,
            "compiler": self.toolchain.family,
            "toolchain": self.toolchain.label,
            "target": self.target.name,
        }

    @property
    def flags(self) -> ProfileFlags:
        """The profile as this target gets it."""
        return self.profile.of(self.target)


# --------------------------------------------------------------------------- cores


@dataclass(frozen=True)
class Core:
    """One C implementation of the compress function, as bytes.

    name: how tables call it. unit: path of the translation unit within ``files``.
    parts: further functions that the measured one consists of.
    files: the unit and what it includes beside the adapter's own headers.
    symbol: the function that is measured. adapter: folder in guest/adapters.
    include: folders within ``files`` that the compiler searches for headers.
    origin: how the user named it, for the report.
    cflags: flags of its own, after the profile's (``CFLAGS_blake2b.o`` of a kernel's Makefile).
    notes: what the reader of a report should know of where it came from, one line each.
    """

    name: str
    unit: str
    files: Files
    symbol: str = "blake2b_compress"
    adapter: str = "compress"
    defines: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    origin: str = ""
    cflags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    @cached_property
    def digest(self) -> str:
        """Twelve hex digits over all that makes this core; names do not count."""
        state = hashlib.sha256()
        flags = (*self.defines, *self.include, *self.cflags)
        for part in (self.unit, self.symbol, self.adapter, *flags):
            state.update(part.encode() + b"\0")
        for path in sorted(self.files):
            state.update(path.encode() + b"\0")
            state.update(hashlib.sha256(self.files[path]).digest())
        return state.hexdigest()[:12]


class Cell(NamedTuple):
    """setup x core: the unit of work."""

    setup: Setup
    core: Core

    @property
    def id(self) -> str:
        """``i386/gcc/kernel/rolled``."""
        return f"{self.setup.id}/{self.core.name}"


class Pair(NamedTuple):
    """setup x (before, after): the unit of comparison."""

    setup: Setup
    before: Core
    after: Core

    @property
    def id(self) -> str:
        return f"{self.setup.id}/{self.before.name}..{self.after.name}"


# --------------------------------------------------------------------------- boxes


@dataclass(frozen=True, slots=True)
class ImageSpec:
    """Which toolchain image: a target of a release, with compilers beyond the release's own.

    extra: Debian packages on top of the recipe's (``gcc-13-i686-linux-gnu``).
    stale_index: accept a package index past its date; said aloud in the header.
    """

    target: str
    release: str = DEFAULT_RELEASE
    extra: tuple[str, ...] = ()
    stale_index: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A prepared place to run: an image, or this machine.

    tag: for people. id: changes whenever the content may have: an image's id, or a digest of
    this machine's tools.
    """

    spec: ImageSpec
    tag: str
    id: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What a box may use. memory in bytes; cpus may be fractional; disk is the work tmpfs."""

    memory: int = 512 << 20
    cpus: float = 1.0
    pids: int = 64
    disk: int = 64 << 20


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended.

    code: exit status, None when a signal ended it. signal: number or None.
    oom: the memory limit killed it. killed: we did, on purpose.
    lost: the box itself vanished (container removed, engine gone), with what was seen.
    relayed: the signal was read from an init's status 128 + n, with which a program can also
    have exited.
    """

    code: int | None
    signal: int | None = None
    oom: bool = False
    killed: bool = False
    lost: str = ""
    relayed: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One command in a box, run in a directory of its own, ``jobs/<name>``.

    argv: may name files of earlier stages as ``../<other job>/<file>`` and shared files as
    ``../../shared/<path>``. outputs: files to bring back. seconds: its deadline.
    """

    name: str
    argv: tuple[str, ...]
    files: Files = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    seconds: float = 120.0


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a job. code is the exit status; 124 or 137 after a deadline.

    Text is bytes, as printed; each stream is cut to its last 256 KiB.
    """

    name: str
    code: int
    stdout: bytes
    stderr: bytes
    outputs: Files
