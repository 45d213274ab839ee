"""Where a guest died: its last words, and what stands in a program's line tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig.catalog import load
from rig.crash import Located, place
from rig.elf import read_program
from rig.model import Exit
from rig.runners.qemu_user import QemuUser
from rig.verdicts import Verdict

COMPILED = Path(__file__).parent / "compiled"
PROGRAM = (COMPILED / "i386.elf").read_bytes()
DIED = b"qemu: uncaught target signal 11 (Segmentation fault) - core dumped\n"
SEGV = Exit(None, 11)


@pytest.fixture
def runner() -> Located:
    return Located(QemuUser(load().targets["i386"]), PROGRAM)


def trap(pc: int) -> bytes:
    return b"rig-trap signal=11 pc=%08x\n" % pc


def test_the_function_is_named(runner: Located) -> None:
    function = read_program(PROGRAM).functions[0]
    found = runner.explain(SEGV, trap(function.start + 1) + DIED)
    assert found.verdict is Verdict.GUEST_CRASH
    assert found.text.startswith("SIGSEGV in the guest; at ")
    assert found.text.endswith(f"{function.name}+0x1")


def test_an_address_outside_of_the_code_is_shown_bare() -> None:
    assert place(PROGRAM, b"10") == "at 0x10"


def test_without_last_words_or_with_strange_ones_nothing_is_added(runner: Located) -> None:
    for said in (b"", b"rig-trap signal=11 pc=zz\n", b"rig-trap signal=11 pc=" + b"1" * 17):
        assert runner.explain(SEGV, said + DIED).text == "SIGSEGV in the guest"


def test_what_is_not_the_guests_death_is_left_alone(runner: Located) -> None:
    lost = Exit(None, lost="the container is gone")
    assert runner.explain(lost, trap(16)) == runner.runner.explain(lost, trap(16))


def test_a_damaged_program_costs_no_verdict() -> None:
    broken = Located(QemuUser(load().targets["i386"]), PROGRAM[:100])
    found = broken.explain(SEGV, trap(0x1234) + DIED)
    assert found.verdict is Verdict.GUEST_CRASH
    assert found.text == "SIGSEGV in the guest; at 0x1234"


def test_last_words_tell_a_signal_where_qemu_does_not(runner: Located) -> None:
    found = runner.explain(Exit(139), trap(16))
    assert found.verdict is Verdict.GUEST_CRASH
    assert found.text.startswith("SIGSEGV in the guest")
