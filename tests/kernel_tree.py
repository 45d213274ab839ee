"""Our miniature of a kernel tree (tests/unit/mini_kernel), in git repositories of a test."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

MINI = Path(__file__).parent / "unit" / "mini_kernel"
UNIT = "lib/crypto/blake2b.c"
FIRST, SECOND = "/* RFC 7693, section 2.7 */", "/* the message schedule */"
"""The comment in which the two commits of :func:`committed` differ."""


def git(tree: Path, *argv: str) -> str:
    """What git prints, without the space around it."""
    settings = ("-c", "user.name=Mini", "-c", "user.email=mini@example.org")
    done = subprocess.run(
        ["git", *settings, *argv], cwd=tree, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def edit(tree: Path, old: str, new: str, path: str = UNIT) -> None:
    """Replaces what must be there."""
    file = tree / path
    content = file.read_text()
    assert old in content
    file.write_text(content.replace(old, new))


def committed(tree: Path) -> Path:
    """The newer layout, made at ``tree`` in two commits, tagged v1 and v2."""
    shutil.copytree(MINI / "new", tree)
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "One")
    git(tree, "tag", "v1")
    edit(tree, FIRST, SECOND)
    git(tree, "commit", "-qam", "Two")
    git(tree, "tag", "v2")
    return tree
