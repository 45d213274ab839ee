"""What there is: targets, profiles, adapters and built-in cores, read from data folders.

The checkout's ``images/`` and ``guest/`` come first, else the copies in the wheel
(``rig/_data``). A new target is one folder, a new core one file; nothing is listed here.
"""

from __future__ import annotations

import difflib
import itertools
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from rig.errors import ConfigError, UsageError
from rig.model import (
    DEFAULT_RELEASE,
    ByteOrder,
    Core,
    Files,
    Flags,
    Profile,
    ProfileFlags,
    Setup,
    Target,
    Toolchain,
)

DEFAULT_PROFILE = "kernel"
DEFAULT_TOOLCHAINS = (Toolchain("gcc"), Toolchain("clang"))
FAMILIES = ("gcc", "clang")


def near(name: str, known: Iterable[str]) -> str:
    """A hint that lists the near names, or all of them when none is near."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return f"near names: {', '.join(close)}" if close else f"known: {', '.join(names)}"


# --------------------------------------------------------------------------- strict TOML


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error


def _known(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    known = list(known)
    for key in table:
        if key not in known:
            raise ConfigError(f"{where}: unknown key '{key}'", near(key, known))


def _strings(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{where}: '{key}' should be a list of strings")
    return tuple(value)


def _flags(table: Mapping[str, Any], where: str) -> Flags:
    _known(table, (field.name for field in fields(Flags)), where)
    return Flags(*(_strings(table, field.name, where) for field in fields(Flags)))


def _profile_flags(table: Mapping[str, Any], where: str) -> ProfileFlags:
    names = [field.name for field in fields(ProfileFlags)]
    _known(table, names, where)
    return ProfileFlags(
        **{name: _flags(table.get(name, {}), f"{where}.{name}") for name in names}
    )


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        raise ConfigError(f"{where}: '{key}' is missing or not a string")
    return value


def read_profiles(paths: Iterable[Path]) -> dict[str, Profile]:
    """The files of images/profiles, each after the one that it is ``like``."""
    files = {path.stem: path for path in paths}
    found: dict[str, Profile] = {}

    def read(name: str, asked: tuple[str, ...] = ()) -> Profile:
        if name not in found:
            found[name] = read_profile(files[name], lambda like: base(name, like, asked))
        return found[name]

    def base(name: str, like: str, asked: tuple[str, ...]) -> Profile:
        if like not in files:
            raise ConfigError(f"{files[name]}: like = '{like}'", near(like, files))
        if like in (*asked, name):
            raise ConfigError(f"{files[name]}: like = '{like}' leads back to itself")
        return read(like, (*asked, name))

    return {name: read(name) for name in files}


def read_profile(path: Path, like: Callable[[str], Profile]) -> Profile:
    """One file of images/profiles. like: gives the profile of a name."""
    table = _read_toml(path)
    parts = {field.name for field in fields(ProfileFlags)}
    _known(table, {"summary", "only", "families", "like"} | parts, str(path))
    return Profile(
        name=path.stem,
        summary=_text(table, "summary", str(path)),
        flags=_profile_flags({k: v for k, v in table.items() if k in parts}, str(path)),
        only=_strings(table, "only", str(path)),
        families={
            family: _profile_flags(flags, f"{path}: families.{family}")
            for family, flags in table.get("families", {}).items()
        },
        like=like(_text(table, "like", str(path))) if "like" in table else None,
    )


def read_target(folder: Path) -> Target:
    """One folder of images: target.toml and apt.txt."""
    path = folder / "target.toml"
    table = _read_toml(path)
    where = str(path)
    _known(table, {f.name for f in fields(Target)} - {"name", "packages"}, where)
    bits = table.get("bits")
    if bits not in (32, 64):
        raise ConfigError(f"{where}: 'bits' should be 32 or 64")
    compilers = _strings(table, "compilers", where)
    for family in compilers:
        if family not in FAMILIES:
            raise ConfigError(f"{where}: unknown compiler '{family}'", near(family, FAMILIES))
    order = _text(table, "byte_order", where)
    if order not in tuple(ByteOrder):
        raise ConfigError(f"{where}: 'byte_order' should be little or big")
    text = {
        key: _text(table, key, where)
        for key in (
            "summary", "triple", "clang_target", "machine", "family", "qemu", "qemu_cpu",
        )
    }  # fmt: skip
    return Target(
        name=folder.name,
        bits=bits,
        byte_order=ByteOrder(order),
        compilers=compilers,
        packages=read_packages(folder / "apt.txt"),
        gcc_package=str(table.get("gcc_package", "")),
        libc=bool(table.get("libc", True)),
        default=bool(table.get("default", True)),
        driver=_flags(table.get("driver", {}), f"{where}: driver"),
        link=_flags(table.get("link", {}), f"{where}: link"),
        profiles={
            name: _profile_flags(flags, f"{where}: profiles.{name}")
            for name, flags in table.get("profiles", {}).items()
        },
        **text,
    )


def read_packages(path: Path) -> tuple[str, ...]:
    """Package names of an apt.txt: one a line, ``#`` starts a comment."""
    lines = (line.split("#")[0].strip() for line in path.read_text("utf-8").splitlines())
    return tuple(line for line in lines if line)


