"""Each broken core gets exactly one verdict, on the right case; all other answers stand.

All of them run side by side in one campaign with a good core, which none may disturb.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from faults import DUE, core, judge

from rig.checks.vectors import published, self_test_cases
from rig.report.document import CellReport, Report, to_json
from rig.report.text import render_check
from rig.verdicts import Verdict

CASES = len(published()) + len(self_test_cases())


class Fault(NamedTuple):
    core: str
    verdict: Verdict
    says: str
    """What the finding must say of it."""


FAULTS = (
    Fault("segfault", Verdict.GUEST_CRASH, "SIGSEGV in the guest"),
    Fault("abort", Verdict.GUEST_CRASH, "SIGABRT in the guest"),
    Fault("illegal", Verdict.GUEST_CRASH, "SIGILL in the guest"),
    Fault("exit0", Verdict.GUEST_CRASH, "exited with status 0"),
    Fault("exit139", Verdict.GUEST_CRASH, "status 139"),
    Fault("kill_self", Verdict.GUEST_CRASH, "SIGKILL"),
    Fault("close_stdout", Verdict.GUEST_CRASH, "exited with status 1"),
    Fault("spin", Verdict.TIMEOUT, "no answer in"),
    Fault("sleep", Verdict.TIMEOUT, "no answer in"),
    Fault("stop", Verdict.TIMEOUT, "no answer in"),
    Fault("mute", Verdict.TIMEOUT, "no answer in"),
    Fault("fork_bomb", Verdict.TIMEOUT, "no answer in"),
    Fault("wrong_crc", Verdict.DESYNC, "CRC"),
    Fault("stray_text", Verdict.DESYNC, "core: three bytes"),
    Fault("escape_bytes", Verdict.DESYNC, "owned"),
    Fault("flood", Verdict.DESYNC, "flood"),
    Fault("driver_memory", Verdict.DESYNC, "CRC"),
    Fault("eat_memory", Verdict.LIMIT_EXCEEDED, "memory limit"),
    Fault("clobber", Verdict.MISMATCH, "err clobber"),
    Fault("wrong", Verdict.MISMATCH, ""),
    Fault("unstable", Verdict.UNSTABLE, ""),
)
HARMLESS = ("good", "flood_stderr")
DEATHS = tuple(fault for fault in FAULTS if fault.verdict is Verdict.GUEST_CRASH)


@pytest.fixture(scope="module")
def x86_64(docker_lab) -> Report:
    """The whole list on one setup."""
    names = [*HARMLESS, *(fault.core for fault in FAULTS)]
    return judge(docker_lab, [core(name) for name in names], ["x86_64/gcc"])


@pytest.fixture(scope="module")
def others(docker_lab) -> Report:
    """Deaths, which each emulator tells in its own way, on the other targets."""
    names = ["good", *(fault.core for fault in DEATHS)]
    return judge(docker_lab, [core(name) for name in names], ["i386/gcc", "arm32/gcc"])


def check(cell: CellReport | None, fault: Fault) -> None:
    assert cell is not None
    assert cell.finding is not None, cell.verdict
    found = cell.finding
    assert (found.verdict, found.case) == (fault.verdict, DUE), found
    assert cell.verdict is fault.verdict
    assert fault.says in f"{found.message} {found.got}"
    assert (found.failed, found.tried) == (1, CASES)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.core)
def test_one_verdict_on_the_right_case(x86_64, fault):
    check(x86_64.cell("x86_64/gcc/user", fault.core), fault)


@pytest.mark.parametrize("target", ["i386", "arm32"])
@pytest.mark.parametrize("fault", DEATHS, ids=lambda fault: fault.core)
def test_deaths_are_told_apart_on_every_target(others, fault, target):
    check(others.cell(f"{target}/gcc/user", fault.core), fault)


@pytest.mark.parametrize("name", HARMLESS)
def test_no_neighbour_disturbs_a_right_core(x86_64, name):
    cell = x86_64.cell("x86_64/gcc/user", name)
    assert (cell.verdict, cell.finding) == (Verdict.PASS, None)


@pytest.mark.parametrize("target", ["i386", "arm32"])
def test_a_right_core_passes_there_too(others, target):
    assert others.cell(f"{target}/gcc/user", "good").verdict is Verdict.PASS


def test_what_is_printed_obeys_no_core(x86_64):
    text = render_check(x86_64)
    assert text.isascii()
    assert all(char.isprintable() or char == "\n" for char in text)
    assert b"\\u001b" not in to_json(x86_64)
