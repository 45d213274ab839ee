"""Programs that hold both cores of a pair, in several orders of their parts (guest/duel.c)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rig.build import LIMITS, Built, plan
from rig.catalog import Catalog
from rig.commands import DUELS, SIDE, duel_script, pad_source, script, side_script
from rig.compilers import first_error
from rig.engines import Engine, box
from rig.errors import EnvironmentFault, RigError
from rig.model import Cell, Done, Files, Job, Pair, Ready, ToolchainFacts
from rig.store import Store, key_of

_DRIVER = "driver.a"


def duels(
    engine: Engine,
    store: Store,
    catalog: Catalog,
    ready: Ready,
    facts: ToolchainFacts,
    pair: Pair,
    built: tuple[Built, Built],
) -> tuple[bytes, ...]:
    """The programs of a pair, one for each order of their parts; kept in the store.

    built: before and after. Raises RigError when they cannot be linked, for one.
    """
    before, after = (Cell(pair.setup, core) for core in (pair.before, pair.after))
    adapters = [catalog.adapter(cell.core.adapter) for cell in (before, after)]
    sides = [
        side_script(cell, adapter, facts)
        for cell, adapter in zip((before, after), adapters, strict=True)
    ]
    link = duel_script(before, adapters[0], facts)
    keys = [one.program_key for one in built]
    key = key_of("duel", ready.id, keys, sides, link, facts.compiler, catalog.guest_files)
    with store.locked([key]):
        kept = store.get(key)
        if kept is None:
            kept = _make(engine, store, catalog, ready, facts, (before, after), built, sides)
            store.put(key, kept)
    return tuple(kept[name] for name in DUELS)


def _make(
    engine: Engine,
    store: Store,
    catalog: Catalog,
    ready: Ready,
    facts: ToolchainFacts,
    cells: tuple[Cell, Cell],
    built: tuple[Built, Built],
    sides: Sequence[str],
) -> Files:
    """Both sides and the driver, then the links, in one box."""
    before = cells[0]
    names = ("left", "right")
    jobs = [
        Job(
            name,
            ("sh", "-e", "build.sh"),
            {**cell.core.files, "build.sh": text.encode(), "given.o": one.object},
        )
        for name, cell, text, one in zip(names, cells, sides, built, strict=True)
    ]
    planned = plan(catalog, ready, before, facts)
    own = {"build.sh": planned.driver.encode()}
    jobs.append(Job("driver", ("sh", "-e", "build.sh"), own, (_DRIVER,)))
    driver = store.get(planned.driver_key)
    files = {"pad.s": pad_source()}
    fetch = [("cp", f"../{name}/{SIDE}", f"{name}.o") for name in names]
    if driver is None:
        fetch.append(("cp", f"../driver/{_DRIVER}", "."))
    else:
        files[_DRIVER] = driver[_DRIVER]
        jobs.pop()
    text = script(fetch) + duel_script(before, catalog.adapter(before.core.adapter), facts)
    files["build.sh"] = text.encode()
    link = Job("duel", ("sh", "-e", "build.sh"), files, DUELS)
    done = {
        one.name: one
        for one in box.run(
            engine, ready, [jobs, [link]], catalog.guest_files, LIMITS, len(jobs)
        )
    }
    _require(before, done)
    return done["duel"].outputs


def _require(cell: Cell, done: dict[str, Done]) -> None:
    for job in done.values():
        if job.code == 0:
            continue
        said = job.stderr.decode("utf-8", "replace")
        kind = EnvironmentFault if job.name == "driver" else RigError
        raise kind(
            f"{cell.setup.id}: the two cores cannot be linked into one program"
            f" ({shlex.quote(job.name)}): {first_error(said)}",
            detail=said,
        )
