"""Compilers and flags of the user's own; sizes of objects that exist already."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from command import RIG
from test_sources_kbuild import NEW, OLD

from rig import catalog
from rig.cli import ownbuild
from rig.cli.running import Asked
from rig.cli.size import size
from rig.commands import core_command, program_script
from rig.errors import ToolchainMissing, UsageError
from rig.model import Cell, Setup, Toolchain, ToolchainFacts

COMPILED = Path(__file__).parent / "compiled"
KNOWN = catalog.load()
GCC_BANNER = "prefix-gcc 13.2.0\\nCopyright (C) 2023 Free Software Foundation, Inc."


def fake_compiler(folder: Path, name: str, banner: str, machine: str = "") -> Path:
    """A script that says what a compiler of another machine says of itself."""
    path = folder / name
    path.write_text(
        f'#!/bin/sh\ncase $1 in --version) printf "{banner}\\n";; *) echo {machine};; esac\n'
    )
    path.chmod(0o755)
    return path


def setups_of(*toolchains: Toolchain) -> list[Setup]:
    return KNOWN.setups((), None, toolchains)


# ---------------------------------------------------------------------------- compilers


def test_a_prefix_names_gcc_and_a_command_any_compiler(tmp_path: Path) -> None:
    fake_compiler(tmp_path, "arm-linux-gcc", GCC_BANNER, "arm-linux")
    clang = fake_compiler(tmp_path, "clang-23", "clang version 23.0.0")
    found = ownbuild.own_toolchains([str(clang)], f"{tmp_path}/arm-linux-", "host")
    assert [(one.family, one.label) for one in found] == [
        ("clang", "clang-23"),
        ("gcc", "arm-linux-gcc"),
    ]
    kept = ownbuild.fitting(setups_of(*found))
    assert {s.id for s in kept} == {
        "arm32/arm-linux-gcc/kernel",
        *(f"{target}/clang-23/kernel" for target in ("arm32", "i386", "x86_64")),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("machine", "target"), [("i386-linux", "i386"), ("x86_64-linux", "x86_64")]
)
def test_other_names_of_one_machine(tmp_path: Path, machine: str, target: str) -> None:
    gcc = fake_compiler(tmp_path, "some-gcc", GCC_BANNER, machine)
    kept = ownbuild.fitting(setups_of(ownbuild.own_toolchain(str(gcc))))
    assert [setup.target.name for setup in kept] == [target]


def test_a_compiler_for_a_machine_that_is_no_target(tmp_path: Path) -> None:
    gcc = fake_compiler(tmp_path, "or1k-linux-gcc", GCC_BANNER, "or1k-linux")
    with pytest.raises(UsageError, match=r"no target here is one of .*or1k"):
        ownbuild.fitting(setups_of(ownbuild.own_toolchain(str(gcc))))


def test_what_is_no_compiler_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolchainMissing, match=r"there is no compiler .*absent-gcc"):
        ownbuild.own_toolchains([], f"{tmp_path}/absent-", "host")
    other = fake_compiler(tmp_path, "tcc", "tcc version 0.9")
    with pytest.raises(UsageError, match="neither gcc nor clang"):
        ownbuild.own_toolchain(str(other))
    broken = tmp_path / "broken-gcc"
    broken.write_text("#!/bin/sh\necho no such library >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(ToolchainMissing, match="--version failed"):
        ownbuild.own_toolchain(str(broken))


def test_own_compilers_are_for_the_host_engine() -> None:
    with pytest.raises(UsageError, match="programs of this machine"):
        ownbuild.own_toolchains(["gcc"], None, "docker")
    assert not ownbuild.own_toolchains([], None, "docker")


def test_only_the_cores_unit_is_compiled_by_an_own_gcc(tmp_path: Path) -> None:
    gcc = fake_compiler(tmp_path, "arm-linux-gcc", GCC_BANNER, "arm-linux")
    (setup,) = ownbuild.fitting(setups_of(ownbuild.own_toolchain(str(gcc))))
    facts = ToolchainFacts(
        setup.toolchain, "arm32", str(gcc), "13.2.0", "", "", "7.2", "host", "host:1", "x"
    )
    cell, adapter = Cell(setup, KNOWN.core("rolled")), KNOWN.adapter("compress")
    command = core_command(cell, adapter, facts)
    assert command[0] == str(gcc)
    assert command[command.index("-idirafter") + 1] == "/usr/arm-linux-gnueabihf/include"
    script = program_script(cell, adapter, facts)
    assert str(gcc) not in script
    assert "arm-linux-gnueabihf-gcc" in script


# ---------------------------------------------------------------------------- kbuild's flags


def cmd_file(folder: Path, text: str) -> str:
    path = folder / ".blake2b.o.cmd"
    path.write_text(text)
    return str(path)


def test_flags_of_a_kbuild_replace_those_of_the_core_alone(tmp_path: Path) -> None:
    setups = setups_of(*catalog.DEFAULT_TOOLCHAINS)
    (setup,) = ownbuild.with_flags_from(setups, cmd_file(tmp_path, NEW), chosen=False)
    assert setup.id == "i386/gcc/kbuild"
    flags = setup.flags.core.of("gcc")
    assert flags[:5] == ("-D__KERNEL__", "-std=gnu11", "-O2", "-m32", "-mregparm=3")
    assert "-march=i686" not in flags
    kernel = next(one for one in setups if one.id == "i386/gcc/kernel")
    assert setup.flags.abi == kernel.flags.abi
    assert setup.flags.link == kernel.flags.link


def test_flags_of_a_clang_build_go_to_clang(tmp_path: Path) -> None:
    setups = setups_of(*catalog.DEFAULT_TOOLCHAINS)
    found = ownbuild.with_flags_from(setups, cmd_file(tmp_path, OLD), chosen=False)
    assert [one.id for one in found] == ["arm32/clang/kbuild"]


def test_flags_that_fit_no_chosen_setup(tmp_path: Path) -> None:
    setups = [one for one in setups_of(Toolchain("clang")) if one.target.name == "i386"]
    with pytest.raises(UsageError, match="no chosen setup fits"):
        ownbuild.with_flags_from(setups, cmd_file(tmp_path, NEW), chosen=True)


def test_the_report_says_whose_flags_they_are(tmp_path: Path) -> None:
    path = cmd_file(tmp_path, NEW)
    (core,) = ownbuild.noted([KNOWN.core("rolled")], path)
    assert core.digest == KNOWN.core("rolled").digest
    assert f"flags from {path}, of /opt/x/bin/i386-linux-gcc: 10 kept" in core.notes[-1]


# --------------------------------------------------------------------------- objects


def shown(capsys: pytest.CaptureFixture[str], *objects: str, symbol: str | None = None) -> str:
    code = size([str(COMPILED / name) for name in objects], symbol=symbol)
    told = capsys.readouterr().out
    assert code == (1 if " -" in told.split("\n")[4] else 0)
    return told


def test_size_of_one_object_is_what_nm_says(capsys: pytest.CaptureFixture[str]) -> None:
    told = shown(capsys, "unit-i386.elf", symbol="measured")
    nm = subprocess.run(
        ["nm", "-S", COMPILED / "unit-i386.elf"], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split() for line in nm.splitlines()]
    sizes = {row[3]: int(row[1], 16) for row in rows if len(row) == 4}
    total = sizes["measured"] + sizes["measured.cold"]
    assert f"size (bytes) {total}" in " ".join(told.split())


def test_two_objects_are_before_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    told = shown(capsys, "unit-i386.elf", "unit-more-i386.elf", symbol="measured")
    assert "187 / 198" in told
    assert "add/remove: 0/0 grow/shrink: 1/0 up/down: 11/0 (11)" in told


@pytest.mark.parametrize("name", ["unit-lto.elf", "unit.bc"])
def test_an_object_without_machine_code_has_no_size(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    told = shown(capsys, name, symbol="measured")
    assert "not measured" in " ".join(told.split())  # however the path makes it wrap
    assert "LTO" in told


def test_a_function_that_was_inlined_away(capsys: pytest.CaptureFixture[str]) -> None:
    told = shown(capsys, "unit-i386.elf", symbol="gone")
    assert "the object has no function gone (inlined away" in " ".join(told.split())


def test_an_object_without_blake2b_names_what_it_has() -> None:
    with pytest.raises(UsageError, match="no blake2b_compress_generic or") as caught:
        size([str(COMPILED / "unit-i386.elf")])
    assert "measured" in caught.value.hint


def test_other_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no object"):
        size([str(tmp_path / "absent.o")])
    with pytest.raises(UsageError, match="one or two objects; 3 given"):
        size(["a.o", "b.o", "c.o"])
    archive = tmp_path / "lib.a"
    archive.write_bytes(b"!<arch>\n")
    with pytest.raises(UsageError, match="an archive, not an object"):
        size([str(archive)])
    large = tmp_path / "large.o"
    with large.open("wb") as file:
        os.truncate(file.fileno(), 65 << 20)
    with pytest.raises(UsageError, match="larger than 64 MiB"):
        size([str(large)])


# ------------------------------------------------------------------------------- planning


@pytest.fixture
def rig(tmp_path: Path):
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*RIG, *words],
            env={**os.environ, "RIG_CACHE": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--cc", "gcc"], 2, "programs of this machine"),
        (["--cc", "/no/such/gcc", "--engine", "host"], 3, "there is no compiler /no/such/gcc"),
        (["--flags-from", "/no/such/.blake2b.o.cmd"], 2, "there is no file /no/such/.blake2b"),
        (["--frame-limit", "0"], 2, "--frame-limit"),
    ],
)
def test_wrong_use_is_told_before_an_engine_is_asked(rig, words, code, message) -> None:
    done = rig("check", "rolled", *words)
    assert done.returncode == code
    assert message in done.stderr
    assert done.stdout == ""


def test_a_limit_of_frames_is_a_budget() -> None:
    from rig.cli.planning import plan_check

    asked = Asked(
        on=("i386/gcc",), profile=None, jobs=1, engine="docker", json=None, seed=1, case=None,
        checks=(), long=False, keep=False, frame_limit=500,
    )  # fmt: skip
    (budget,) = plan_check(asked, ["rolled"]).budgets
    assert dict(budget.limits) == {"frame": 500}
    assert budget.place == "--frame-limit 500"
