"""Something else ends what rig uses: the emulator, the box, the engine. No core is blamed."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from faults import (
    DUE,
    Process,
    boxes,
    boxes_of,
    core,
    eventually,
    host_reason,
    judge,
    resting_box,
    resting_emulator,
    rig,
)
from forwarder import Forwarder, local_socket

from rig import catalog, lab
from rig.report.document import load
from rig.store import Store
from rig.verdicts import Verdict

SETUP = "x86_64/gcc/user"


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Deadlines far away: what ends the guest is then surely not rig."""
    monkeypatch.setenv("RIG_TIMEOUT_SCALE", "50")


def judge_and(used, act):
    """Judges a core that rests at one case and a good one.

    ``act`` is called whenever the core rests, until it is asked that case alone: then it
    answers, so that the core is free of blame.
    """
    over = threading.Event()

    def acting() -> int:
        times = 0
        while not over.is_set():
            times += act(over.is_set)
        return times

    with ThreadPoolExecutor(1) as pool:
        acted = pool.submit(acting)
        try:
            report = judge(used, [core("rest"), core("good")], ["x86_64/gcc"])
        finally:
            over.set()
        assert acted.result() > 0
    return report


def on_box(client, act):
    """An act on the box in which a core rests."""

    def act_once(over) -> bool:
        box = resting_box(client, os.getpid(), over)
        if box:
            act(box)
            eventually(lambda: box not in boxes_of(client, os.getpid()), "the end of a box")
        return bool(box)

    return act_once


def is_not_blamed(report, says: str) -> None:
    cell = report.cell(SETUP, "rest")
    assert (cell.verdict, cell.finding.case) == (Verdict.ENVIRONMENT, DUE), cell.finding
    assert says in cell.finding.got
    assert cell.finding.failed == 1
    assert report.cell(SETUP, "good").verdict is Verdict.PASS


def test_the_emulator_is_killed(docker_lab, client):
    def kill_all_in_it(box: str) -> None:
        client.exec_start(client.exec_create(box, ["sh", "-c", "kill -9 -1"]))

    report = judge_and(docker_lab, on_box(client, kill_all_in_it))
    is_not_blamed(report, "something outside of rig ended it (SIGKILL)")


def test_the_emulator_is_killed_where_there_is_no_box(place):
    if host_reason():
        pytest.skip(host_reason())

    def kill(over) -> bool:
        number = resting_emulator(place, over)
        if number:
            os.kill(number, signal.SIGKILL)
            eventually(lambda: not Path(f"/proc/{number}").exists(), "the end of an emulator")
        return bool(number)

    known = catalog.load()
    engine = lab.open_engine("host", known, place.cache)
    with lab.Lab(known, engine, Store(place.cache), lambda _event: None, jobs=2) as host:
        report = judge_and(host, kill)
    is_not_blamed(report, "something outside of rig ended it (SIGKILL)")


def test_the_box_is_killed(docker_lab, client):
    report = judge_and(docker_lab, on_box(client, client.kill))
    is_not_blamed(report, "something outside of rig ended it (SIGKILL)")


def test_the_box_is_removed(docker_lab, client):
    def remove(box: str) -> None:
        client.remove_container(box, force=True)

    is_not_blamed(judge_and(docker_lab, on_box(client, remove)), "")


def test_the_engine_goes_away(docker_lab, client, place, core_folder, tmp_path):
    """The daemon is cut off, not ended: others use it. What it held is cleaned afterwards."""
    engine = Forwarder(local_socket())
    path = tmp_path / "report.json"
    cores = [str(core_folder / f"{name}.c") for name in ("good", "rest")]
    words = ("--on", "x86_64/gcc/user", "--checks", "vectors", "-j", "1", "--json", str(path))
    process = Process(["check", *cores, *words], place.environ(DOCKER_HOST=engine.address))
    resting_box(client, process.popen.pid)
    engine.cut()
    ended = process.end()
    assert ended.code == 3, ended.err
    report = load(path)
    found = report.cell(SETUP, "rest").finding
    assert found.verdict is Verdict.ENVIRONMENT
    assert "no container engine listens" in f"{found.message} {found.got}"
    assert report.cell(SETUP, "good").verdict is Verdict.PASS
    cleaned = rig(place, "clean")
    assert cleaned.code == 0, cleaned.err
    assert boxes(client) == []
