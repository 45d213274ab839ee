"""Times of pairs, one after the other: the CPU's own where it can, and the emulator's.

Only hardware's time is a speed. Everything here runs under the lock between processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple

from rig.build import Built
from rig.cases import Case
from rig.duel import duels
from rig.engines import Channel
from rig.errors import EnvironmentFault, Interrupted, RigError
from rig.events import PairTimed, Progress, Sink
from rig.guest import Guest
from rig.lab import GUEST_LIMITS, Lab
from rig.measures import emulated_time, native_time
from rig.model import Cell, Files, Pair, Setup
from rig.runners.native import cpu_model, disguise, refusal
from rig.verdicts import Measurement

_MACHINE = ("sh", "-c", "uname -m; cat /proc/cpuinfo")

NATIVE, EMULATED = "native", "emulated"


class Machine(NamedTuple):
    """Where an engine's boxes run. name: of uname. cpuinfo: of /proc."""

    name: str
    cpuinfo: str


def machine_of(lab: Lab, setup: Setup) -> Machine:
    """The machine as a box of it sees itself. Raises RigError."""
    channel = lab.engine.open(lab.ready(setup), _MACHINE, {}, GUEST_LIMITS)
    said = b""
    try:
        while chunk := channel.read(1 << 16, 30.0):
            said += chunk
    except TimeoutError as error:
        raise EnvironmentFault("The box does not say what machine it runs on.") from error
    finally:
        channel.close(1.0)
    name, _, cpuinfo = said.decode("ascii", "replace").partition("\n")
    return Machine(name.strip(), cpuinfo)


def time_all(
    pairs: Sequence[Pair], lab: Lab, sink: Sink, methods: Iterable[str] = (NATIVE, EMULATED)
) -> None:
    """Each pair by each method; what cannot be timed is told, with the reason."""
    methods = tuple(methods)
    good = [pair for pair in pairs if _both(pair, lab) is not None]
    if not good or not methods:
        return
    sink(Progress("timing, alone"))
    with lab.store.alone():
        if NATIVE in methods:
            _native_all(good, lab, sink)
        if EMULATED in methods:
            for pair in good:
                lab.go_on()
                _emulated(pair, lab, sink)


def _both(pair: Pair, lab: Lab) -> tuple[Built, Built] | None:
    before, after = (lab.result(Cell(pair.setup, core)) for core in (pair.before, pair.after))
    if isinstance(before, Built) and isinstance(after, Built):
        return before, after
    return None


# ------------------------------------------------------------------------------- hardware


def _native_all(pairs: Sequence[Pair], lab: Lab, sink: Sink) -> None:
    try:
        machine = machine_of(lab, pairs[0].setup)
    except Interrupted:
        raise
    except RigError as error:
        sink(Progress(f"no native time: {error}"))
        return
    for pair in pairs:
        lab.go_on()
        target = pair.setup.target
        reason = refusal(target, machine.name, machine.cpuinfo)
        if reason:
            why = f"no speed figure without {target.name} hardware: {reason}"
            sink(_no_time(pair, NATIVE, why))
            continue
        try:
            sink(native(pair, lab, machine))
        except Interrupted:
            raise
        except (native_time.NoTime, RigError) as error:
            lab.go_on()
            sink(_no_time(pair, NATIVE, str(error)))


def native(
    pair: Pair, lab: Lab, machine: Machine, *, pairs: int = native_time.PAIRS
) -> PairTimed:
    """The duel of a pair. Raises NoTime, and RigError when it cannot be built or started."""
    built = _both(pair, lab)
    if built is None:
        raise native_time.NoTime("a core of the pair was not built")
    ready = lab.ready(pair.setup)
    facts = lab.facts(pair.setup)
    programs = duels(lab.engine, lab.store, lab.catalog, ready, facts, pair, built)

    def open_channel(argv: Sequence[str], files: Files) -> Channel:
        return lab.engine.open(ready, argv, files, GUEST_LIMITS)

    digest = lab.oracle.answer(Case(native_time.MESSAGE))
    timed = native_time.time_native(open_channel, programs, digest, pairs=pairs)
    masked = disguise(timed.cpu, machine.cpuinfo)
    if masked:
        raise native_time.NoTime(masked)
    return PairTimed(
        *_names(pair),
        NATIVE,
        timed.before,
        timed.after,
        timed.ratio,
        timed.verdict,
        timed.control,
        cpu_model(machine.cpuinfo) or timed.cpu,
        timed.figures,
    )


def _no_time(pair: Pair, method: str, why: str) -> PairTimed:
    nothing: Callable[[str, str], Measurement] = partial(_nothing, why)
    speed = nothing(f"{method}_speed", "MB/s")
    ratio = nothing(f"{method}_ratio", "after/before")
    return PairTimed(*_names(pair), method, speed, speed, ratio)


def _nothing(why: str, name: str, unit: str) -> Measurement:
    return Measurement(name, None, unit, native_time.METHOD, False, f"not measured: {why}")


def _names(pair: Pair) -> tuple[str, str, str]:
    return pair.setup.id, pair.before.name, pair.after.name


# ------------------------------------------------------------------------------- emulator


def _emulated(pair: Pair, lab: Lab, sink: Sink) -> None:
    try:
        timed = emulated(pair, lab)
    except Interrupted:
        raise
    except (emulated_time.NoTime, RigError) as error:
        lab.go_on()
        sink(Progress(f"{pair.id}: no time: {error}"))
        return
    sink(PairTimed(*_names(pair), EMULATED, timed.before, timed.after, timed.ratio))


def emulated(pair: Pair, lab: Lab) -> emulated_time.Timed:
    """Both cores' guests in turn, in fresh processes. Raises NoTime and RigError."""
    cells = [Cell(pair.setup, core) for core in (pair.before, pair.after)]
    found: list[tuple[float, float]] = []
    with ExitStack() as stack, ThreadPoolExecutor(lab.jobs) as pool:
        # all are started first, side by side: those that wait take no CPU from the one timed
        starting = [
            pool.submit(_start, cell, lab, stack) for cell in cells * emulated_time.PROCESSES
        ]
        guests = [one.result() for one in starting]
        for before, after in zip(guests[::2], guests[1::2], strict=True):
            found += emulated_time.samples(before, after)
    return emulated_time.evaluate(found)


def _start(cell: Cell, lab: Lab, stack: ExitStack) -> Guest:
    guest = stack.enter_context(lab.guest(cell))
    stack.callback(lab.count_guest, guest)
    guest.hello  # noqa: B018 - starts it
    return guest
