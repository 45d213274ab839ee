"""compile(core, setup) gives an object, link(object) gives a program; many at once, in one box.

Keys are known before anything runs: a box sees only the files sent into it and its image, so
the digest of both says all that a compiler can have read. On the host engine the system's own
headers come on top; the compiler's depfile names them, and they are verified on reuse.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from rig.catalog import Catalog
from rig.commands import PROGRAM, core_command, driver_script, program_script, who_source
from rig.compilers import first_error, hint_for
from rig.engines.box import Workshop
from rig.errors import EnvironmentFault, RigError
from rig.model import Cell, Done, Files, Job, Limits, Ready, ToolchainFacts
from rig.sources import explain_missing
from rig.store import Store, key_of

LIMITS = Limits(memory=2 << 30, cpus=64, pids=256, disk=512 << 20)
"""A build box: compilers of big unrolled cores take hundreds of megabytes."""

_BOX_LIMIT = re.compile(r"No space left on device|rig: this box ran out of memory")

_LOG = "log.txt"
_HEADERS = "headers.json"


@dataclass(frozen=True, slots=True)
class Built:
    """A cell's object and program, and what the tools said.

    stack_usage: the compiler's -fstack-usage file, None where it wrote none (LTO).
    command: of the compiler. log: what compiler and linker printed, in that order.
    """

    object_key: str
    program_key: str
    object: bytes
    program: bytes
    stack_usage: bytes | None
    command: tuple[str, ...]
    log: str
    reused: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """The compiler or linker refused a core.

    stage: ``compile``, ``link``, or ``driver`` when that found no room in the box.
    """

    stage: str
    message: str
    command: tuple[str, ...]
    image: str
    output: str
    hint: str

    @property
    def is_of_the_box(self) -> bool:
        """A limit of the box ended it, which another core's compiler may have reached."""
        return bool(_BOX_LIMIT.search(self.output))


@dataclass
class Counts:
    """What a campaign had to do; the proof that a second run does nothing again.

    resumed: cells whose judgement was taken over from an interrupted campaign.
    """

    compiled: int = 0
    linked: int = 0
    objects_reused: int = 0
    programs_reused: int = 0
    resumed: int = 0


@dataclass(frozen=True)
class _Plan:
    """One cell's way from core to program, with the keys of what it makes."""

    cell: Cell
    command: tuple[str, ...]
    object_key: str
    driver_key: str
    program_key: str
    program: str  # script
    driver: str  # script

    @property
    def link_line(self) -> str:
        """The last command of the program's script."""
        return self.program.splitlines()[-1]

    def is_made(self, have: _Have) -> bool:
        """Whether object and program are there."""
        return self.object_key in have.objects and self.program_key in have.programs


@dataclass
class _Have:
    """What there is by now, by key: from the store or just made."""

    objects: dict[str, Files] = field(default_factory=dict)
    drivers: dict[str, Files] = field(default_factory=dict)
    programs: dict[str, Files] = field(default_factory=dict)


def plan(catalog: Catalog, ready: Ready, cell: Cell, facts: ToolchainFacts) -> _Plan:
    guest = catalog.guest_files
    adapter = catalog.adapter(cell.core.adapter)
    command = core_command(cell, adapter, facts)
    compiler = (facts.compiler, facts.version)
    headers = {p: d for p, d in guest.items() if p.endswith(".h")}
    object_key = key_of("object", ready.id, compiler, command, cell.core.files, headers)
    driver = driver_script(cell, guest)
    top = {p: d for p, d in guest.items() if "/" not in p}
    driver_key = key_of("driver", ready.id, driver, top)
    program = program_script(cell, adapter, facts)
    program_key = key_of(
        "program", object_key, driver_key, cell.core.name, program, guest, facts.compiler
    )
    return _Plan(cell, command, object_key, driver_key, program_key, program, driver)


