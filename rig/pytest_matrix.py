"""Which items there are: cells, pairs and checks that options, settings and markers choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from zlib import crc32

import pytest

from rig import budgets, sources
from rig.budgets import Budget
from rig.catalog import Catalog
from rig.checks import Check, all_checks
from rig.config import FIGURES, BudgetSettings, Project, find
from rig.errors import RigError, UsageError
from rig.model import Cell, Core, Pair, Setup
from rig.shards import parse_shard, share
from rig.tables import near

CellOrPair = Cell | Pair

_BUDGET_KEYS = [item.name for item in fields(BudgetSettings) if item.name not in ("on", "core")]


@dataclass(frozen=True)
class Matrix:
    """What a session's options and the project's settings choose; made without an engine."""

    project: Project
    known: Catalog
    setups: Sequence[Setup]
    cores: Sequence[Core]
    checks: Sequence[Check]
    engine: str
    profile: str | None
    narrowed: bool
    seed: int
    strict: bool

    @classmethod
    def of(cls, config: pytest.Config) -> Matrix:
        """Raises UsageError with near names."""
        project = find(config.invocation_params.dir)
        known, settings = project.catalog, project.settings
        given = config.getoption("--rig-on")
        profile = config.getoption("--rig-profile") or settings.profile
        own = list(settings.cores) or known.built_in_names()
        return cls(
            project=project,
            known=known,
            setups=known.setups(given or settings.setups, profile),
            cores=sources.load_all(config.getoption("--rig-core") or own, known),
            checks=_checks(project),
            engine=config.getoption("--rig-engine") or settings.engine,
            profile=profile,
            narrowed=bool(given),
            seed=config.getoption("--rig-seed"),
            strict=config.getoption("--rig-strict") or settings.strict,
        )

    @property
    def cells(self) -> list[Cell]:
        """Every core on every setup."""
        return [Cell(setup, core) for setup in self.setups for core in self.cores]

    def header(self) -> str:
        cells = len(self.setups) * len(self.cores)
        where = f", settings of {self.project.path}" if self.project.path else ""
        return (
            f"rig: {cells} cells, {len(self.checks)} checks, engine {self.engine}, "
            f"seed {self.seed}{where}"
        )

    def setups_for(self, item: pytest.Item) -> list[Setup]:
        """The setups that a test's markers leave. Raises UsageError with near names."""
        chosen = list(self.setups)
        for number, marker in enumerate(item.iter_markers("rig_on")):
            meant = self.known.setups(_words(marker), self.profile)
            # what a marker names need not be in the default matrix, but in what was asked for
            chosen = meant if number == 0 and not self.narrowed else _both(chosen, meant)
        for marker in item.iter_markers("rig_feature"):
            names = _words(marker)
            known = {name for setup in self.known.all_setups() for name in features(setup)}
            for name in names:
                if name not in known:
                    raise UsageError(f"no feature is called '{name}'", near(name, known))
            chosen = [setup for setup in chosen if features(setup).issuperset(names)]
        return chosen


def features(setup: Setup) -> frozenset[str]:
    """What ``rig_feature`` can ask of a setup."""
    target = setup.target
    return frozenset(
        {
            f"{target.byte_order.value}endian",
            f"{target.bits}bit",
            target.family,
            "libc" if target.libc else "freestanding",
            setup.toolchain.family,
            setup.profile.name,
        }
    )


def budget_of(marker: pytest.Mark) -> Budget:
    """``rig_budget(size=4096)`` as a budget. Raises UsageError with near names."""
    if marker.args or not marker.kwargs:
        raise UsageError("rig_budget takes limits by name", "rig_budget(size=4096)")
    for name, limit in marker.kwargs.items():
        if name not in _BUDGET_KEYS:
            raise UsageError(
                f"rig_budget: no figure is called '{name}'", near(name, _BUDGET_KEYS)
            )
        if isinstance(limit, bool) or not isinstance(limit, int | float):
            raise UsageError(f"rig_budget: {name} should be a number, not {limit!r}")
    limits = {FIGURES.get(name, name): limit for name, limit in marker.kwargs.items()}
    return Budget(limits, place="rig_budget")


