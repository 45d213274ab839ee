"""Judges mutants: target after target, each mutant until something kills it.

Many are compiled in one box. A mutant that one target kills is not asked again on the next;
with several suites, each has kills of its own. The suites to compare with are spared what tells
nothing: equivalents, and on further targets what shows on every target alike. First the
unmutated originals must pass, since otherwise a kill would mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from rig.build import Refused
from rig.catalog import Catalog
from rig.errors import EnvironmentFault, GuestRefused
from rig.judging import CellSubject, run_check, subject_of
from rig.lab import Lab
from rig.model import ByteOrder, Cell, Setup
from rig.mutants import Mutant, Shows
from rig.mutants.reading import core_of, original
from rig.mutants.suites import OWN, Suite
from rig.verdicts import VERDICTS, Blame, Finding, Verdict
from rig.waiting import as_done, result_of, uncut

TARGETS = ("x86_64", "i386", "arm32", "armeb32")
"""Where mutants are judged unless told otherwise, those of them that there are."""

PROFILE = "user"
"""Faster to build than the kernel's, and it leaves stack variables as dirty as they are."""

_GROUP = 40
"""Mutants that are compiled together in one box while others are judged."""

_STEADY = (Verdict.MISMATCH, Verdict.UNSTABLE)
"""After these a guest still answers; after any other failure a fresh one is opened."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Kill:
    """What showed a fault first. check: the one that did, with its smallest case if any."""

    setup: Setup
    check: str
    verdict: Verdict
    case: str


@dataclass
class Hunt:
    """What became of the mutants. kills: (mutant, suite) -> its first kill.

    troubles: mutant -> why it could not be judged; then nothing is known of it.
    """

    mutants: Sequence[Mutant]
    suites: Sequence[Suite]
    setups: Sequence[Setup]
    kills: dict[tuple[str, str], Kill] = field(default_factory=dict)
    troubles: dict[str, str] = field(default_factory=dict)

    def due(self, mutant: Mutant, setup: Setup) -> list[Suite]:
        """Suites that have not killed a mutant so far and are to try on this setup."""
        if mutant.name in self.troubles:
            return []
        again = setup != self.setups[0] and mutant.shows is Shows.EVERYWHERE
        own_only = again or bool(mutant.equivalent)
        return [
            suite
            for suite in self.suites
            if (mutant.name, suite.name) not in self.kills
            and not (own_only and suite.name != OWN)
        ]

    def unkilled(self, suite: str) -> list[Mutant]:
        """Faults that were judged and that a suite killed nowhere; equivalents are none."""
        return [
            mutant
            for mutant in self.mutants
            if not mutant.equivalent
            and mutant.name not in self.troubles
            and (mutant.name, suite) not in self.kills
        ]

    def survivors(self, suite: str) -> list[Mutant]:
        """Those of the unkilled that should have shown on one of the targets."""
        return [mutant for mutant in self.unkilled(suite) if self.can_show(mutant)]

    def can_show(self, mutant: Mutant) -> bool:
        """Whether any of the targets is one that the fault is said to show on."""
        targets = [setup.target for setup in self.setups]
        if mutant.shows is Shows.BITS_32:
            return any(target.bits == 32 for target in targets)
        if mutant.shows is Shows.BIG_ENDIAN:
            return any(target.byte_order is ByteOrder.BIG for target in targets)
        return True

    def wrongly_equivalent(self) -> list[Mutant]:
        """Mutants that were argued to be no faults and were killed all the same."""
        killed = {name for name, _ in self.kills}
        return [m for m in self.mutants if m.equivalent and m.name in killed]


def default_setups(known: Catalog) -> list[Setup]:
    """One setup for each of TARGETS, by gcc."""
    globs = [f"{name}/gcc/{PROFILE}" for name in TARGETS if name in known.targets]
    setups = known.setups(globs)
    return sorted(setups, key=lambda setup: TARGETS.index(setup.target.name))


def hunt(
    lab: Lab,
    setups: Sequence[Setup],
    mutants: Sequence[Mutant],
    suites: Sequence[Suite],
    tell: Tell,
) -> Hunt:
    """Judges all mutants. Raises EnvironmentFault when an original fails on a setup."""
    found = Hunt(mutants, suites, setups)
    for setup in setups:
        left = [mutant for mutant in mutants if found.due(mutant, setup)]
        tell(f"{setup.id}: {len(left)} of {len(mutants)} mutants to be judged")
        _require_originals(lab, setup, left, suites)
        with (
            uncut(),
            ThreadPoolExecutor(1, "build") as builder,
            ThreadPoolExecutor(lab.jobs, "judge") as judges,
        ):
            try:
                waiting: list[Future[_Judged]] = []
                for group in _groups(left):
                    cells = {m.name: Cell(setup, core_of(m, lab.catalog)) for m in group}
                    result_of(builder.submit(lab.build, list(cells.values())))
                    waiting += [
                        judges.submit(_judge, lab, cells[m.name], found.due(m, setup), m.name)
                        for m in group
                    ]
                for done in as_done(waiting):
                    name, kills, trouble = done.result()
                    found.kills |= {(name, suite): kill for suite, kill in kills.items()}
                    if trouble:
                        found.troubles[name] = trouble
            except BaseException:
                judges.shutdown(wait=False, cancel_futures=True)
                lab.stop()  # ends what the threads wait for, so that they end too
                raise
    return found


def _groups(mutants: Sequence[Mutant]) -> Iterable[Sequence[Mutant]]:
    return (mutants[at : at + _GROUP] for at in range(0, len(mutants), _GROUP))


_Judged = tuple[str, Mapping[str, Kill], str]


def _judge(lab: Lab, cell: Cell, suites: Sequence[Suite], name: str) -> _Judged:
    """One mutant on one setup: suite -> kill, and what hindered."""
    result = lab.result(cell)
    if isinstance(result, Refused):
        return name, {}, f"refused on {cell.setup.id}: {result.message}"
    try:
        return name, *_judge_built(lab, cell, suites)
    finally:
        lab.forget(cell)


def _judge_built(
    lab: Lab, cell: Cell, suites: Sequence[Suite]
) -> tuple[Mapping[str, Kill], str]:
    """Asks one guest as long as it answers, then a fresh one."""
    kills: dict[str, Kill] = {}
    waiting = list(suites)
    while waiting:
        with lab.guest(cell, give_up=1) as guest:
            try:
                subject = subject_of(cell, lab, guest, seed=1, long=False)
                trouble = _ask_in_turn(cell, waiting, subject, kills)
            except GuestRefused as error:
                trouble = f"does not start: {error.what}"
            finally:
                lab.count_guest(guest)
        if trouble:
            return kills, f"on {cell.setup.id}, {trouble}"
    return kills, ""


def _ask_in_turn(
    cell: Cell, waiting: list[Suite], subject: CellSubject, kills: dict[str, Kill]
) -> str:
    """Takes suites off ``waiting`` until the guest is of no more use; returns what hindered."""
    fresh = True
    while waiting:
        suite = waiting[0]
        found, skipped = _first_kill(suite, subject)
        if found is None and skipped:
            return f"{suite.name}: {skipped}" if fresh else ""
        waiting.pop(0)
        if found is not None:
            kills[suite.name] = Kill(cell.setup, found.check, found.verdict, found.case)
            if found.verdict not in _STEADY:
                return ""
        fresh = False
    return ""


def _first_kill(suite: Suite, subject: CellSubject) -> tuple[Finding | None, str]:
    """The first finding that blames the core; else what was skipped or blames others."""
    skipped = ""
    for check in suite.checks:
        for finding in run_check(check, subject):
            blame = VERDICTS[finding.verdict].blame
            if blame is Blame.CORE:
                return finding, ""
            if blame is Blame.ENVIRONMENT or finding.verdict is Verdict.SKIPPED:
                skipped = skipped or f"{finding.verdict}: {finding.message}"
    return None, skipped


def _require_originals(
    lab: Lab, setup: Setup, mutants: Sequence[Mutant], suites: Sequence[Suite]
) -> None:
    """The sources that are mutated must pass everything here."""
    for source in dict.fromkeys(mutant.source for mutant in mutants):
        cell = Cell(setup, original(source, lab.catalog))
        name, kills, trouble = _judge(lab, cell, suites, source)
        for suite, kill in kills.items():
            raise EnvironmentFault(
                f"{setup.id}: {name} fails without any mutation: {kill.verdict} in {kill.check}"
                f" ({suite}) {kill.case}",
                "A mutant that is killed here would say nothing.",
            )
        if trouble:
            raise EnvironmentFault(f"{setup.id}: {name}, without any mutation: {trouble}")
