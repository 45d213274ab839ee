"""Names of compilers, versions as tools print them, and what is said when one is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rig.catalog import load
from rig.engines.box import Workshop
from rig.engines.host import HostEngine
from rig.errors import ToolchainMissing, UsageError
from rig.model import Done, ImageSpec, Limits, Ready, Toolchain
from rig.toolchains import (
    compiler_name,
    image_tag,
    make_engine,
    read_all_facts,
    read_facts,
    version_of,
)

READY = Ready(ImageSpec("i386"), "hashrig-trixie-i386:0123456789ab", "sha256:1")


@pytest.fixture
def target():
    return load().targets["i386"]


@pytest.mark.parametrize(
    ("toolchain", "name"),
    [
        (Toolchain("gcc"), "i686-linux-gnu-gcc"),
        (Toolchain("gcc", "13"), "i686-linux-gnu-gcc-13"),
        (Toolchain("clang"), "clang"),
        (Toolchain("clang", "22"), "clang-22"),
    ],
)
def test_compilers_are_called_by_triple(target, toolchain, name):
    assert compiler_name(target, toolchain) == name


@pytest.mark.parametrize(
    ("banner", "version"),
    [
        ("i686-linux-gnu-gcc (Debian 14.2.0-19) 14.2.0", "14.2.0"),
        ("gcc (GCC) 15.1.1 20250425 (Red Hat 15.1.1-1)", "15.1.1"),
        ("Debian clang version 19.1.7 (3+b1)", "19.1.7"),
        ("clang version 23.0.0git (https://example.org/llvm 0123)", "23.0.0git"),
        ("qemu-i386 version 10.0.2 (Debian 1:10.0.2+ds-2)", "10.0.2"),
        ("no number at all", "no number at all"),
    ],
)
def test_versions_are_read(banner, version):
    assert version_of(banner) == version


class FakeEngine:
    """Answers as tools of a release that is not installed here would."""

    def __init__(self, **answers: Done) -> None:
        self._answers = answers
        self.boxes = 0

    def run(self, ready, stages, shared, workers):
        self.boxes += 1
        for job in stages[0]:
            yield self._answers.get(job.name) or Done(job.name, 0, b"tool 1.2 (x)\n", b"", {})


def test_all_facts_of_a_target_come_from_one_box(target):
    system = b'ID=debian\nVERSION_CODENAME="sid"\n'
    engine = FakeEngine(system=Done("system", 0, system, b"", {}))
    asked = {Toolchain("gcc"): (), Toolchain("clang", "22"): ()}
    facts = read_all_facts(engine, READY, target, asked)
    assert engine.boxes == 1
    clang = facts[Toolchain("clang", "22")]
    assert (clang.compiler, clang.version, clang.qemu) == ("clang-22", "1.2", "1.2")
    assert (clang.release, clang.image, clang.image_id) == ("sid", READY.tag, READY.id)


@pytest.mark.parametrize("job", ["qemu", "compiler0", "linker0"])
def test_a_missing_tool_is_named_with_its_packages(target, job):
    missing = Done(job, 127, b"", b"timeout: failed to run command", {})
    tool = {"qemu": "qemu-i386", "compiler0": "i686-linux-gnu-gcc", "linker0": "linker"}[job]
    with pytest.raises(ToolchainMissing, match=tool) as caught:
        read_facts(FakeEngine(**{job: missing}), READY, target, Toolchain("gcc"))
    assert "gcc-i686-linux-gnu" in caught.value.hint
    assert "gcc-multilib" in caught.value.hint


def test_tools_of_this_machine_are_asked(target, tmp_path, monkeypatch):
    for name in (target.qemu, "i686-linux-gnu-gcc"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{name} (x) 9.8.7'\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "i686-linux-gnu-gcc").write_text(
        "#!/bin/sh\ncase $1 in -print*) echo ./absent;; *) echo 'gcc (x) 9.8.7';; esac\n"
    )
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    engine = HostEngine()
    ready = engine.prepare(ImageSpec("i386"), print)
    with (
        Workshop(engine, Limits()) as shop,
        pytest.raises(ToolchainMissing, match="linker of i686-linux-gnu-gcc"),
    ):
        read_facts(shop, ready, target, Toolchain("gcc"))
    engine.close()


def test_an_unknown_engine_is_a_wrong_name(tmp_path):
    with pytest.raises(UsageError, match="no engine is called 'podman'"):
        make_engine("podman", tmp_path, tmp_path)


def test_targets_have_tags_of_their_own():
    images = load().images
    spec = ImageSpec("i386")
    assert image_tag(spec, images) != image_tag(replace(spec, target="arm32"), images)
