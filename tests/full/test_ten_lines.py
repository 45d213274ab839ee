"""A project of ten lines, elsewhere, with rig from its wheel: passes and fails as it should.

Builds the wheel and installs it with all that it needs into a fresh environment, so a package
index must be reachable.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

TOP = Path(__file__).parents[2]
PROJECT = Path(__file__).parent / "ten_lines"


def run(*words: str | Path, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST"))}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environ,
        capture_output=True,
        check=False,
        timeout=900,
        text=True,
    )
    assert done.returncode == code, done.stdout[-4000:] + done.stderr[-4000:]
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy so that nothing is left in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    kept = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "*.pyc")
    shutil.copytree(TOP, folder / "copy", ignore=kept)
    pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", folder)
    run(*pip, folder / "copy", cwd=folder)
    (found,) = folder.glob("hashrig-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs' folder of a fresh environment that has the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    run(folder / "bin" / "pip", "install", "-q", wheel, "pytest-xdist", cwd=folder)
    return folder / "bin"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project, with a right core."""
    shutil.copytree(PROJECT, tmp_path / "project")
    source = tmp_path / "project" / "src"
    source.mkdir()
    shutil.copy(TOP / "guest" / "cores" / "rolled.c", source / "mine.c")
    return tmp_path / "project"


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> tuple[str, ...]:
    name = request.config.getoption("--rig-engine")
    return (f"--rig-engine={name}",) if name else ()


def test_the_wheel_has_all_that_lies_outside_of_the_package(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "rig/_data/images/Dockerfile",
        "rig/_data/images/i386/target.toml",
        "rig/_data/guest/cores/rolled.c",
        "rig/_data/guest/adapters/linux/adapter.toml",
        "rig/report/templates/report.html",
        "rig/checks/data/blake2b-kat.txt",
    } <= names
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]


def test_it_is_ten_lines() -> None:
    lines = [
        line
        for name in ("rig.toml", "test_mine.py")
        for line in (PROJECT / name).read_text().splitlines()
        if line.strip()
    ]
    assert len(lines) == 10


def test_a_right_core_passes(installed: Path, project: Path, engine: tuple[str, ...]) -> None:
    done = run(installed / "pytest", *engine, "--junitxml=r.xml", cwd=project)
    assert "rig: 2 cells" in done.stdout
    root = ElementTree.parse(project / "r.xml").getroot()
    passed = [
        case.get("name")
        for case in root.iter("testcase")
        if case.find("skipped") is None and case.find("failure") is None
    ]
    for name in ("vectors", "lengths", "compress", "budget"):
        assert f"test_mine[i386/gcc/user/mine-{name}]" in passed


@pytest.mark.parametrize(
    ("right", "wrong", "shown"),
    [
        (", 63)", ", 62)", "MISMATCH in"),
        ("blake2b_compress(", "blake2b_kompress(", "does not define blake2b_compress"),
    ],
)
def test_a_wrong_core_fails(
    installed: Path,
    project: Path,
    engine: tuple[str, ...],
    right: str,
    wrong: str,
    shown: str,
) -> None:
    source = project / "src" / "mine.c"
    text = source.read_text()
    assert right in text
    source.write_text(text.replace(right, wrong))
    code = 1 if shown.startswith("MISMATCH") else 2
    done = run(installed / "pytest", *engine, "-x", cwd=project, code=code)
    assert shown in done.stdout


def test_a_core_over_its_budget_fails(
    installed: Path, project: Path, engine: tuple[str, ...]
) -> None:
    settings = project / "rig.toml"
    settings.write_text(settings.read_text().replace("size = 8192", "size = 100"))
    done = run(installed / "pytest", *engine, "-k", "budget", cwd=project, code=1)
    assert "of at most 100 bytes" in done.stdout
    assert "rig.toml: budgets.0" in done.stdout
    words = [word.replace("--rig-engine", "--engine") for word in engine]
    done = run(installed / "rig", "check", "mine", *words, cwd=project, code=1)
    assert "LIMIT_EXCEEDED in budget" in done.stdout
    assert "of at most 100 bytes" in done.stdout


def test_a_compare_elsewhere(installed: Path, project: Path, engine: tuple[str, ...]) -> None:
    words = [word.replace("--rig-engine", "--engine") for word in engine]
    words += ["--no-time", "--json", "r.json", "--on", "x86_64/gcc"]
    done = run(installed / "rig", "compare", "unrolled", "mine", *words, cwd=project)
    assert "2 PASS" in done.stdout
    page = run(installed / "rig", "report", "r.json", "--format", "html", cwd=project)
    assert page.stdout.startswith("<!doctype html>")
