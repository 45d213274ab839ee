"""Effects on demand, memoised, closed at the end: what the CLI and pytest both stand on."""

from __future__ import annotations

import dataclasses
import json
import secrets
import shlex
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Self

from rig.build import LIMITS as BUILD_LIMITS
from rig.build import Built, Counts, Refused, build, is_kept
from rig.catalog import Catalog
from rig.compilers import OPTIONAL
from rig.crash import Located
from rig.engines import Channel, Engine
from rig.engines.box import Workshop
from rig.errors import Interrupted, RigError
from rig.events import Progress, Sink
from rig.guest import GIVE_UP, Guest, Identity, Relay
from rig.measures import frame
from rig.measures.traced import measure as trace_cell
from rig.model import (
    Cell,
    Files,
    ImageSpec,
    Limits,
    Ready,
    Setup,
    Target,
    Toolchain,
    ToolchainFacts,
)
from rig.once import Once
from rig.oracle import Oracle
from rig.program import identify, require
from rig.runners.qemu_user import QemuUser
from rig.store import Store, key_of
from rig.toolchains import image_spec, make_engine, read_all_facts
from rig.trace import Emulator, qemu_version, step_option
from rig.verdicts import Finding, Measurement

GUEST_LIMITS = Limits(memory=256 << 20, cpus=1.0, pids=32, disk=64 << 20)

_ROOM = GUEST_LIMITS.disk // 4
"""Bytes of programs that share a box."""

TRACE_FORMAT = 2
"""Raised when the same trace would give other figures."""

_ACTS = 'for act do $act; s=$?; [ $s = "$0" ] || exit $s; done'
"""Runs a program, and ends as it did, unless that was with the agreed status: then the next."""

_STATUS = 64
"""The least that is agreed on: no usual exit's, and below those that stand for signals."""

CONTROL = ("rolled", "unrolled")
"""Known-good cores: the first that is not itself under test vouches for a setup."""


def open_engine(name: str, catalog: Catalog, cache: Path) -> Engine:
    """The engine called ``name``; raises what tells why it cannot be used."""
    return make_engine(name, catalog.images, cache, catalog.extra)


class BuildRefused(RigError):
    """A core that was needed as a program did not compile or link."""

    def __init__(self, cell: Cell, refused: Refused) -> None:
        super().__init__(f"{cell.id}: {refused.message}", refused.hint, refused.output)
        self.refused = refused