# --------------------------------------------------------------------------- adapters


@dataclass(frozen=True, slots=True)
class Adapter:
    """A folder of guest/adapters: how the driver reaches cores of one interface.

    sources: what is compiled beside the core, relative to the guest folder. include: folders
    searched for headers, relative to the guest folder. symbol: what is measured by default.
    externals: further symbols that the adapter gives to a core. whole: a unit is compress and
    nothing else, so that every local function of it counts as a part of compress.
    """

    name: str
    summary: str
    sources: tuple[str, ...]
    include: tuple[str, ...]
    symbol: str
    externals: tuple[str, ...] = ()
    whole: bool = False


def _within(base: Path, relative: str, where: str) -> str:
    """A path of an adapter, as a path relative to the guest folder."""
    path = (base / relative).resolve()
    guest = base.parent.parent.resolve()
    if not path.is_relative_to(guest):
        raise ConfigError(f"{where}: '{relative}' lies outside the guest folder")
    return path.relative_to(guest).as_posix()


def read_adapter(folder: Path) -> Adapter:
    path = folder / "adapter.toml"
    table = _read_toml(path)
    where = str(path)
    _known(table, (f.name for f in fields(Adapter) if f.name != "name"), where)
    return Adapter(
        name=folder.name,
        summary=_text(table, "summary", where),
        sources=tuple(_within(folder, s, where) for s in _strings(table, "sources", where)),
        include=tuple(_within(folder, s, where) for s in _strings(table, "include", where)),
        symbol=_text(table, "symbol", where),
        externals=_strings(table, "externals", where),
        whole=bool(table.get("whole", False)),
    )


# --------------------------------------------------------------------------- the catalog


