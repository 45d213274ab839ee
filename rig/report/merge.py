"""Several reports as one: the shards of a matrix, put together and held against each other.

What is missing and what contradicts is said, and makes the whole partial: a shard that never
came is not a shard that passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rig.errors import ExitCode, UsageError
from rig.events import CoreFacts
from rig.report.across import across
from rig.report.document import CellReport, PairReport, Report, SetupReport
from rig.shards import parse_shard
from rig.verdicts import VERDICTS, Blame, Verdict

_ORDER = (Blame.CORE, Blame.ENVIRONMENT, Blame.NOBODY)


@dataclass(frozen=True, slots=True)
class Merged:
    """report: of all. problems: what is missing or contradicts, a sentence each."""

    report: Report
    problems: tuple[str, ...]

    @property
    def exit_code(self) -> ExitCode:
        """A core that failed makes it 1; else a problem of the merge makes it 3."""
        found = self.report.exit_code
        if found is ExitCode.GOOD and (self.problems or not self.report.complete):
            return ExitCode.ENVIRONMENT
        return found


def merge(named: Sequence[tuple[str, Report]]) -> Merged:
    """One report of several; names are for messages. Raises UsageError for none at all."""
    if not named:
        raise UsageError(
            "there is no report to merge", "For example: rig report --merge *.json"
        )
    reports = [report for _, report in named]
    problems = [*_shards(named), *_partial(named), *_settings(named)]
    cores, different = _cores(named)
    problems += different
    cells, different = _cells(named)
    problems += different
    first = reports[0]
    report = replace(
        first,
        command=_without(_without(first.command, "--shard"), "--json"),
        started=min(report.started for report in reports),
        ended=max(report.ended for report in reports),
        seconds=sum(report.seconds for report in reports),
        engine="; ".join(dict.fromkeys(report.engine for report in reports)),
        isolated=all(report.isolated for report in reports),
        cores=cores,
        setups=_setups(reports),
        cells=cells,
        pairs=_pairs(reports),
        counts=dict(sum((Counter(report.counts) for report in reports), Counter())),
        complete=not problems,
        reason="; ".join(problems),
        shard="",
    )
    return Merged(replace(report, across=_across(report)), tuple(problems))


def _shards(named: Sequence[tuple[str, Report]]) -> list[str]:
    """Shards that never came, came twice, or are of another whole."""
    shards = [(name, parse_shard(report.shard)) for name, report in named if report.shard]
    if not shards:
        return []
    problems = []
    count = shards[0][1].count
    seen: dict[int, str] = {}
    for name, shard in shards:
        if shard.count != count:
            problems.append(f"{name} is shard {shard.text}, others are of {count}")
        elif shard.index in seen:
            problems.append(f"shard {shard.text} came twice: {seen[shard.index]} and {name}")
        else:
            seen[shard.index] = name
    missing = [f"{index}/{count}" for index in range(1, count + 1) if index not in seen]
    if missing:
        word = "shard" if len(missing) == 1 else "shards"
        problems.append(f"{word} {', '.join(missing)} never came")
    whole = [name for name, report in named if not report.shard]
    return problems + [f"{name} is no shard, others are" for name in whole]


def _partial(named: Sequence[tuple[str, Report]]) -> list[str]:
    return [
        f"{name} is partial: {report.judged} of {len(report.cells)} cells judged"
        + (f" ({report.reason})" if report.reason else "")
        for name, report in named
        if not report.complete
    ]


def _settings(named: Sequence[tuple[str, Report]]) -> list[str]:
    """What must be one for all: the version of rig, the seed, the checks."""
    look: Mapping[str, Callable[[Report], str]] = {
        "versions of rig": lambda report: report.rig,
        "seeds": lambda report: str(report.seed),
        "lists of checks": lambda report: ",".join(report.checks),
    }
    problems = []
    for what, of in look.items():
        found: dict[str, str] = {}
        for name, report in named:
            found.setdefault(of(report), name)
        if len(found) > 1:
            told = " and ".join(f"{value} ({name})" for value, name in found.items())
            problems.append(
                f"two {what}: {told}" if len(found) == 2 else f"several {what}: {told}"
            )
    return problems


def _cores(named: Sequence[tuple[str, Report]]) -> tuple[tuple[CoreFacts, ...], list[str]]:
    cores: dict[str, tuple[CoreFacts, str]] = {}
    problems = []
    for name, report in named:
        for core in report.cores:
            known, where = cores.setdefault(core.name, (core, name))
            if known.digest != core.digest:
                problems.append(
                    f"core {core.name} is not the same: {known.digest} in {where}, "
                    f"{core.digest} in {name}"
                )
    return tuple(core for core, _ in cores.values()), problems


def _cells(named: Sequence[tuple[str, Report]]) -> tuple[tuple[CellReport, ...], list[str]]:
    """Each cell once, the worse of two that do not agree."""
    cells: dict[str, tuple[CellReport, str]] = {}
    problems: list[str] = []
    for name, report in named:
        for cell in report.cells:
            if cell.id not in cells:
                cells[cell.id] = (cell, name)
                continue
            known, where = cells[cell.id]
            problems += _differences(known, where, cell, name)
            if _rank(cell.verdict) < _rank(known.verdict):
                cells[cell.id] = (cell, name)
    return tuple(cell for cell, _ in cells.values()), problems


def _differences(known: CellReport, where: str, cell: CellReport, name: str) -> list[str]:
    if known.verdict is None or cell.verdict is None:
        return []
    found = []
    if known.verdict is not cell.verdict:
        found.append(f"{cell.id}: {known.verdict} in {where}, {cell.verdict} in {name}")
    for item in cell.measurements:
        other = known.measurement(item.name)
        if other and item.exact and other.exact and other.value != item.value:
            found.append(
                f"{cell.id}: {item.name} {other.value} in {where}, {item.value} in {name}"
            )
    return found


def _rank(verdict: Verdict | None) -> int:
    """The worse first; not judged comes last, so that any word on a cell replaces it."""
    return len(_ORDER) if verdict is None else _ORDER.index(VERDICTS[verdict].blame)


def _setups(reports: Iterable[Report]) -> tuple[SetupReport, ...]:
    setups: dict[str, SetupReport] = {}
    for report in reports:
        for setup in report.setups:
            known = setups.setdefault(setup.id, setup)
            if setup.failure or (known.facts is None and not known.failure):
                setups[setup.id] = setup
    return tuple(setups.values())


def _pairs(reports: Iterable[Report]) -> tuple[PairReport, ...]:
    pairs: dict[tuple[str, str, str], PairReport] = {}
    for report in reports:
        for pair in report.pairs:
            key = (pair.setup, pair.before, pair.after)
            known = pairs.setdefault(key, pair)
            if not known.timings:
                pairs[key] = pair
    return tuple(pairs.values())


def _without(command: tuple[str, ...], option: str) -> tuple[str, ...]:
    """A command without an option and its value: what the whole would have been asked by."""
    words: list[str] = []
    skip = False
    for word in command:
        if not skip and word != option and not word.startswith(f"{option}="):
            words.append(word)
        skip = word == option
    return tuple(words)


def _across(report: Report) -> dict[str, tuple[str, ...]]:
    """What is said of each core over the setups of all shards."""
    found = {}
    for core in report.cores:
        told = across(
            (attributes, cell.verdict)
            for cell in report.cells
            if cell.core == core.name
            and cell.verdict
            and (attributes := report.setup(cell.setup).attributes)
        )
        if told:
            found[core.name] = told
    return found