def build(
    shop: Workshop,
    store: Store,
    catalog: Catalog,
    ready: Ready,
    facts: Mapping[str, ToolchainFacts],
    cells: Sequence[Cell],
    workers: int,
    counts: Counts,
) -> Iterator[tuple[Cell, Built | Refused]]:
    """Builds cells that share one image, in one box; what the store has is not made again.

    facts: setup id -> its toolchain. Raises EnvironmentFault when the driver, which is ours,
    does not compile, and EngineFault when the box is lost.
    """
    plans = [plan(catalog, ready, cell, facts[cell.setup.id]) for cell in cells]
    keys = {k for p in plans for k in (p.object_key, p.driver_key, p.program_key)}
    have = _Have()
    with ExitStack() as stack:
        _take_kept(store, plans, have, shop.isolated)
        if not all(p.is_made(have) for p in plans):
            stack.enter_context(store.locked(keys))
            _take_kept(store, plans, have, shop.isolated)  # somebody may have made it by now
        reused = set(have.objects) | set(have.programs)
        counts.objects_reused += len(have.objects)
        counts.programs_reused += len(have.programs)
        done = _run(shop, catalog, ready, plans, have, workers)
        refused = {} if done is None else _keep(store, plans, have, done, counts, shop.isolated)
    for p in plans:
        if p.program_key in refused:
            stage, job = refused[p.program_key]
            yield p.cell, _refusal(stage, p, job, ready)
        else:
            yield p.cell, _result(p, have, p.program_key in reused and p.object_key in reused)


def is_kept(
    store: Store, catalog: Catalog, ready: Ready, cell: Cell, facts: ToolchainFacts
) -> bool:
    """Whether the store has a cell's object and program, as far as names tell."""
    p = plan(catalog, ready, cell, facts)
    return all(store.path(key).is_dir() for key in (p.object_key, p.program_key))


def _take_kept(store: Store, plans: Sequence[_Plan], have: _Have, isolated: bool) -> None:
    """Takes what the store has of what is not there yet."""
    for p in plans:
        for key, found in (
            (p.object_key, have.objects),
            (p.driver_key, have.drivers),
            (p.program_key, have.programs),
        ):
            entry = None if key in found else store.get(key)
            if entry is not None and (isolated or _headers_unchanged(entry)):
                found[key] = entry


def _job(kind: str, key: str) -> str:
    return f"{kind}-{key[:32]}"


def _run(
    shop: Workshop,
    catalog: Catalog,
    ready: Ready,
    plans: Sequence[_Plan],
    have: _Have,
    workers: int,
) -> dict[str, Done] | None:
    """Runs what is missing; job name -> what became of it. None when nothing is missing."""
    first: dict[str, Job] = {}
    second: dict[str, Job] = {}
    for p in plans:
        if p.is_made(have):
            continue
        given: dict[str, bytes] = {}
        script = ""
        if p.object_key in have.objects:
            given["given.o"] = have.objects[p.object_key]["core.o"]
        else:
            name = _job("core", p.object_key)
            outputs = ("core.o", "core.su", "core.d")
            first[name] = Job(name, p.command, p.cell.core.files, outputs)
            script += f"cp ../{name}/core.o given.o || exit 77\n"
        if p.driver_key in have.drivers:
            given["driver.a"] = have.drivers[p.driver_key]["driver.a"]
        else:
            name = _job("driver", p.driver_key)
            argv, files = ("sh", "-e", "build.sh"), {"build.sh": p.driver.encode()}
            first[name] = Job(name, argv, files, ("driver.a",))
            script += f"cp ../{name}/driver.a . || exit 77\n"
        if p.program_key not in have.programs:
            name = _job("program", p.program_key)
            given["build.sh"] = (script + p.program).encode()
            given["who.c"] = who_source(p.cell.core.name, p.program_key[:16])
            files = {**p.cell.core.files, **given}
            second[name] = Job(name, ("sh", "-e", "build.sh"), files, (PROGRAM,))
    if not first and not second:
        return None
    # the longest first, so that no big core is left for the end while other CPUs idle
    stage = sorted(first.values(), key=lambda job: -sum(map(len, job.files.values())))
    shared = catalog.guest_files
    jobs = shop.run(ready, [stage, list(second.values())], shared, workers)
    return {done.name: done for done in jobs}


