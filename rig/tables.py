"""Data folders read strictly: a wrong key or value is told with its place and near names."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rig.errors import ConfigError
from rig.model import ByteOrder, Flags, Profile, ProfileFlags, Target

FAMILIES = ("gcc", "clang")


def near(name: str, known: Iterable[str]) -> str:
    """A hint that lists the near names, or all of them when none is near."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return f"near names: {', '.join(close)}" if close else f"known: {', '.join(names)}"


# --------------------------------------------------------------------------- strict TOML


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error


def check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    known = list(known)
    for key in table:
        if key not in known:
            raise ConfigError(f"{where}: unknown key '{key}'", near(key, known))


def strings(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{where}: '{key}' should be a list of strings")
    return tuple(value)


def _flags(table: Mapping[str, Any], where: str) -> Flags:
    check_keys(table, (field.name for field in fields(Flags)), where)
    return Flags(*(strings(table, field.name, where) for field in fields(Flags)))


def _profile_flags(table: Mapping[str, Any], where: str) -> ProfileFlags:
    names = [field.name for field in fields(ProfileFlags)]
    check_keys(table, names, where)
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
    table = read_toml(path)
    parts = {field.name for field in fields(ProfileFlags)}
    check_keys(table, {"summary", "only", "families", "like"} | parts, str(path))
    return Profile(
        name=path.stem,
        summary=_text(table, "summary", str(path)),
        flags=_profile_flags({k: v for k, v in table.items() if k in parts}, str(path)),
        only=strings(table, "only", str(path)),
        families={
            family: _profile_flags(flags, f"{path}: families.{family}")
            for family, flags in table.get("families", {}).items()
        },
        like=like(_text(table, "like", str(path))) if "like" in table else None,
    )


def read_target(folder: Path) -> Target:
    """One folder of images: target.toml and apt.txt."""
    path = folder / "target.toml"
    table = read_toml(path)
    where = str(path)
    check_keys(table, {f.name for f in fields(Target)} - {"name", "packages"}, where)
    bits = table.get("bits")
    if bits not in (32, 64):
        raise ConfigError(f"{where}: 'bits' should be 32 or 64")
    compilers = strings(table, "compilers", where)
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
    table = read_toml(path)
    where = str(path)
    check_keys(table, (f.name for f in fields(Adapter) if f.name != "name"), where)
    return Adapter(
        name=folder.name,
        summary=_text(table, "summary", where),
        sources=tuple(_within(folder, s, where) for s in strings(table, "sources", where)),
        include=tuple(_within(folder, s, where) for s in strings(table, "include", where)),
        symbol=_text(table, "symbol", where),
        externals=strings(table, "externals", where),
        whole=bool(table.get("whole", False)),
    )
