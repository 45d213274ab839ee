"""The commands of README and docs, each run to its end, in the order in which they stand.

The place is our miniature of a kernel tree, which also holds ``my.c`` and a rig.toml. Commands
run as they are shown, with ``--checks vectors --no-time`` behind them, so that each takes
seconds; what cannot run here is listed with its reason, and rig at least understands it
(tests/unit/test_docs.py).
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from command import RIG
from documented import DOCUMENTS, ROOT, commands
from kernel_tree import FIRST, SECOND, committed, edit, git

ROLLED = ROOT / "guest" / "cores" / "rolled.c"

LEFT_OUT = {
    "rig mutants*": "they have tests of their own",
    "rig clean*": "it would take the images of this session away",
    "*sid/*": "sid's packages change from day to day",
    "*bookworm/*": "tests/full/test_linux_compilers.py runs that release",
    "*--cross-compile*": "it names a compiler that somebody has installed",
    "*--cc clang-21*": "it names a compiler that somebody has installed",
    "rig images*": "every other command makes the images that it needs",
}
"""Which commands are not run, and why."""

STANDS_FOR = {"<name>": "mine", "CORE": "mine"}
NEW_TARGET = "rig check rolled --on <name>"

TOML = '[cores.mine]\nfile = "my.c"\n'
TEST = "def test_core(rig_check):\n    rig_check.require()\n"
CMD = (
    "savedcmd_lib/crypto/blake2b.o := i386-linux-gcc -nostdinc -I./include -std=gnu11 -O2 -m32"
    " -march=i686 -mregparm=3 -c -o lib/crypto/blake2b.o lib/crypto/blake2b.c\n"
)


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.config.getoption("--rig-engine") or "docker")


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "RIG_", "COV"))}
    cache = tmp_path_factory.mktemp("cache")
    return {**kept, "RIG_CACHE": str(cache)}


@pytest.fixture(scope="module")
def tree(environ: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the documents speak of, all in one folder."""
    tree = committed(tmp_path_factory.mktemp("docs") / "linux")
    git(tree, "tag", "v7.2", "v1")
    patch = git(tree, "format-patch", "--stdout", "HEAD~1")
    (tree / "0001-blake2b.patch").write_text(f"{patch}\n")
    edit(tree, SECOND, FIRST)
    (tree / "DIR").symlink_to(".")
    shutil.copy(ROLLED, tree / "my.c")
    (tree / "rig.toml").write_text(TOML)
    (tree / "test_core.py").write_text(TEST)
    build = tree.parent / "build" / "lib" / "crypto"
    for folder in (build, tree / "lib" / "crypto"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".blake2b.o.cmd").write_text(CMD)
    argv = (*RIG, "build", "linux:.", "--on", "i386/gcc", "--out", str(tree.parent / "made"))
    subprocess.run(argv, cwd=tree, env=environ, check=True, capture_output=True)
    (made,) = (tree.parent / "made").rglob("*.o")
    for place in ("old", "new", "linux/old", "linux/new", "linux/lib/crypto"):
        (tree.parent / place).mkdir(exist_ok=True)
        shutil.copy(made, tree.parent / place / "blake2b.o")
    return tree


def wanted() -> Iterator[object]:
    seen = set()
    for document in DOCUMENTS:
        for place, words in commands(document):
            if words[0] in ("rig", "pytest") and words not in seen and not reason(words):
                seen.add(words)
                yield pytest.param(words, id=f"{place} {' '.join(words)}")


def reason(words: tuple[str, ...]) -> str:
    line = " ".join(words)
    return next((why for what, why in LEFT_OUT.items() if fnmatch(line, what)), "")


def test_what_is_left_out_is_shown_somewhere() -> None:
    shown = [" ".join(words) for doc in DOCUMENTS for _, words in commands(doc)]
    assert [what for what in LEFT_OUT if not any(fnmatch(line, what) for line in shown)] == []


@pytest.mark.parametrize("words", list(wanted()))
def test_it_runs(
    words: tuple[str, ...], tree: Path, environ: dict[str, str], engine: str
) -> None:
    stands = {"<name>": "i386"} if " ".join(words) == NEW_TARGET else STANDS_FOR
    argv = [piece for word in words[1:] for piece in expand(stands.get(word, word), tree)]
    if words[0] == "pytest":
        argv = [*argv, "--rig-engine", engine, "-p", "no:cacheprovider", "-k", "vectors"]
        program: tuple[str, ...] = (sys.executable, "-m", "pytest")
    else:
        program = RIG
        if argv[0] in ("check", "compare") and "--case" not in argv:
            argv += ["--checks", "vectors"]
        if argv[0] == "compare":
            argv += ["--no-time"]
        if argv[0] in ("check", "compare", "build", "doctor", "selftest"):
            argv += [] if "--engine" in argv else ["--engine", engine]
    patch = (tree / "0001-blake2b.patch").read_bytes() if "-" in argv else b""
    done = subprocess.run(
        [*program, *argv], cwd=tree, env=environ, input=patch, capture_output=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode("utf-8", "replace")[-4000:]


def expand(word: str, tree: Path) -> list[str]:
    """A word as a shell would understand it."""
    return sorted(glob.glob(word, root_dir=tree)) if word == "shard-*.json" else [word]
