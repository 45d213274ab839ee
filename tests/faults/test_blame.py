"""Who is blamed: never the core for what fails for a known-good one too, or by emulation.

Failures that no healthy toolchain shows are made by wrappers around this machine's own.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager
from dataclasses import replace

import pytest
from faults import core, host_reason, judge

from rig import catalog, lab
from rig.model import Cell, Limits
from rig.runners.qemu_user import QemuUser
from rig.store import Store
from rig.verdicts import Verdict

TARGETS = ("i386", "arm32", "x86_64")
GCC = "x86_64-linux-gnu-gcc"
QEMU = "qemu-x86_64"


@contextmanager
def host_with(tool: str, script: str, tmp_path, monkeypatch):
    """A lab on this machine in which ``tool`` is a script; {real} in it is the tool itself."""
    if host_reason():
        pytest.skip(host_reason())
    real = shutil.which(tool)
    fake = tmp_path / "bin" / tool
    fake.parent.mkdir()
    fake.write_text(script.format(real=real, python=sys.executable))
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    known = catalog.load()
    engine = lab.open_engine("host", known, tmp_path)
    with lab.Lab(known, engine, Store(tmp_path), lambda _event: None, jobs=1) as opened:
        yield opened


FAKE_MISCOMPILER = """\
#!/bin/sh
# Compiles, then spoils one constant of RFC 7693 in the core's object.
{real} "$@" || exit
[ -f core.o ] && [ ! -f guest.elf ] || exit 0
{python} -c '
data = open("core.o", "rb").read()
word = (0x3c6ef372fe94f82b).to_bytes(8, "little")
open("core.o", "wb").write(data.replace(word, word[::-1]))
'
"""

FAKE_BROKEN_COMPILER = """\
#!/bin/sh
for word in "$@"; do
	[ "$word" = core.o ] && echo "internal compiler error: Segmentation fault" >&2 && exit 4
