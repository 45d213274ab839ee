"""What goes into an image decides its tag; what went wrong is told apart."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from dataclasses import replace

import pytest

from rig.catalog import load
from rig.engines.docker import exit_of
from rig.engines.image import Recipe, _lines
from rig.engines.owner import is_gone, owner
from rig.errors import UsageError
from rig.model import Exit, ImageSpec

SPEC = ImageSpec("i386")


@pytest.fixture
def recipe(tmp_path):
    for path in ("Dockerfile", "common/apt.txt", "i386/apt.txt", "i386/target.toml"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path)
    return Recipe(tmp_path, tmp_path / "locks")


def test_a_tag_names_release_and_target(recipe):
    name, _, tag = recipe.tag(replace(SPEC, release="bookworm")).partition(":")
    assert name == "hashrig-bookworm-i386"
    assert len(tag) == 12
    assert set(tag) <= set("0123456789abcdef")


@pytest.mark.parametrize("path", ["Dockerfile", "common/apt.txt", "i386/apt.txt"])
def test_every_input_is_in_the_tag(recipe, path):
    before = recipe.tag(SPEC)
    (recipe.folder / path).write_text("other")
    assert recipe.tag(SPEC) != before


def test_flags_are_not_in_the_tag(recipe):
    before = recipe.tag(SPEC)
    (recipe.folder / "i386/target.toml").write_text("other flags")
    assert recipe.tag(SPEC) == before


@pytest.mark.parametrize("change", [{"extra": ("gcc-13",)}, {"stale_index": True}])
def test_what_is_asked_for_beyond_is_in_the_tag(recipe, change):
    assert recipe.tag(replace(SPEC, **change)) != recipe.tag(SPEC)


def test_the_order_of_extras_does_not_matter(recipe):
    one, two = replace(SPEC, extra=("a", "b")), replace(SPEC, extra=("b", "a"))
    assert recipe.tag(one) == recipe.tag(two)


def test_the_context_holds_the_inputs_and_no_times(recipe):
    data = recipe.context(SPEC)
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert sorted(tar.getnames()) == ["Dockerfile", "common/apt.txt", "i386/apt.txt"]
        assert {member.mtime for member in tar} == {0}
    os.utime(recipe.folder / "Dockerfile", (1, 1))
    assert recipe.context(SPEC) == data


def test_a_target_without_recipe_is_a_wrong_name(recipe):
    with pytest.raises(UsageError, match="image of vax has no recipe"):
        recipe.tag(ImageSpec("vax"))


def test_every_target_of_the_catalog_has_a_recipe(tmp_path):
    catalog = load()
    tags = {Recipe(catalog.images, tmp_path).tag(ImageSpec(name)) for name in catalog.targets}
    assert len(tags) == len(catalog.targets) >= 3


def test_build_output_becomes_whole_clean_lines():
    stream = [
        {"stream": "Step 1/2 : FROM x\n ---"},
        {"stream": "> 1234\n\x1b[91mred\x1b[0m\n10%\r100%\r\nNUL\0\x07"},
        {"status": "Downloading", "id": "ab", "progressDetail": {"current": 1}},
        {"stream": " last\n"},
        {"status": "Pulled", "id": "ab", "progressDetail": {}},
        {"aux": {"ID": "sha256:1"}},
    ]
    assert list(_lines(iter(stream))) == [
        "Step 1/2 : FROM x", " ---> 1234", "red", "100%", "NUL last", "ab: Pulled",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (0, Exit(0)),
        (7, Exit(7)),
        (139, Exit(None, 11, relayed=True)),
        (134, Exit(None, 6, relayed=True)),
        (255, Exit(255)),
    ],
)
def test_an_init_s_status_tells_signals(status, expected):
    assert exit_of(status, oom=False, killed=False) == expected


def test_an_owner_that_has_ended_is_gone():
    assert not is_gone(owner())
    script = "from rig.engines.owner import owner; print(owner())"
    ended = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert is_gone(ended.strip())


def test_an_owner_of_another_boot_is_gone_of_another_host_is_not():
    host, boot, number, started = owner().split("/")
    assert is_gone(f"{host}/other{boot}/{number}/{started}")
    assert is_gone(f"{host}/{boot}/{number}/1{started}")
    assert not is_gone(f"elsewhere/{boot}/1/1")
    assert not is_gone("")
