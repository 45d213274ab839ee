"""`rig compare` beside a shell script that compiles and runs the same cases bare.

Run by hand: .venv/bin/python benchmarks/compare.py [--rounds N]

The script runs the same commands in the same images by `xargs -P`: compile, link, and two
emulators a cell that read cases from a file: one all cases, one the few that rig asks once more
with an instruction a block. Their output is compared with files of right answers. It has no
conversation, no deadlines, no store and no report. Both start with images ready and no core
compiled; neither takes time or traces. rig's own bytecode is there, as it is wherever rig was
installed by pip or ran before. Prints ratios of one run.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import rig
from rig import catalog, stepping, wire
from rig.build import LIMITS
from rig.cases import Case
from rig.checks import all_checks
from rig.commands import PROGRAM, core_command, driver_script, program_script, who_source
from rig.judging import subject_of
from rig.lab import Lab, open_engine
from rig.model import Cell, ImageSpec
from rig.runners.qemu_user import QemuUser
from rig.store import Store
from rig.toolchains import image_spec
from rig.trace import qemu_version, step_option

CPUS = len(os.sched_getaffinity(0))


@dataclass
class Recorder:
    """A subject that keeps what was asked."""

    subject: object
    asked: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> object:
        return getattr(self.subject, name)

    def ask(self, cases: Iterable[Case]) -> Iterator[object]:
        kept = list(cases)
        self.asked += [case.line for case in kept]
        return self.subject.ask(kept)  # type: ignore[attr-defined, no-any-return]


def recorded(lab: Lab, cell: Cell) -> list[str]:
    """Every case that the checks ask of a right core."""
    with lab.guest(cell) as guest:
        recorder = Recorder(subject_of(cell, lab, guest, 1, False))
        for check in all_checks():
            list(check.run(recorder))  # type: ignore[arg-type]
    return recorder.asked


def conversation(lab: Lab, lines: list[str]) -> tuple[bytes, bytes]:
    """All requests in one file, and the replies that a right core gives."""
    requests = b"".join(wire.encode(n, line) for n, line in enumerate(lines, 1))
    answers = (f"ok {lab.oracle.answer(Case(line))}" for line in lines)
    replies = b"".join(wire.encode(n, text) for n, text in enumerate(answers, 1))
    return requests, replies


Talk = tuple[bytes, bytes]
"""Requests and replies."""


def script_files(lab: Lab, cells: list[Cell], talk: Talk, stepwise: Talk) -> dict[str, bytes]:
    """A folder for a box: one script a cell, and what they share."""
    files = {f"shared/{p}": data for p, data in lab.catalog.guest_files.items()}
    files["requests"], files["replies"] = talk
    files["requests-step"], files["replies-step"] = stepwise
    names = []
    for number, cell in enumerate(cells):
        adapter, facts = lab.catalog.adapter(cell.core.adapter), lab.facts(cell.setup)
        folder = f"jobs/{number}"
        files |= {f"{folder}/{p}": data for p, data in cell.core.files.items()}
        files[f"{folder}/who.c"] = who_source(cell.core.name, "0" * 16)
        run = shlex.join(QemuUser(cell.setup.target).argv(PROGRAM))
        option = step_option(qemu_version(facts.qemu))
        step = shlex.join(QemuUser(cell.setup.target, (option,)).argv(PROGRAM))
        files[f"{folder}/all.sh"] = (
            f"cd {folder}\n{shlex.join(core_command(cell, adapter, facts))}\n"
            "mv core.o given.o\n"
            "cp ../../driver.a .\n"
            f"{program_script(cell, adapter, facts)}"
            f"{run} <../../requests | tail -n +2 | cmp - ../../replies\n"
            f"{step} <../../requests-step | tail -n +2 | cmp - ../../replies-step\n"
        ).encode()
        names.append(f"{folder}/all.sh")
    files["list"] = "".join(f"{name}\n" for name in names).encode()
    driver = driver_script(cells[0], lab.catalog.guest_files)
    files["jobs/driver/build.sh"] = driver.encode()
    files["main.sh"] = (
        b"set -e\n(cd jobs/driver && sh -e build.sh && mv driver.a ../..) >/dev/null 2>&1\n"
        b'xargs -n 1 -P "$1" sh -e <list 2>log && echo same || { cat log; echo differ; }\n'
    )
    return files


def run_script(
    lab: Lab, groups: dict[ImageSpec, list[Cell]], talk: Talk, stepwise: Talk
) -> float:
    """Seconds of the script in all images, side by side as rig does it."""
    files = {spec: script_files(lab, cells, talk, stepwise) for spec, cells in groups.items()}
    ready = {spec: lab.ready(cells[0].setup) for spec, cells in groups.items()}

    def one(spec: ImageSpec) -> bytes:
        argv = ["sh", "main.sh", str(max(1, CPUS // len(groups)))]
        channel = lab.engine.open(ready[spec], argv, files[spec], LIMITS)
        said = b""
        while data := channel.read(65536, 600):
            said += data
        channel.close()
        return said

    begun = time.perf_counter()
    with ThreadPoolExecutor(len(groups)) as pool:
        said = list(pool.map(one, groups))
    elapsed = time.perf_counter() - begun
    if any(not text.endswith(b"same\n") for text in said):
        sys.exit(f"the script failed: {said!r}")
    return elapsed


def run_rig(cache: str) -> float:
    begun = time.perf_counter()
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from rig.cli import main; main()",
            "compare",
            "--no-time",
            "--no-work",
        ],
        env={**os.environ, "RIG_CACHE": cache},
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"rig compare failed:\n{done.stderr.decode()}{done.stdout.decode()}")
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", Path(rig.__file__).parent], check=True
    )
    known = catalog.load()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        engine = open_engine("docker", known, Path(folder))
        with Lab(known, engine, store, lambda _event: None) as lab:
            setups = known.setups()
            cells = [Cell(s, known.core(c)) for s in setups for c in ("unrolled", "rolled")]
            groups: dict[ImageSpec, list[Cell]] = defaultdict(list)
            for cell in cells:
                groups[image_spec(cell.setup.target, cell.setup.toolchain)].append(cell)
            lines = recorded(lab, cells[0])
            talk, stepwise = conversation(lab, lines), conversation(lab, list(stepping.CASES))
            print(f"{len(cells)} cells, {len(lines)} cases each, {CPUS} CPUs")
            ratios = []
            for number in range(rounds):
                script = run_script(lab, groups, talk, stepwise)
                with tempfile.TemporaryDirectory() as cache:
                    first = run_rig(cache)
                    second = run_rig(cache)
                ratios.append(first / script)
                print(
                    f"round {number + 1}: script {script:.1f} s, rig {first:.1f} s "
                    f"(ratio {first / script:.2f}), rig again {second:.1f} s"
                )
            print(f"rig / script, median: {statistics.median(ratios):.2f} (aim: at most 1.3)")


if __name__ == "__main__":
    main()
