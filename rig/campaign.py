"""The order of work, nothing else: images, builds, checks side by side; then time, alone."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256

from rig import __version__
from rig.budgets import Budget
from rig.build import Built, Refused
from rig.checks import Check, all_checks
from rig.checks.replay import replay_check
from rig.compilers import core_flags
from rig.errors import EnvironmentFault, Interrupted, UsageError
from rig.events import (
    CampaignEnded,
    CampaignStarted,
    CellJudged,
    CoreFacts,
    SetupFailed,
    SetupReady,
    Sink,
)
from rig.judging import judge_cell
from rig.lab import Lab
from rig.model import Cell, Core, ImageSpec, Pair, Setup
from rig.resume import Earlier, take_over
from rig.tables import near
from rig.timing import time_all
from rig.toolchains import image_spec
from rig.verdicts import Finding, Verdict
from rig.waiting import as_done, result_of, uncut

_MOST_TOGETHER = 4
"""Cells of one core and one image that share a box, which saves the start of one for each."""

_ROUNDS = 3
"""How many boxes each job should get at least, so that all end at about the same time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done. pairs: for timing and comparison. checks: names, empty for all.

    case: ask only this line. timing: take times of the pairs. trace: take work and stack.
    command: as typed. shard: ``2/5`` when setups are one machine's part. budgets: upper limits
    of figures. constant_time: look whether what is executed depends on the data. earlier: what
    an interrupted campaign had judged.
    """

    kind: str
    cores: tuple[Core, ...]
    setups: tuple[Setup, ...]
    pairs: tuple[Pair, ...] = ()
    checks: tuple[str, ...] = ()
    seed: int = 1
    timing: bool = False
    command: tuple[str, ...] = ()
    case: str = ""
    long: bool = False
    trace: bool = False
    shard: str = ""
    budgets: tuple[Budget, ...] = ()
    constant_time: bool = False
    earlier: Earlier = field(default_factory=dict)

    @property
    def cells(self) -> list[Cell]:
        return [Cell(setup, core) for setup in self.setups for core in self.cores]


def chosen_checks(plan: Plan) -> Sequence[Check]:
    """The checks of a plan, cheapest first. Raises UsageError with near names."""
    if plan.case:
        return [replay_check(plan.case)]
    known = {check.name: check for check in all_checks()}
    for name in plan.checks:
        if name not in known:
            raise UsageError(f"no check is called '{name}'", near(name, known))
    return [c for c in known.values() if not plan.checks or c.name in plan.checks]


def question(plan: Plan) -> str:
    """Twelve hex digits over all that decides what a cell is asked, itself left out."""
    asked = (plan.seed, plan.case, plan.long, plan.trace, plan.constant_time, plan.budgets)
    names = [check.name for check in chosen_checks(plan)]
    return sha256(repr((__version__, names, *asked)).encode()).hexdigest()[:12]


def run(plan: Plan, lab: Lab, sink: Sink) -> None:
    """Runs a plan; every event goes to ``sink``, the last one whatever happens.

    What fails in one setup is told as its verdict; only usage errors, faults of rig itself and
    interruption leave this function.
    """
    checks = chosen_checks(plan)
    begun = time.monotonic()
    sink(_started(plan, lab, checks))
    reason = ""
    try:
        with uncut():
            judged = _judge_all(plan, lab, checks, sink)
            if plan.timing:
                _time([p for p in plan.pairs if p.setup.id in judged], lab, sink)
    except (KeyboardInterrupt, Interrupted):
        reason = "interrupted"
        raise
    except BaseException as error:
        reason = f"{type(error).__name__}: {error}"
        raise
    finally:
        sink(_ended(lab, reason, time.monotonic() - begun))


def _time(pairs: Sequence[Pair], lab: Lab, sink: Sink) -> None:
    """In a thread, so that a signal never cuts a call to the engine in two."""
    with ThreadPoolExecutor(1, "time") as pool:
        try:
            result_of(pool.submit(time_all, pairs, lab, sink))
        except BaseException:
            lab.stop()
            raise


def _started(plan: Plan, lab: Lab, checks: Sequence[Check]) -> CampaignStarted:
    return CampaignStarted(
        rig=__version__,
        command=plan.command,
        started=_now(),
        seed=plan.seed,
        engine=lab.engine.describe(),
        isolated=lab.engine.isolated,
        cores=tuple(_core_facts(core) for core in plan.cores),
        cells=tuple((cell.setup.id, cell.core.name) for cell in plan.cells),
        pairs=tuple((p.setup.id, p.before.name, p.after.name) for p in plan.pairs),
        checks=tuple(check.name for check in checks),
        shard=plan.shard,
        question=question(plan),
    )


def _core_facts(core: Core) -> CoreFacts:
    digests = {path: sha256(data).hexdigest() for path, data in core.files.items()}
    return CoreFacts(
        core.name,
        core.origin,
        core.symbol,
        core.adapter,
        core.digest,
        digests,
        core.cflags,
        core.notes,
    )


def _ended(lab: Lab, reason: str, seconds: float) -> CampaignEnded:
    resumed = {"cells of an earlier run": lab.counts.resumed} if lab.counts.resumed else {}
    counts = {
        **resumed,
        "compilations": lab.counts.compiled,
        "links": lab.counts.linked,
        "objects reused": lab.counts.objects_reused,
        "programs reused": lab.counts.programs_reused,
        "sessions": lab.sessions,
        "cases": lab.cases,
    }
    return CampaignEnded(not reason, _now(), seconds, counts, reason)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# ------------------------------------------------------------------- judging, side by side


def _judge_all(plan: Plan, lab: Lab, checks: Sequence[Check], sink: Sink) -> set[str]:
    """Builds the cells of each image in one box, and judges what is built meanwhile.

    Returns the ids of the setups whose cells were built.
    """
    groups: dict[ImageSpec, list[Cell]] = defaultdict(list)
    for cell in plan.cells:
        groups[image_spec(cell.setup.target, cell.setup.toolchain)].append(cell)
    built: set[str] = set()
    with ExitStack() as stack:
        # waiting for boxes takes no CPU, judging does: hence two pools
        builders = stack.enter_context(ThreadPoolExecutor(max(1, len(groups)), "build"))
        judges = stack.enter_context(ThreadPoolExecutor(lab.jobs, "judge"))
        try:
            building = [builders.submit(_build, cells, lab, sink) for cells in groups.values()]
            judging = []
            together = _together(len(plan.cells), lab.jobs)
            for group in as_done(building):
                todo: list[tuple[Cell, Built | Refused]] = []
                for cell, result in group.result():
                    if isinstance(result, Built):
                        built.add(cell.setup.id)
                        place = (cell.setup.id, cell.core.name)
                        if take_over(plan.earlier, *place, result, sink):
                            lab.counts.resumed += 1
                            continue
                    todo.append((cell, result))
                judging += [
                    judges.submit(_judge, some, plan, lab, checks, sink)
                    for some in _groups(todo, together)
                ]
            for cell_done in as_done(judging):
                cell_done.result()
        except BaseException:
            for pool in (builders, judges):
                pool.shutdown(wait=False, cancel_futures=True)
            lab.stop()  # ends what the threads wait for, so that they end too
            raise
    return built


def _together(cells: int, jobs: int) -> int:
    """How many cells of a campaign share a box."""
    return max(1, min(_MOST_TOGETHER, cells // (_ROUNDS * jobs)))


def _groups(
    todo: Sequence[tuple[Cell, Built | Refused]], most: int
) -> list[list[tuple[Cell, Built | Refused]]]:
    """Cells of one image in groups of one core, of which each keeps to itself."""
    of_core: dict[str, list[tuple[Cell, Built | Refused]]] = defaultdict(list)
    for one in todo:
        of_core[one[0].core.digest].append(one)
    return [
        some[at : at + most] for some in of_core.values() for at in range(0, len(some), most)
    ]


def _judge(
    group: Sequence[tuple[Cell, Built | Refused]],
    plan: Plan,
    lab: Lab,
    checks: Sequence[Check],
    sink: Sink,
) -> None:
    """Judges cells of one core one after the other, all in one box if all goes well."""
    with lab.relay() as relay:
        for number, (cell, result) in enumerate(group, 1):
            judge_cell(
                cell,
                result,
                lab,
                checks,
                sink,
                seed=plan.seed,
                long=plan.long,
                trace=plan.trace,
                constant=plan.constant_time,
                budgets=plan.budgets,
                relay=relay,
                followers=[other for other, made in group[number:] if isinstance(made, Built)],
            )


def _build(cells: Sequence[Cell], lab: Lab, sink: Sink) -> list[tuple[Cell, Built | Refused]]:
    """Image, toolchain facts, objects and programs of the cells of one image."""
    setups = {cell.setup.id: cell.setup for cell in cells}
    try:
        with lab.workshop() as shop:
            for setup in setups.values():
                facts = lab.facts(setup, setups.values(), shop)
                flags = core_flags(setup, facts)
                sink(SetupReady(setup.id, facts, flags, setup.attributes))
            lab.build(cells, shop)
    except EnvironmentFault as error:
        lab.go_on()  # what is stopped fails in many ways
        for name in setups:
            sink(SetupFailed(name, Verdict.ENVIRONMENT, error.what, error.hint, error.detail))
        for cell in cells:
            finding = Finding("setup", Verdict.ENVIRONMENT, error.what)
            sink(CellJudged(cell.setup.id, cell.core.name, Verdict.ENVIRONMENT, finding))
        return []
    return [(cell, lab.result(cell)) for cell in cells]
