"""What newcomers do: one clear message, the right exit code, never a traceback."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pexpect
import pytest
from faults import RIG, Process, host_reason, rig

from rig.report.document import load

HOST = ("--engine", "host", "--on", "x86_64/gcc/user", "--checks", "vectors")
TYPES = "#include <stdint.h>\n#include <stddef.h>\n"
HEAD = "void blake2b_compress(void *s, const uint8_t *b, size_t n, uint32_t inc)\n"


@pytest.fixture(autouse=True)
def _tools():
    if host_reason():
        pytest.skip(host_reason())


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["check", "roled"], 2, "near names: rolled"),
        (["check", "rolled", "--on", "i368"], 2, "i386"),
        (["check", "rolled", "--on", "sparc/*/kernel"], 2, "sparc"),
        (["check", "rolled", "--checks", "vektors"], 2, "vectors"),
        (["check", "rolled", "--profile", "kernl"], 2, "kernel"),
        (["compare", "rolled"], 2, "two cores"),
        (["check", "absent.c"], 2, "there is no file absent.c"),
        (["check", "."], 2, "is a folder"),
        (["check", "rolled", "--case", "hush in=inc:0:1"], 2, "hush"),
        (["check", "rolled", "--json", "/nowhere/r.json"], 2, "there is no folder /nowhere"),
        (["frobnicate"], 2, "frobnicate"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_a_wrong_name_is_told_with_near_ones(place, tmp_path, words, code, says):
    ended = rig(place, *words, cwd=tmp_path)
    assert (ended.code, ended.out) == (code, ""), ended
    assert says in ended.err
    assert len(ended.err.splitlines()) <= 5


@pytest.mark.parametrize(
    ("text", "code", "verdict", "says"),
    [
        (HEAD + "{ undeclared(s; }\n", 1, "BUILD_FAILED", "bad.c:4:"),
        (
            f"void elsewhere(void);\n{HEAD}{{ elsewhere(); }}\n",
            1,
            "BUILD_FAILED",
            "undefined reference to `elsewhere'",
        ),
        (f"{HEAD}{{ }}\n{HEAD}{{ }}\n", 1, "BUILD_FAILED", "redefinition"),
        (
            f"{HEAD}{{ }}\nint main(void) {{ return 0; }}\n",
            1,
            "GUEST_CRASH",
            "exited with status 0",
        ),
        ("int unrelated;\n", 2, "", "does not define blake2b_compress()"),
        ("", 2, "", "bad.c"),
    ],
    ids=["compile", "link", "twice", "main", "no-symbol", "empty"],
)
def test_a_file_that_cannot_be_built(place, tmp_path, text, code, verdict, says):
    bad = tmp_path / "bad.c"
    bad.write_text(TYPES + text if text else "")
    ended = rig(place, "check", str(bad), *HOST)
    assert ended.code == code, ended
    assert says in " ".join((ended.out + ended.err).split())
    assert verdict in ended.out
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("cache", ["/proc/rig", "/dev/null/rig"])
def test_a_store_that_cannot_be_written(place, cache):
    """Also for root: no permission bit decides in these places."""
    ended = rig(place, "check", "rolled", *HOST, RIG_CACHE=cache)
    assert ended.code == 3, ended
    assert cache in ended.err
    assert "RIG_CACHE" in ended.err
    assert "Traceback" not in ended.err


def test_a_home_that_cannot_be_written(place):
    environ = place.environ(HOME="/proc", XDG_CACHE_HOME="/proc/cache")
    del environ["RIG_CACHE"]
    ended = Process(["check", "rolled", *HOST], environ).end()
    assert ended.code == 3, ended
    assert "RIG_CACHE" in ended.err


def test_two_rigs_at_once_on_one_store_one_of_them_killed(place, tmp_path):
    """The locks of the killed one do not hold up the other, and nothing is half there."""
    environ = place.environ(RIG_CACHE=str(tmp_path / "cache"))
    words = ["compare", *HOST, "--no-time"]
    one, other = Process(words, environ), Process(words, environ)
    one.wait_for("x86_64/gcc/user: gcc")
    one.popen.kill()
    one.end()
    ended = other.end()
    assert ended.code == 0, ended.err
    again = Process([*words, "--json", str(tmp_path / "r.json")], environ).end()
    assert again.code == 0, again.err
    counts = load(tmp_path / "r.json").counts
    assert (counts["compilations"], counts["links"]) == (0, 0)


def test_a_clock_that_jumps_backwards(place, tmp_path):
    """Nothing is timed by the wall clock: a run in which it jumps ends with sane seconds."""
    script = (
        "import itertools, time, rig.cli\n"
        "steps = itertools.count()\n"
        "time.time = lambda: 2e9 - 86400 * next(steps)\n"
        "rig.cli.main()\n"
    )
    path = tmp_path / "r.json"
    words = ["check", "rolled", *HOST, "--json", str(path)]
    done = subprocess.run(
        check=False,
        args=[sys.executable, "-c", script, *words],
        env=place.environ(),
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    report = load(path)
    assert report.complete
    assert 0 <= report.seconds < 600
    assert all(0 <= cell.seconds < 600 for cell in report.cells)


def test_locale_c_and_a_name_that_is_no_text(place, tmp_path, core_folder):
    name = os.fsencode(tmp_path) + b"/b\xff\xe9d.c"
    with open(name, "wb") as file:
        file.write((core_folder.parents[2] / "guest/cores/rolled.c").read_bytes())
    environ = place.environ(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    done = subprocess.run(
        check=False,
        args=[*map(os.fsencode, RIG), b"check", name, *map(os.fsencode, HOST)],
        env=environ,
        capture_output=True,
    )
    assert done.returncode in (0, 2), done.stderr
    assert b"Traceback" not in done.stderr
    assert (b"PASS" in done.stdout) == (done.returncode == 0)
    assert done.stdout.isascii()
    assert done.stderr.isascii()


def on_terminal(place, columns: int, **more: str) -> tuple[int, str]:
    child = pexpect.spawn(
        RIG[0],
        [*RIG[1:], "check", "rolled", *HOST],
        env=place.environ(TERM="xterm", **more),
        dimensions=(24, columns),
        timeout=240,
        encoding="utf-8",
    )
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before


def test_a_terminal_of_forty_columns(place):
    """The live line is cut to it; the report, which may be pasted anywhere, is not."""
    code, text = on_terminal(place, 40)
    assert code == 0
    assert "PASS" in text
    live = [line for line in re.split(r"[\r\n]+", text) if re.search(r"objects \d+/", line)]
    plain = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in live]
    assert plain
    assert all(len(line) <= 40 for line in plain)


def test_no_color(place):
    code, text = on_terminal(place, 80, NO_COLOR="1")
    assert code == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", text)


def test_no_terminal_means_plain_lines(place):
    ended = rig(place, "check", "rolled", *HOST)
    assert ended.code == 0
    assert "\x1b" not in ended.out + ended.err
    assert "rig: 1/1 x86_64/gcc/user/rolled PASS" in ended.err
