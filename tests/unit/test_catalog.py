"""The catalog: folders to targets, globs to setups, wrong keys told with their place."""

from __future__ import annotations

import shutil

import pytest

from rig import catalog
from rig.errors import ConfigError, UsageError
from rig.model import Toolchain


@pytest.fixture(scope="module")
def known():
    return catalog.load()


@pytest.fixture
def copied(tmp_path, known):
    """A catalog that a test may change."""
    shutil.copytree(known.images, tmp_path / "images")
    shutil.copytree(known.guest, tmp_path / "guest")
    return catalog.Catalog(tmp_path / "images", tmp_path / "guest")


def ids(setups):
    return [setup.id for setup in setups]


def test_default_matrix_is_three_targets_by_two_compilers(known):
    assert ids(known.setups()) == [
        f"{target}/{family}/kernel"
        for target in ("arm32", "i386", "x86_64")
        for family in ("gcc", "clang")
    ]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("i386", ["i386/gcc/kernel", "i386/clang/kernel"]),
        ("i386/*", ["i386/gcc/kernel", "i386/clang/kernel"]),
        ("i386/gcc", ["i386/gcc/kernel"]),
        ("i386/gcc/user", ["i386/gcc/user"]),
        ("x86_64/*/us*", ["x86_64/gcc/user", "x86_64/clang/user"]),
    ],
)
def test_globs_choose(known, glob, expected):
    assert ids(known.setups([glob])) == expected


def test_a_named_profile_is_meant_where_the_glob_names_none(known):
    assert ids(known.setups(["*/clang"], "user"))[0].endswith("/clang/user")
    assert all(setup.profile.name == "user" for setup in known.setups([], "user"))


def test_all_is_every_target_and_the_default_ones_come_first(known):
    names = list(dict.fromkeys(s.target.name for s in known.setups(["all"])))
    assert set(names) == set(known.targets)
    assert names[:3] == ["arm32", "i386", "x86_64"]


def test_globs_that_overlap_choose_once(known):
    assert len(known.setups(["i386", "i386/gcc"])) == 2


@pytest.mark.parametrize(
    ("glob", "near"),
    [("i368", "i386"), ("arm23/gcc", "arm32"), ("i386/gc/kernel", "i386/gcc/kernel")],
)
def test_a_glob_that_matches_nothing_lists_near_names(known, glob, near):
    with pytest.raises(UsageError) as caught:
        known.setups([glob])
    assert glob in caught.value.what
    assert near in caught.value.hint


def test_unknown_names_list_near_ones(known):
    with pytest.raises(UsageError, match="no profile is called 'kernal'") as caught:
        known.setups([], "kernal")
    assert "kernel" in caught.value.hint
    with pytest.raises(UsageError, match="no core is called 'roled'") as caught:
        known.core("roled")
    assert "rolled" in caught.value.hint


def test_other_toolchains_name_their_release(known):
    (setup,) = known.setups(["i386"], None, [Toolchain("gcc", "12", "bookworm")])
    assert setup.id == "i386/bookworm/gcc-12/kernel"


def test_flags_add_up_profile_family_target(known):
    (setup,) = known.setups(["i386/gcc"])
    flags = setup.flags.core.of("gcc")
    assert flags.index("-O2") < flags.index("-mno-sse") < flags.index("-march=i686")
    assert "-mregparm=3" in setup.flags.abi.of("gcc")
    assert "-mregparm=3" not in known.setups(["x86_64/gcc"])[0].flags.abi.of("gcc")


def test_a_new_target_is_one_folder(copied):
    shutil.copytree(copied.images / "i386", copied.images / "i486")
    assert [s.id for s in copied.setups(["i486/gcc"])] == ["i486/gcc/kernel"]


def test_a_new_core_is_one_file(copied):
    (copied.guest / "cores" / "mine.c").write_text("int x;\n")
    assert copied.core("mine").files == {"mine.c": b"int x;\n"}


@pytest.mark.parametrize(
    ("file", "old", "new", "place", "hint"),
    [
        ("i386/target.toml", "bits = 32", "bit = 32", "unknown key 'bit'", "bits"),
        ("i386/target.toml", "bits = 32", "bits = 33", "'bits' should be 32 or 64", ""),
        ("i386/target.toml", '"gcc", "clang"', '"gc"', "unknown compiler 'gc'", "gcc"),
        ("i386/target.toml", "bits = 32", "bits = ", "not valid TOML", ""),
        ("i386/target.toml", "[driver]", "[drivers]", "unknown key 'drivers'", "driver"),
        ("profiles/user.toml", "[core]", "[cor]", "unknown key 'cor'", "core"),
        ("profiles/user.toml", "common = [", "common = [1, ", "list of strings", ""),
    ],
)
def test_a_wrong_file_is_told_with_its_place(copied, file, old, new, place, hint):
    path = copied.images / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        copied.all_setups()
    assert str(path) in caught.value.what
    assert place in caught.value.what
    assert hint in caught.value.hint


def test_an_adapter_stays_within_the_guest_folder(copied):
    path = copied.guest / "adapters" / "compress" / "adapter.toml"
    path.write_text(path.read_text().replace('"adapter.c"', '"../../../adapter.c"'))
    with pytest.raises(ConfigError, match="outside the guest folder"):
        copied.adapter("compress")


def test_the_driver_is_sent_without_the_cores(known):
    files = known.guest_files
    assert "main.c" in files
    assert "adapters/compress/adapter.c" in files
    assert not any(path.startswith("cores/") for path in files)
