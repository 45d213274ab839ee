"""What there is: targets, profiles, adapters and built-in cores, read from data folders.

The checkout's ``images/`` and ``guest/`` come first, else the copies in the wheel
(``rig/_data``). A new target is one folder, a new core one file; nothing is listed here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from rig.errors import ConfigError, UsageError
from rig.model import DEFAULT_RELEASE, Core, Files, Profile, Setup, Target, Toolchain
from rig.tables import (
    FAMILIES,
    Adapter,
    check_keys,
    near,
    read_adapter,
    read_profiles,
    read_target,
    read_toml,
    strings,
)

DEFAULT_PROFILE = "kernel"
DEFAULT_TOOLCHAINS = (Toolchain("gcc"), Toolchain("clang"))


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
        for release, families in read_toml(path).items():
            check_keys(families, FAMILIES, f"{path}: {release}")
            for family in FAMILIES:
                versions = strings(families, family, f"{path}: {release}")
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

    @cached_property
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