@dataclass(frozen=True)
class Catalog:
    """All that is known by name. images, guest: the data folders in use.

    extra: further folders like ``images``, with targets and profiles of a project's own.
    own: cores of a project, by name, read when first asked for.
    """

    images: Path
    guest: Path
    extra: tuple[Path, ...] = ()
    own: Mapping[str, Callable[[Catalog], Core]] = field(default_factory=dict, hash=False)

    @cached_property
    def targets(self) -> Mapping[str, Target]:
        """Targets by name, those of the default matrix first."""
        found = [read_target(path.parent) for path in self._found("*/target.toml")]
        return {t.name: t for t in sorted(found, key=lambda t: (not t.default, t.name))}

    @cached_property
    def profiles(self) -> Mapping[str, Profile]:
        return read_profiles(self._found("profiles/*.toml"))

    def _found(self, pattern: str) -> list[Path]:
        """Files of all folders; a name that two of them have is refused."""
        found: dict[str, Path] = {}
        for folder in (self.images, *self.extra):
            for path in sorted(folder.glob(pattern)):
                name = path.relative_to(folder).as_posix()
                if name in found:
                    raise ConfigError(f"{path}: {found[name]} has the same name", "rename one")
                found[name] = path
        return list(found.values())

    @cached_property
    def adapters(self) -> Mapping[str, Adapter]:
        found = (read_adapter(p.parent) for p in sorted(self.guest.glob("adapters/*/*.toml")))
        return {adapter.name: adapter for adapter in found}

    @cached_property
    def toolchains(self) -> Sequence[Toolchain]:
        """Every toolchain that can be asked for: releases' own, then those by version."""
        path = self.images / "releases.toml"
        found = []
        for release, families in _read_toml(path).items():
            _known(families, FAMILIES, f"{path}: {release}")
            for family in FAMILIES:
                versions = _strings(families, family, f"{path}: {release}")
                found += [Toolchain(family, version, release) for version in ("", *versions)]
        return sorted(
            found, key=lambda one: (one.release != DEFAULT_RELEASE, bool(one.version))
        )

    def choose_toolchains(self, globs: Sequence[str]) -> Sequence[Toolchain]:
        """Toolchains by label or glob (``gcc-*``, ``bookworm/*``); the defaults without any."""
        if not globs:
            return DEFAULT_TOOLCHAINS
        chosen: dict[Toolchain, None] = {}
        for glob in globs:
            matches = [one for one in self.toolchains if fnmatchcase(one.label, glob)]
            if "/" not in glob:  # another release is meant only where it is named
                matches = [one for one in matches if one.release == DEFAULT_RELEASE]
            if not matches:
                labels = [one.label for one in self.toolchains]
                raise UsageError(f"no toolchain is called '{glob}'", near(glob, labels))
            chosen.update(dict.fromkeys(matches))
        return tuple(chosen)

    def built_in_names(self) -> list[str]:
        """Names of rig's own cores."""
        return sorted(path.stem for path in self.guest.glob("cores/*.c"))

    def core_names(self) -> list[str]:
        """Names of all cores: the project's, then rig's own."""
        return [*self.own, *self.built_in_names()]

    def core(self, name: str) -> Core:
        """A core by its name. Raises UsageError with near names."""
        if name in self._own_cores:
            return self._own_cores[name]
        if name in self.own:
            return self._own_cores.setdefault(name, self.own[name](self))
        path = self.guest / "cores" / f"{name}.c"
        if name not in self.core_names():
            raise UsageError(f"no core is called '{name}'", near(name, self.core_names()))
        return Core(
            name=name,
            unit=path.name,
            files={path.name: path.read_bytes()},
            symbol=self.adapters["compress"].symbol,
            origin=f"built in: {name}",
        )

    @cached_property
    def _own_cores(self) -> dict[str, Core]:
        return {}

    def adapter_symbol(self, name: str) -> str:
        """The function that an adapter's cores are measured by."""
        return self.adapter(name).symbol

    def adapter(self, name: str) -> Adapter:
        if name not in self.adapters:
            raise UsageError(f"no adapter is called '{name}'", near(name, self.adapters))
        return self.adapters[name]

    def guest_files(self) -> Files:
        """The driver and all adapters, as sent into a box; built-in cores left out."""
        return {
            path.relative_to(self.guest).as_posix(): path.read_bytes()
            for path in sorted(self.guest.rglob("*"))
            if path.suffix in (".c", ".h", ".S") and "cores" not in path.parts[-2:-1]
        }

    def all_setups(self, toolchains: Sequence[Toolchain] = DEFAULT_TOOLCHAINS) -> list[Setup]:
        """Every setup that makes sense: the compiler and the profile exist for the target."""
        return [
            Setup(target, toolchain, profile)
            for target, toolchain, profile in itertools.product(
                self.targets.values(), toolchains, self.profiles.values()
            )
            if toolchain.family in target.compilers
            and (not profile.only or target.name in profile.only)
        ]

    def setups(
        self,
        globs: Sequence[str] = (),
        profile: str | None = None,
        toolchains: Sequence[Toolchain] = DEFAULT_TOOLCHAINS,
    ) -> list[Setup]:
        """Setups that globs choose, ordered as in the catalog; the default matrix without any.

        A glob may leave out trailing parts (``i386``, ``i386/gcc``). Where its last part names
        no profile, only ``profile`` is meant (``kernel`` by default). ``all`` is every target.
        """
        if profile is not None and profile not in self.profiles:
            raise UsageError(f"no profile is called '{profile}'", near(profile, self.profiles))
        wanted = profile or DEFAULT_PROFILE
        every = self.all_setups(toolchains)
        if not globs:
            return [s for s in every if s.target.default and s.profile.name == wanted]
        chosen = set()
        for glob in globs:
            matches = [s.id for s in every if _matches(s, glob, wanted)]
            if not matches:
                raise UsageError(f"no setup matches '{glob}'", self._glob_hint(glob, every))
            chosen.update(matches)
        return [setup for setup in every if setup.id in chosen]

    def _glob_hint(self, glob: str, every: Sequence[Setup]) -> str:
        first = glob.split("/", maxsplit=1)[0]
        if not any(fnmatchcase(name, first) for name in self.targets):
            return f"targets: {near(first, self.targets)}"
        return near(glob, [setup.id for setup in every])


def _matches(setup: Setup, glob: str, wanted: str) -> bool:
    """Whether a glob chooses a setup; wanted: the profile meant where the glob names none."""
    if glob == "all":
        return setup.profile.name == wanted
    if fnmatchcase(setup.id, glob):
        last = glob.rsplit("/", maxsplit=1)[-1]
        names_profile = "/" in glob and last.strip("*") != ""
        return names_profile or setup.profile.name == wanted
    return fnmatchcase(setup.id, f"{glob}/*") and setup.profile.name == wanted


def load(
    extra: Sequence[Path] = (), own: Mapping[str, Callable[[Catalog], Core]] | None = None
) -> Catalog:
    """The catalog of this checkout, or of the installed wheel.

    extra, own: what a project adds (:class:`Catalog`).
    """
    package = Path(__file__).resolve().parent
    for base in (package.parent, package / "_data"):
        if (base / "images" / "profiles").is_dir() and (base / "guest").is_dir():
            return Catalog(base / "images", base / "guest", tuple(extra), own or {})
    raise ConfigError(
        "rig's own data folders (images, guest) are missing",
        "reinstall the package hashrig; its wheel carries them",
    )