class Lab:
    """Images, toolchains, objects, programs and guests of one campaign.

    Everything is made on first demand and once; all methods may be called from any thread.
    """

    def __init__(
        self, catalog: Catalog, engine: Engine, store: Store, sink: Sink, jobs: int = 2
    ) -> None:
        self.catalog = catalog
        self.engine = engine
        self.store = store
        self.jobs = jobs
        self.oracle = Oracle(store)
        self.counts = Counts()
        self.sessions = 0
        self.cases = 0
        self._sink = sink
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._ready: Once[ImageSpec, Ready] = Once()
        self._facts: Once[tuple[ImageSpec, str], Mapping[Toolchain, ToolchainFacts]] = Once()
        self._built: Once[tuple[str, str, str], Built | Refused] = Once()
        self._controls: Once[tuple[str, str, str], Finding | None] = Once()
        self._closing = ExitStack()
        self._closing.callback(engine.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._closing.close()

    def stop(self) -> None:
        """Ends all that is under way: open boxes are killed, new work is refused."""
        self._stopped.set()
        self.store.stop()
        self.engine.close()

    def go_on(self) -> None:
        """Raises Interrupted once the campaign was stopped."""
        if self._stopped.is_set():
            raise Interrupted("the campaign was stopped")

    # ------------------------------------------------------------- images and toolchains

    def ready(self, setup: Setup) -> Ready:
        """The place where a setup's tools are, made ready."""
        self.go_on()
        spec = image_spec(setup.target, setup.toolchain)
        return self._ready.get(spec, lambda: self.engine.prepare(spec, self._tell))

    def workshop(self) -> Workshop:
        """A box for all that is to be done in one image before anything runs there."""
        return Workshop(self.engine, BUILD_LIMITS)

    def facts(
        self, setup: Setup, others: Iterable[Setup] = (), shop: Workshop | None = None
    ) -> ToolchainFacts:
        """What a setup's toolchain is. others: of the same image, asked along. shop: where,
        if they are not known yet; by default a box of their own.
        """
        spec = image_spec(setup.target, setup.toolchain)
        wanted = {setup.toolchain, *(other.toolchain for other in others)}
        key = (spec, setup.target.name)
        known = self._facts.get(key, lambda: self._ask_facts(setup, wanted, shop))
        if setup.toolchain not in known:
            key = (spec, f"{setup.target.name}/{setup.toolchain.label}")
            alone = {setup.toolchain}
            known = self._facts.get(key, lambda: self._ask_facts(setup, alone, shop))
        return known[setup.toolchain]

    def _ask_facts(
        self, setup: Setup, wanted: Iterable[Toolchain], shop: Workshop | None
    ) -> Mapping[Toolchain, ToolchainFacts]:
        ready = self.ready(setup)
        toolchains = sorted(wanted)
        optional = {
            toolchain: self._optional(setup.target, toolchain) for toolchain in toolchains
        }
        labels = tuple((toolchain.label, flags) for toolchain, flags in optional.items())
        key = key_of("facts", ready.id, ready.tag, setup.target.name, labels)
        own = any(toolchain.command for toolchain in toolchains)  # may change unseen
        entry = None if own else self.store.get(key)
        if entry is not None:
            kept = json.loads(entry["facts.json"])
            return {
                toolchain: ToolchainFacts(
                    toolchain=toolchain, **fields, unknown_flags=tuple(unknown)
                )
                for toolchain, (fields, unknown) in zip(toolchains, kept, strict=True)
            }
        with nullcontext(shop) if shop else self.workshop() as opened:
            facts = read_all_facts(opened, ready, setup.target, optional)
        plain = []
        for toolchain in toolchains:
            fields = dataclasses.asdict(facts[toolchain])
            del fields["toolchain"]
            plain.append((fields, fields.pop("unknown_flags")))
        self.store.put(key, {"facts.json": json.dumps(plain).encode()})
        return facts

    def _optional(self, target: Target, toolchain: Toolchain) -> tuple[str, ...]:
        """The optional flags of all profiles of a target."""
        setups = self.catalog.all_setups([toolchain])
        flags = dict.fromkeys(
            flag.removeprefix(OPTIONAL)
            for setup in setups
            if setup.target.name == target.name
            for part in (setup.flags.core, setup.flags.abi, setup.flags.runnable)
            for flag in part.of(toolchain.family)
            if flag.startswith(OPTIONAL)
        )
        return tuple(flags)

    # ------------------------------------------------------------------ objects, programs

    def build(self, cells: Sequence[Cell], shop: Workshop | None = None) -> None:
        """Builds cells of one image together, in one box: ``shop``, if that is given."""
        missing = {_key(cell): cell for cell in cells if _key(cell) not in self._built}
        if not missing:
            return
        self.go_on()
        with shop or self.workshop() as opened:
            self._build_in(opened, list(missing.values()))

    def _build_in(self, shop: Workshop, todo: Sequence[Cell]) -> None:
        ready = self.ready(todo[0].setup)
        setups = {cell.setup.id: cell.setup for cell in todo}
        facts = {name: self.facts(s, setups.values(), shop) for name, s in setups.items()}

        def made(cells: Sequence[Cell]) -> list[tuple[Cell, Built | Refused]]:
            return list(
                build(
                    shop,
                    self.store,
                    self.catalog,
                    ready,
                    facts,
                    cells,
                    self.jobs,
                    self.counts,
                )
            )

        for cell, first in made(todo):
            result = first
            crowded = isinstance(first, Refused) and first.is_of_the_box
            if crowded and len(todo) > 1:  # perhaps by another core's doing
                [(_, result)] = made([cell])
            self._built.put(_key(cell), result)

    def build_for(self, cell: Cell, others: Sequence[Cell]) -> None:
        """Has a cell built. others: of its image, itself included, for if it must be made."""
        with self.workshop() as shop:
            facts = self.facts(cell.setup, [other.setup for other in others], shop)
            kept = is_kept(self.store, self.catalog, self.ready(cell.setup), cell, facts)
            self.build([cell] if kept else others, shop)

    def result(self, cell: Cell) -> Built | Refused:
        """What building a cell came to, made on demand."""
        self.build([cell])
        return self._built.get(_key(cell), _never)

    def built(self, cell: Cell) -> Built:
        """A cell's object and program. Raises BuildRefused."""
        result = self.result(cell)
        if isinstance(result, Refused):
            raise BuildRefused(cell, result)
        return result

    # ------------------------------------------------------------------------------ traces

    def traced(self, cell: Cell, *, raw: bool) -> tuple[Measurement, ...]:
        """Work, stack, code lines, and how the stack differs from the frame, from a cell's
        trace; exact, so kept in the store.

        raw: the guest has the feature ``compress``. Raises RigError when there is no trace.
        """
        built, facts = self.built(cell), self.facts(cell.setup)
        symbol = cell.core.symbol
        key = key_of("trace", TRACE_FORMAT, built.program_key, facts.qemu, symbol, raw)
        entry = self.store.get(key)
        if entry is not None:
            return tuple(Measurement(**item) for item in json.loads(entry["trace.json"]))
        ready, runner = self.ready(cell.setup), QemuUser(cell.setup.target)

        def open_channel(argv: Sequence[str], files: Files) -> Channel:
            self.go_on()
            return self.engine.open(ready, argv, files, GUEST_LIMITS)

        emulator = Emulator(runner.argv("guest")[:-1], qemu_version(facts.qemu))
        trace = trace_cell(open_channel, emulator, built.program, symbol, raw=raw)
        gap = frame.gap(
            frame.of(built.stack_usage, symbol)[0],
            trace.depth,
            family=cell.setup.toolchain.family,
            machine=cell.setup.target.machine,
        )
        found = (*trace.measurements, *gap)
        if trace.stable:
            plain = [dataclasses.asdict(item) for item in found]
            self.store.put(key, {"trace.json": json.dumps(plain).encode()})
        return found

    def forget(self, cell: Cell) -> None:
        """Lets go of a cell's object and program, a megabyte of memory."""
        self._built.forget(_key(cell))

    # ----------------------------------------------------------------------------- guests

    def guest(
        self,
        cell: Cell,
        *,
        give_up: int = GIVE_UP,
        confirm: bool = True,
        stepwise: bool = False,
        relay: Relay | None = None,
        followers: Sequence[Cell] = (),
    ) -> Guest:
        """A supervised guest that runs a cell's program; a context manager.

        give_up, confirm: as :class:`rig.guest.Guest` takes them. stepwise: one instruction per
        translation block. relay: first as usual, then, as its next act, stepwise, and then the
        same for each of the followers, cells of the same target; where a box costs nothing,
        each gets one of its own. Raises GuestRefused for a program that is not a static one of
        the target.
        """
        built = self.built(cell)
        setup = cell.setup
        require(identify(built.program), setup.target)
        step = (step_option(qemu_version(self.facts(setup).qemu)),)
        qemu = QemuUser(setup.target, step if stepwise else ())
        runner = Located(qemu, built.program)
        argv: Sequence[str] = qemu.argv("guest")
        files = {"guest": built.program}
        if not self.engine.isolated:
            relay = None
        if relay is not None:
            for number, follower in enumerate(followers, 2):
                program = self.built(follower).program
                if sum(map(len, files.values())) + len(program) > _ROOM:
                    break  # that one and the rest find no next act, and open boxes of their own
                files[f"guest{number}"] = program
            ways = (QemuUser(setup.target), QemuUser(setup.target, step))
            acts = [shlex.join(way.argv(name)) for name in files for way in ways]
            argv = ("sh", "-c", _ACTS, str(relay.status), *acts)
        ready = self.ready(setup)
        identity = Identity(
            target=setup.target.name,
            bits=setup.target.bits,
            order=setup.target.byte_order.value,
            core=cell.core.name,
            build=built.program_key[:16],
        )

        def open_channel() -> Channel:
            self.go_on()
            return self.engine.open(ready, argv, files, GUEST_LIMITS)

        return Guest(
            open_channel, runner, identity, give_up=give_up, confirm=confirm, relay=relay
        )

    @staticmethod
    def relay() -> Relay:
        """For guests that share a box; its status is no usual one, and no core ends so."""
        return Relay(_STATUS + secrets.randbelow(50))

    def count_guest(self, guest: Guest) -> None:
        """Adds what a guest has done to the campaign's counts."""
        with self._lock:
            self.sessions += guest.sessions
            self.cases += guest.asked

    def control_fault(
        self, cell: Cell, ask: Callable[[Cell, Lab], Finding | None]
    ) -> Finding | None:
        """What a known-good core other than the cell's own shows here; asked once a setup."""
        controls = [self.catalog.core(name) for name in CONTROL]
        core = next(control for control in controls if control.digest != cell.core.digest)
        control = Cell(cell.setup, core)
        return self._controls.get(_key(control), lambda: ask(control, self))

    def _tell(self, line: str) -> None:
        self._sink(Progress(line))


def _key(cell: Cell) -> tuple[str, str, str]:
    return cell.setup.id, cell.core.name, cell.core.digest


def _never() -> Built:
    raise AssertionError("a cell was asked for before it was built")
