"""Progress: live on a terminal, plain lines elsewhere, clean text everywhere."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from event_stream import GCC, campaign

from rig.events import Progress
from rig.report.progress import LiveProgress, PlainProgress, Tally, open_progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "live"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {}, False),
        (Terminal(), {"TERM": "xterm", "CI": "true"}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_live_only_on_a_terminal_that_can(
    stream: io.StringIO, environ: dict[str, str], live: bool
) -> None:
    assert isinstance(open_progress(stream, environ), LiveProgress) == live


def test_plain_lines_tell_steps_objects_and_cells() -> None:
    stream = io.StringIO()
    with PlainProgress(stream) as progress:
        for event in campaign():
            progress(event)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "rig: 8 cells, seed 7, docker 20.10.24"
    assert "rig: Step 1/9 : FROM debian" in lines
    assert f"rig: built 1/8 {GCC}/unrolled" in lines
    assert "rig: 4/8 i386/clang/kernel/rolled MISMATCH" in lines


def test_plain_lines_are_clean() -> None:
    stream = io.StringIO()
    PlainProgress(stream)(Progress("a\x1b[2J\nb\0é"))
    assert stream.getvalue() == "rig: a\\x1b[2J\\x0ab\\x00\\xe9\n"


def test_live_output_has_no_escapes_of_others_and_no_colour_when_asked() -> None:
    stream = Terminal()
    with LiveProgress(stream, {"TERM": "xterm", "NO_COLOR": "1"}) as progress:
        for event in campaign():
            progress(event)
        progress(Progress("evil \x1b]0;title\x07 [red]markup[/red] [/]"))
    text = stream.getvalue()
    assert "\x1b]0;" not in text
    assert "\x1b[31m" not in text
    assert "4/8 i386/clang/kernel/rolled MISMATCH" in text


def test_status_line_counts() -> None:
    tally = Tally()
    for event in campaign()[:-1]:
        tally.take(event)
    assert tally.status() == (
        "objects 6/8, cells 6/8, 4 PASS, 1 MISMATCH, 1 BUILD_FAILED: timing i386/clang/kernel"
    )


def test_rich_and_pydantic_are_not_loaded_before_they_are_used() -> None:
    code = (
        "import sys, rig.journal, rig.report.fold, rig.report.text, rig.report.progress;"
        "sys.exit(bool({'rich', 'pydantic', 'docker'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
