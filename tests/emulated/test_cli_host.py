"""The command line on this machine's own compiler and emulator, as real processes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from command import RIG

from rig.checks.replay import REPEATS
from rig.report.document import load
from rig.verdicts import Verdict

PLACE = ("--engine", "host", "--profile", "user", "--on", "x86_64/gcc")
BAD = "#include <stdint.h>\nvoid blake2b_compress(void *s) { undeclared(s; }\n"

pytestmark = pytest.mark.skipif(
    not (shutil.which("x86_64-linux-gnu-gcc") and shutil.which("qemu-x86_64")),
    reason="the host engine needs x86_64-linux-gnu-gcc and qemu-x86_64 here",
)


def rig(*words: str, cache: Path) -> subprocess.CompletedProcess[bytes]:
    environ = {**os.environ, "RIG_CACHE": str(cache)}
    return subprocess.run(
        [*RIG, *words], env=environ, capture_output=True, check=False, timeout=300
    )


def test_build_writes_object_and_program(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = rig("build", "rolled", "unrolled", *PLACE, "--out", str(out), cache=tmp_path / "c")
    assert done.returncode == 0, done.stderr
    folder = out / "x86_64/gcc/user"
    assert sorted(p.name for p in folder.iterdir()) == [
        "rolled", "rolled.o", "unrolled", "unrolled.o",
    ]  # fmt: skip
    assert done.stdout.decode().split() == [
        str(folder / "rolled.o"), str(folder / "unrolled.o"),
    ]  # fmt: skip
    assert all(path.read_bytes().startswith(b"\x7fELF") for path in folder.iterdir())
    assert os.access(folder / "rolled", os.X_OK)


def test_build_of_a_refused_core_goes_on_and_exits_1(tmp_path: Path) -> None:
    bad = tmp_path / "bad.c"
    bad.write_text(BAD)
    out = tmp_path / "out"
    done = rig("build", str(bad), "rolled", *PLACE, "--out", str(out), cache=tmp_path / "c")
    assert done.returncode == 1, done.stderr
    assert b"bad.c:2:" in done.stderr
    assert b"x86_64-linux-gnu-gcc" in done.stderr
    assert (out / "x86_64/gcc/user/rolled.o").is_file()


def test_one_case_of_one_core_then_the_same_report_again(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    words = ("--case", "hash in=inc:0:129", "--json", str(path))
    done = rig("check", "rolled", *PLACE, *words, cache=tmp_path / "c")
    assert done.returncode == 0, done.stderr
    report = load(path)
    assert [(cell.verdict, cell.tried) for cell in report.cells] == [(Verdict.PASS, REPEATS)]
    again = rig("report", str(path), cache=tmp_path / "c")
    assert again.stdout == done.stdout


def test_a_refused_core_is_compared_all_the_same(tmp_path: Path) -> None:
    bad = tmp_path / "bad.c"
    bad.write_text(BAD)
    words = ("--no-time", "--checks", "vectors")
    done = rig("compare", "rolled", str(bad), *PLACE, *words, cache=tmp_path / "c")
    assert done.returncode == 1, done.stderr
    text = done.stdout.decode("ascii")
    assert "PASS / BUILD_FAILED" in text
    assert "bad.c:2:" in text
