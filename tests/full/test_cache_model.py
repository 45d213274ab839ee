"""The model of instruction caches beside cachegrind: the same program, the same misses.

Valgrind runs in an image of its own (valgrind/Dockerfile, on the toolchain image). The model is
fed with the whole trace, from the program's first instruction, so that it meets the core's
function in the state that cachegrind meets it in: a line that a function shares with its
neighbour is there already when the neighbour ran.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import docker
import pytest

from rig import wire
from rig.elf import Program, read_program
from rig.lab import GUEST_LIMITS, Lab
from rig.measures import lines
from rig.measures.calls import Call
from rig.model import Cell, Limits, Ready
from rig.runners.qemu_user import QemuUser
from rig.trace import Emulator, qemu_version, run_trace, text_ranges

BLOCKS = (1, 6)
SYMBOL = "blake2b_compress"
LIMITS = Limits(memory=1 << 30, cpus=1.0, pids=64, disk=64 << 20)
SCRIPT = """
for cache in "$@"; do
    valgrind -q --vgdb=no --tool=cachegrind --cache-sim=yes --I1=$cache \\
        --cachegrind-out-file=out ./guest <requests >replies || exit 1
    echo "rig-cache $cache"
    cat out
done
"""


def case(blocks: int) -> str:
    return f"compress h=lcg:1:64 in=lcg:2:{128 * blocks}"


@pytest.fixture(scope="module")
def valgrind(container, lab: Lab) -> Iterator[dict[str, Ready]]:
    """By target, the place of its toolchain with valgrind in it."""
    client = docker.from_env()
    places = {}
    for target in ("i386", "x86_64"):
        (setup,) = lab.catalog.setups([f"{target}/gcc/kernel"], None)
        ready = lab.ready(setup)
        image, _ = client.images.build(
            path=str(Path(__file__).parent / "valgrind"),
            buildargs={"BASE": ready.id},
            tag=f"rig-test-valgrind:{target}",  # without a name it could be swept away
            rm=True,
        )
        places[target] = replace(ready, id=image.id, tag=image.id)
    yield places
    for ready in places.values():
        client.images.remove(ready.id)


def cachegrind(
    lab: Lab, place: Ready, program: bytes, blocks: int
) -> dict[str, tuple[int, int]]:
    """(instructions, misses) of the core's function, by cache, as cachegrind counts them."""
    requests = wire.encode(1, case(blocks)) + wire.encode(2, "quit")
    options = [f"{c.size},{c.ways},{c.line}" for c in lines.CACHES]
    files = {"guest": program, "requests": requests}
    channel = lab.engine.open(place, ("sh", "-c", SCRIPT, "sh", *options), files, LIMITS)
    said = b""
    while chunk := channel.read(1 << 16, 300.0):
        said += chunk
    end = channel.close(1.0)
    assert end.code == 0, channel.stderr()[-500:]
    found: dict[str, tuple[int, int]] = {}
    cache = function = ""
    events: list[str] = []
    for line in said.decode().splitlines():
        word, _, rest = line.partition(" ")
        if word == "rig-cache":
            cache = next(c.name for c in lines.CACHES if f"{c.size},{c.ways},{c.line}" == rest)
            found[cache] = (0, 0)
        elif word == "events:":
            events = rest.split()
        elif line.startswith("fn="):
            function = line[3:]
        elif word.isdigit() and function == SYMBOL:
            counts = dict(zip(events, map(int, rest.split()), strict=False))
            one, other = found[cache]
            found[cache] = (one + counts["Ir"], other + counts["I1mr"])
    return found


def modelled(lab: Lab, cell: Cell, blocks: int) -> dict[str, tuple[int, int]]:
    """The same by the trace under QEMU and the model."""
    content = lab.built(cell).program
    program = read_program(content)
    ready = lab.ready(cell.setup)
    runner = QemuUser(cell.setup.target)
    emulator = Emulator(runner.argv("guest")[:-1], qemu_version(lab.facts(cell.setup).qemu))
    steps = run_trace(
        lambda argv, files: lab.engine.open(ready, argv, files, GUEST_LIMITS),
        emulator,
        content,
        [case(blocks)],
        text_ranges(program),
    )
    stream = lines.fetches(Call(0, tuple(steps)), program)
    return {cache.name: inside(stream, program, cache) for cache in lines.CACHES}


def inside(stream: list[lines.Fetch], program: Program, cache: lines.Cache) -> tuple[int, int]:
    entry = program.entry(SYMBOL)
    assert entry is not None
    model, count, misses = lines.Lru(cache), 0, 0
    for fetch in stream:
        missed = model.run([fetch])
        if entry.start <= fetch[0] < entry.end:
            count += 1
            misses += missed
    return count, misses


@pytest.mark.parametrize("core", ["unrolled", "rolled", "compact", "quick"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("target", ["i386", "x86_64"])
def test_the_model_misses_what_cachegrind_misses(lab, valgrind, target, compiler, core):
    (setup,) = lab.catalog.setups([f"{target}/{compiler}/kernel"], None)
    cell = Cell(setup, lab.catalog.core(core))
    program = lab.built(cell).program
    for blocks in BLOCKS:
        found = cachegrind(lab, valgrind[target], program, blocks)
        assert len(found) == len(lines.CACHES)
        ours = modelled(lab, cell, blocks)
        assert {name: missed for name, (_, missed) in ours.items()} == {
            name: missed for name, (_, missed) in found.items()
        }
        for name, (count, _) in found.items():
            # cachegrind counts every turn of a repeated string instruction, rig one
            assert 1000 < ours[name][0] <= count <= 1.02 * ours[name][0]


def test_the_test_would_see_a_wrong_model(lab, valgrind):
    """With one way less, or lines half as long, the model no longer fits cachegrind."""
    (setup,) = lab.catalog.setups(["i386/gcc/kernel"], None)
    cell = Cell(setup, lab.catalog.core("unrolled"))
    found = cachegrind(lab, valgrind["i386"], lab.built(cell).program, 6)["32K/4w/64"]
    real = lines.CACHES
    wrong = (
        lines.Cache("32K/4w/64", 16 << 10, 2, 64, ""),
        lines.Cache("32K/4w/64", 32 << 10, 4, 32, ""),
    )
    try:
        for cache in wrong:
            lines.CACHES = (cache,)
            assert modelled(lab, cell, 6)["32K/4w/64"] != found
    finally:
        lines.CACHES = real
