"""Profiles that are like another: whose flags they get, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig import catalog
from rig.errors import ConfigError


def write(folder: Path, **profiles: str) -> list[Path]:
    for name, like in profiles.items():
        flags = f'[core]\ncommon = ["-D{name}"]\n'
        (folder / f"{name}.toml").write_text(f'summary = ""\n{like}\n{flags}')
    return sorted(folder.glob("*.toml"))


def test_own_flags_come_after_those_of_the_other_and_of_the_target(tmp_path: Path) -> None:
    found = catalog.read_profiles(write(tmp_path, user="", more='like = "user"'))
    i386 = catalog.load().targets["i386"]
    assert found["more"].of(i386).core.common == (
        "-Duser",
        *i386.profiles["user"].core.common,
        "-Dmore",
    )


def test_a_chain_that_leads_back_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="leads back"):
        catalog.read_profiles(write(tmp_path, a='like = "b"', b='like = "a"'))


def test_a_profile_that_is_not_there_is_refused_with_near_names(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="like = 'usr'") as raised:
        catalog.read_profiles(write(tmp_path, user="", more='like = "usr"'))
    assert "user" in raised.value.hint


def test_every_level_has_its_own_flag_last() -> None:
    known = catalog.load()
    for name in ("O0", "O1", "O2", "O3", "Os"):
        for target in known.targets.values():
            flags = known.profiles[name].of(target).core.common
            levels = [flag for flag in flags if flag.startswith("-O")]
            assert levels[-1] == f"-{name}"
