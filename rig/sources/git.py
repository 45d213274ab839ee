"""The few git commands that rig needs: read a file of a revision, apply a patch in a folder.

No command touches a checkout, an index or a configuration, asks for a password or runs a
program that the repository names.
"""

from __future__ import annotations

import difflib
import os
import subprocess
from pathlib import Path

from rig.errors import SourceError, ToolchainMissing

_SECONDS = 120


def run(
    folder: Path, *argv: str, given: bytes = b"", ceiling: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Git in a folder, with output captured; ToolchainMissing where there is no git.

    ceiling: git looks for a repository below this folder only.
    """
    env = {
        **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    if ceiling is not None:
        env["GIT_CEILING_DIRECTORIES"] = str(ceiling)
    command = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *argv)
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=env,
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise ToolchainMissing("git is not installed", "install the package git") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(
            f"git {argv[0]} did not end within {_SECONDS} s in {folder}"
        ) from error


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode("utf-8", "replace").strip()


def resolve(folder: Path, revision: str) -> str:
    """The full id of a commit.

    Raises SourceError: not a git tree, owned by someone else, or no such revision (with near
    names).
    """
    inside = run(folder, "rev-parse", "--is-inside-work-tree")
    if inside.returncode != 0 and "dubious ownership" in _said(inside):
        raise SourceError(
            f"git does not trust {folder}: it belongs to another user",
            f"git config --global --add safe.directory {folder}",
        )
    if inside.returncode != 0:
        raise SourceError(
            f"{folder} is not a git tree, so it has no revision '{revision}'",
            f"without @{revision}, its files are taken as they are",
        )
    wanted = f"{revision}^{{commit}}"
    done = run(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
    if done.returncode != 0:
        raise SourceError(f"{folder} has no revision '{revision}'", _near(folder, revision))
    # git 2.30 and older echo the option
    return done.stdout.decode("ascii", "replace").split()[-1]


def _near(folder: Path, revision: str) -> str:
    names = run(folder, "for-each-ref", "--format=%(refname:short)", "--count=5000").stdout
    known = names.decode("utf-8", "replace").split()
    close = difflib.get_close_matches(revision, known, n=3, cutoff=0.5)
    if close:
        return f"near names: {', '.join(close)}"
    return "a branch, a tag or a commit; a shallow clone lacks older ones (git fetch)"


def read(folder: Path, commit: str, path: str) -> bytes | None:
    """A file of a commit, path relative to ``folder``; None where it is not there."""
    done = run(folder, "cat-file", "blob", f"{commit}:./{path}")
    return done.stdout if done.returncode == 0 else None


def apply(folder: Path, patch: bytes, *options: str) -> tuple[bool, str]:
    """Applies a patch to the files of a scratch folder; whether it did, and what git said."""
    done = run(
        folder,
        *("apply", "--whitespace=nowarn", "--verbose", *options),
        given=patch,
        ceiling=folder.resolve().parent,  # the folder may lie within some git tree
    )
    return done.returncode == 0, _said(done)