def _keep(
    store: Store,
    plans: Sequence[_Plan],
    have: _Have,
    done: Mapping[str, Done],
    counts: Counts,
    isolated: bool,
) -> dict[str, tuple[str, Done]]:
    """Stores what was made; returns the refused: program key -> (stage, job)."""
    refused: dict[str, tuple[str, Done]] = {}
    for p in plans:
        driver = done.get(_job("driver", p.driver_key))
        if driver and p.driver_key not in have.drivers:
            if driver.code == 0:
                have.drivers[p.driver_key] = _put(store, p.driver_key, driver.outputs)
            elif _BOX_LIMIT.search(_text(driver.stderr)):  # by some core's doing
                refused[p.program_key] = ("driver", driver)
            else:
                raise _driver_fault(p, driver)
        core = done.get(_job("core", p.object_key))
        if core and p.object_key not in have.objects:
            if core.code != 0 or "core.o" not in core.outputs:
                refused[p.program_key] = ("compile", core)
                continue
            counts.compiled += 1
            headers = {} if isolated else {_HEADERS: _header_digests(core.outputs["core.d"])}
            entry = {**core.outputs, _LOG: core.stderr, **headers}
            have.objects[p.object_key] = _put(store, p.object_key, entry)
        if p.program_key in refused:
            continue
        program = done.get(_job("program", p.program_key))
        if program and p.program_key not in have.programs:
            if program.code != 0 or PROGRAM not in program.outputs:
                refused[p.program_key] = ("link", program)
                continue
            counts.linked += 1
            entry = {**program.outputs, _LOG: program.stderr}
            have.programs[p.program_key] = _put(store, p.program_key, entry)
    return refused


def _put(store: Store, key: str, files: Files) -> Files:
    store.put(key, files)
    return files


def _driver_fault(p: _Plan, job: Done) -> RigError:
    setup = p.cell.setup.id
    return EnvironmentFault(
        f"{setup}: the driver, which is rig's own, does not compile: "
        + first_error(_text(job.stderr)),
        "the image or this machine's toolchain is incomplete; `rig images` builds it again",
        _text(job.stderr),
    )


def _refusal(stage: str, p: _Plan, job: Done, ready: Ready) -> Refused:
    output = _text(job.stderr) or _text(job.stdout)
    message = first_error(output)
    hint = hint_for(output) or explain_missing(output)
    if job.code in (124, 137) and not hint:
        message = f"the {stage} step did not end before its deadline"
    command = p.command if stage == "compile" else tuple(shlex.split(p.link_line))
    return Refused(stage, message, command, ready.tag, output, hint)


def _result(p: _Plan, have: _Have, reused: bool) -> Built:
    entry, program = have.objects[p.object_key], have.programs[p.program_key]
    return Built(
        object_key=p.object_key,
        program_key=p.program_key,
        object=entry["core.o"],
        program=program[PROGRAM],
        stack_usage=entry.get("core.su"),
        command=p.command,
        log=_text(entry.get(_LOG, b"") + program.get(_LOG, b"")),
        reused=reused,
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _header_digests(depfile: bytes) -> bytes:
    """The host's own headers that a unit read, each with its digest."""
    words = _text(depfile).replace("\\\n", " ").split()
    paths = [Path(word) for word in words if word.startswith("/")]
    return json.dumps({str(path): _digest(path) for path in paths}).encode()


def _headers_unchanged(entry: Files) -> bool:
    recorded = json.loads(entry.get(_HEADERS, b"{}"))
    return all(_digest(Path(path)) == digest for path, digest in recorded.items())


def _digest(path: Path) -> str:
    with suppress(OSError):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return "absent"