done
exec {real} "$@"
"""

FAKE_MISTRANSLATOR = """\
#!/bin/sh
# A QEMU that is wrong as soon as it translates one instruction a block.
case "$*" in
*-singlestep*|*-one-insn-per-tb*) exec {real} -E MISTRANSLATE=1 "$@" ;;
esac
exec {real} "$@"
"""

FAKE_CRASHING_QEMU = """\
#!/bin/sh
case "$*" in
*--version*) exec {real} "$@" ;;
esac
echo "QEMU internal SIGSEGV {{code=MAPERR, addr=0x20}}" >&2
kill -11 $$
"""


@pytest.mark.parametrize(
    ("tool", "script", "verdict", "says"),
    [
        (GCC, FAKE_MISCOMPILER, Verdict.TOOLCHAIN_FAULT, "fails"),
        (GCC, FAKE_BROKEN_COMPILER, Verdict.TOOLCHAIN_FAULT, "internal compiler error"),
        (QEMU, FAKE_CRASHING_QEMU, Verdict.EMULATOR_FAULT, "itself died by SIGSEGV"),
    ],
    ids=["miscompiles", "breaks", "crashes"],
)
def test_where_the_control_core_fails_the_core_is_free(
    tmp_path, monkeypatch, tool, script, verdict, says
):
    with host_with(tool, script, tmp_path, monkeypatch) as host:
        cell = judge(host, [core("wrong")], ["x86_64/gcc"]).cells[0]
        version = host.facts(host.catalog.setups(["x86_64/gcc"], "user")[0]).version
    assert (cell.verdict, cell.finding.check) == (verdict, "control")
    assert says in cell.finding.message
    assert f"gcc {version}, qemu " in cell.finding.message


def test_an_emulator_that_differs_by_block_size_is_at_fault(tmp_path, monkeypatch):
    with host_with(QEMU, FAKE_MISTRANSLATOR, tmp_path, monkeypatch) as host:
        report = judge(host, [core("mistranslated"), core("good")], ["x86_64/gcc"])
    cell = report.cell("x86_64/gcc/user", "mistranslated")
    assert (cell.verdict, cell.finding.check) == (Verdict.EMULATOR_FAULT, "stepwise")
    assert cell.finding.case == "hash"
    assert cell.finding.expected != cell.finding.got
    assert report.cell("x86_64/gcc/user", "good").verdict is Verdict.PASS


# ------------------------------------------------ how the real emulator fails, by target


@pytest.fixture(scope="module")
def programs(docker_lab):
    setups = docker_lab.catalog.setups([f"{target}/gcc" for target in TARGETS], "user")
    cells = {setup.target.name: (setup, lab.Cell(setup, core("good"))) for setup in setups}
    return {name: (setup, docker_lab.built(cell)) for name, (setup, cell) in cells.items()}


def ended(docker_lab, setup, runner, files, before=""):
    """What a runner makes of a program that is started in a box."""
    argv = ["sh", "-c", f'{before}exec "$@"', "sh", *runner.argv("guest")]
    channel = docker_lab.engine.open(docker_lab.ready(setup), argv, files, Limits())
    channel.end_input()
    said = b""
    while data := channel.read(65536, 60):
        said += data
    end = channel.close(grace=30)
    return runner.explain(end, channel.stderr() + said, started=False)


def other(target: str) -> str:
    return TARGETS[(TARGETS.index(target) + 1) % len(TARGETS)]


FAILURES = {
    "cpu": "does not know the CPU model 'nonesuch'",
    "space": "could not reserve the guest's address space",
    "missing": "the program is not there",
    "foreign": "the program is not one for qemu-",
    "text": "no ELF file",
}


@pytest.mark.parametrize(
    ("failure", "target"),
    [
        (failure, target)
        for failure in FAILURES
        for target in TARGETS
        if (failure, target) != ("space", "x86_64")  # it reserves nothing
    ],
)
def test_the_emulators_own_failures_are_told_apart(docker_lab, programs, target, failure):
    setup, built = programs[target]
    files = {"guest": built.program}
    runner = QemuUser(setup.target)
    before = ""
    if failure == "cpu":
        runner = QemuUser(replace(setup.target, qemu_cpu="nonesuch"))
    elif failure == "space":
        before = "ulimit -v 200000; "
    elif failure == "missing":
        files = {"other": b""}
    elif failure == "foreign":
        files = {"guest": programs[other(target)][1].program}
    else:
        files = {"guest": b"no program\n"}
    found = ended(docker_lab, setup, runner, files, before)
    assert found.verdict is Verdict.ENVIRONMENT
    assert FAILURES[failure] in found.text


@pytest.mark.parametrize(
    ("target", "cpu"), [("i386", "486"), ("arm32", "arm926")], ids=["i386", "arm32"]
)
def test_an_instruction_that_the_cpu_model_lacks_names_it(docker_lab, programs, target, cpu):
    setup, built = programs[target]
    runner = QemuUser(replace(setup.target, qemu_cpu=cpu))
    found = ended(docker_lab, setup, runner, {"guest": built.program})
    assert found.verdict is Verdict.GUEST_CRASH
    assert f"an instruction that -cpu {cpu} does not have" in found.text
    assert "-march" in found.text


def test_what_is_asked_stepwise_costs_no_box_of_its_own(docker_lab, monkeypatch):
    """Two programs of one core run after each other in one box."""
    opened = []
    open_box = docker_lab.engine.open

    def counted(ready, argv, files, limits):
        opened.append(argv)
        return open_box(ready, argv, files, limits)

    docker_lab.result(Cell(docker_lab.catalog.setups(["x86_64/gcc"], "user")[0], core("good")))
    monkeypatch.setattr(docker_lab.engine, "open", counted)
    report = judge(docker_lab, [core("good")], ["x86_64/gcc"])
    cell = report.cell("x86_64/gcc/user", "good")
    assert cell.verdict is Verdict.PASS
    assert any(check.check == "stepwise" for check in cell.checks)
    assert len(opened) == 1
