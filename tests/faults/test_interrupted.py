"""Ctrl-C, SIGTERM and SIGKILL at every stage: an end in order, nothing left, nothing lost."""

from __future__ import annotations

import os
import signal
import socket

import pytest
from faults import (
    Process,
    boxes,
    boxes_of,
    emulators,
    resting_box,
    rig,
    scratch,
)
from filelock import FileLock

from rig.journal import read
from rig.report.document import load
from rig.report.fold import fold

ON = ("--on", "x86_64/gcc/user", "--checks", "vectors")
STOPS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture
def start(client, place, core_folder, tmp_path):
    """Starts rig so that it can be ended at a stage, and waits for that stage."""
    for old in (place.cache / "runs").glob("*.jsonl"):
        old.unlink()

    held: list[object] = []

    def started(stage: str) -> Process:
        report = tmp_path / "report.json"
        rest = str(core_folder / "rest.c")
        words = ["check", "rolled", rest, *ON, "-j", "1", "--json", str(report)]
        environ = place.environ(RIG_TIMEOUT_SCALE="50")
        if stage == "connecting":
            silent = socket.socket(socket.AF_UNIX)
            silent.bind(str(tmp_path / "s"))
            silent.listen()
            environ["DOCKER_HOST"] = f"unix://{tmp_path}/s"
            process = Process(words, environ)
            held.append((silent, silent.accept()))  # else they end with this function
        elif stage == "building":
            environ["RIG_CACHE"] = str(tmp_path / "cache")
            process = Process(words, environ)
            process.wait_for("x86_64/gcc/user: gcc")
        elif stage == "checking":
            process = Process(words, environ)
            resting_box(client, process.popen.pid)
        elif stage == "timing":
            process = Process(["compare", *ON, "--json", str(report)], environ)
            process.wait_for("timing, alone")
        else:
            os.mkfifo(report)
            process = Process(["compare", "--no-time", *ON, "--json", str(report)], environ)
            process.wait_for_output("rig compare --no-time")
        return process

    yield started
    held.clear()


@pytest.mark.parametrize("number", STOPS, ids=lambda number: number.name)
@pytest.mark.parametrize("stage", ["connecting", "building", "checking", "timing", "reporting"])
def test_a_signal_ends_it_in_order(start, client, place, tmp_path, stage, number):
    process = start(stage)
    process.signal(number)
    ended = process.end()
    assert ended.code == 130, ended.err
    assert "interrupted" in ended.err
    assert boxes_of(client, process.popen.pid) == []
    assert emulators(place) == []
    assert scratch(place) == []
    report = tmp_path / "report.json"
    if stage in ("building", "checking", "timing"):
        saved = load(report)
        assert (saved.complete, saved.reason) == (False, "interrupted")
        assert "PARTIAL" in ended.out
        assert saved.judged == {"building": 0, "checking": 1, "timing": 2}[stage]
    elif stage == "reporting":
        (journal,) = (place.cache / "runs").glob("*.jsonl")
        assert fold(read(journal)[0]).complete


def test_a_signal_ends_the_wait_for_another_rig(client, place):
    """The lock of timing is held by somebody else, for as long as this test likes."""
    with FileLock(place.cache / "locks" / "alone.lock"):
        process = Process(["compare", *ON], place.environ())
        process.wait_for("timing, alone")
        process.signal(signal.SIGINT)
        ended = process.end()
    assert ended.code == 130, ended.err
    assert boxes_of(client, process.popen.pid) == []


def test_a_second_signal_does_not_disturb_the_cleanup(start, client):
    process = start("checking")
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
        process.signal(number)
    assert process.end().code == 130
    assert boxes_of(client, process.popen.pid) == []


def test_after_sigkill_clean_leaves_nothing(start, client, place):
    process = start("checking")
    process.signal(signal.SIGKILL)
    assert process.end().code == -signal.SIGKILL
    cleaned = rig(place, "clean")
    assert cleaned.code == 0, cleaned.err
    assert boxes(client) == []
    assert boxes_of(client, process.popen.pid) == []
    assert emulators(place) == []
    assert scratch(place) == []


def test_resume_takes_over_what_was_judged(start, client, place, tmp_path):
    """The killed run had judged one of two cells; the second time only the other is asked."""
    process = start("checking")
    process.signal(signal.SIGKILL)
    process.end()
    (journal,) = (place.cache / "runs").glob("*.jsonl")
    partial = fold(read(journal)[0])
    assert (partial.complete, partial.judged) == (False, 1)
    shown = rig(place, "report", str(journal))
    assert shown.code == 0
    assert "PARTIAL, 1 of 2 cells judged" in shown.out

    resumed = rig(place, *partial.command[1:], "--resume")
    report = load(tmp_path / "report.json")
    assert report.complete, resumed.err
    assert report.counts["cells of an earlier run"] == 1
    assert "1 cells of an earlier run" in resumed.out
    first = partial.cell("x86_64/gcc/user", "rolled")
    assert report.cell("x86_64/gcc/user", "rolled") == first
    assert list((place.cache / "runs").glob("*.jsonl")) == []


def test_other_questions_resume_nothing(start, client, place):
    process = start("checking")
    process.signal(signal.SIGKILL)
    process.end()
    done = rig(place, "check", "rolled", *ON, "--seed", "7", "--resume")
    assert done.code == 0, done.err
    assert "of an earlier run" not in done.out