def parametrize(metafunc: pytest.Metafunc, matrix: Matrix) -> None:
    """Gives a test its cells, pairs and checks. Raises CollectError that names the test."""
    names = metafunc.fixturenames
    item: Any = metafunc.definition
    try:
        setups = matrix.setups_for(item)
        for marker in item.iter_markers("rig_budget"):
            budget_of(marker)
    except RigError as error:
        raise pytest.Collector.CollectError(f"rig: {item.nodeid}: {error}") from error
    if "rig_cell" in names or "rig_check" in names:
        cells = [Cell(setup, core) for setup in setups for core in matrix.cores]
        _give(metafunc, "rig_cell", cells, "no cell is left by options and markers")
    if "rig_pair" in names:
        before, *others = matrix.cores
        pairs = [Pair(setup, before, after) for setup in setups for after in others]
        why = "no pair is left by options and markers" if others else "a pair needs two cores"
        _give(metafunc, "rig_pair", pairs, why)
    if "rig_check" in names:
        checks = matrix.checks
        metafunc.parametrize(
            "rig_check", checks, ids=[check.name for check in checks], indirect=True
        )


def in_shard(
    items: Iterable[pytest.Item], text: str
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """(items of a shard, the others). Items of one setup stay together; raises UsageError.

    A test without a cell is in the shard that its name chooses.
    """
    shard = parse_shard(text)
    every = list(items)
    setups = sorted({one.setup.id for item in every if (one := cell_of(item))})
    mine = set(share(setups, shard))
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in every:
        one = cell_of(item)
        if one:
            is_mine = one.setup.id in mine
        else:
            is_mine = crc32(item.nodeid.encode()) % shard.count == shard.index - 1
        (kept if is_mine else left_out).append(item)
    return kept, left_out


def cell_of(item: pytest.Item) -> CellOrPair | None:
    """The cell or pair that an item is about."""
    params = params_of(item)
    found = params.get("rig_cell") or params.get("rig_pair")
    return found if isinstance(found, Cell | Pair) else None


def params_of(item: pytest.Item) -> Mapping[str, Any]:
    """An item's parameters by name; none for one without any."""
    return getattr(getattr(item, "callspec", None), "params", {})


def _give(
    metafunc: pytest.Metafunc, name: str, values: Sequence[CellOrPair], why_none: str
) -> None:
    # the scope keeps the items of a cell together, and with them its one guest
    if values:
        ids = [value.id for value in values]
        metafunc.parametrize(name, values, ids=ids, indirect=True, scope="session")
        return
    skipped = pytest.param(None, marks=pytest.mark.skip(reason=f"rig: {why_none}"))
    metafunc.parametrize(name, [skipped], ids=["none"], indirect=True, scope="session")


def _checks(project: Project) -> list[Check]:
    """The chosen checks, and one of budgets where there are any."""
    known = {check.name: check for check in all_checks()}
    wanted = project.settings.checks
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"{project.place('checks')}: '{name}' is no check", near(name, known)
            )
    chosen = [check for check in known.values() if not wanted or check.name in wanted]
    if project.budgets:
        text = "figures above the limits of rig.toml"
        chosen.append(Check(budgets.CHECK, text, order=1000, run=_from_figures))
    return chosen


def _from_figures(_subject: object) -> Any:
    raise AssertionError("budgets are judged by figures, without a subject")


def _words(marker: pytest.Mark) -> list[str]:
    if not marker.args or marker.kwargs or not all(isinstance(w, str) for w in marker.args):
        raise UsageError(f"{marker.name} takes one string or more", f'{marker.name}("...")')
    return list(marker.args)


def _both(ones: Sequence[Setup], others: Sequence[Setup]) -> list[Setup]:
    ids = {setup.id for setup in others}
    return [setup for setup in ones if setup.id in ids]
