"""From what was asked to a plan: names to cores, globs to setups. The domain is met here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rig import catalog, config, sources
from rig.budgets import UNTRACED, Budget
from rig.campaign import Plan, chosen_checks
from rig.cli.ownbuild import fitting, noted, own_toolchains, with_flags_from
from rig.cli.running import Asked, typed
from rig.errors import UsageError
from rig.model import DEFAULT_RELEASE, Core, Pair, Setup, Toolchain
from rig.shards import parse_shard, share

DEFAULT_PAIR = ("unrolled", "rolled")


def plan_compare(asked: Asked, cores: Sequence[str], patch: str | None = None) -> Plan:
    """A pair on each setup. Raises UsageError with near names.

    Without cores: before and after a patch, or, in a kernel tree, HEAD and the working tree;
    elsewhere the built-in pair.
    """
    project = config.find()
    known, asked = project.catalog, _with_settings(asked, project)
    before, after = _pair(asked, cores, patch, known)
    setups = _setups(asked, known)
    plan = _plan("compare", asked, setups, [before, after], project)
    return replace(plan, pairs=tuple(Pair(setup, before, after) for setup in setups))


def _pair(
    asked: Asked, cores: Sequence[str], patch: str | None, known: catalog.Catalog
) -> tuple[Core, Core]:
    if patch is not None:
        if len(cores) > 1:
            raise UsageError("--patch takes one tree, not two cores", "linux:DIR or DIR@REV")
        return sources.patch_pair(patch, *cores, side=asked.side)
    if not cores and sources.is_tree(Path()):
        return sources.compare_tree(side=asked.side)
    if cores and len(cores) != 2:
        raise UsageError(
            f"compare takes two cores, before and after; {len(cores)} given",
            "To judge any number of cores by themselves: rig check CORE...",
        )
    one, other = load_cores(cores or DEFAULT_PAIR, known, asked)
    return one, other


def plan_check(asked: Asked, cores: Sequence[str]) -> Plan:
    """Each core on each setup. Raises UsageError with near names."""
    project = config.find()
    known, asked = project.catalog, _with_settings(asked, project)
    found = load_cores(cores, known, asked)
    return _plan("check", asked, _setups(asked, known), found, project)


def _with_settings(asked: Asked, project: config.Project) -> Asked:
    """What was asked, with the project's settings for what was left open."""
    settings = project.settings
    return replace(
        asked,
        on=asked.on or settings.setups,
        profile=asked.profile or settings.profile,
        checks=asked.checks or (() if asked.case else settings.checks),
    )


def _setups(asked: Asked, known: catalog.Catalog) -> list[Setup]:
    """The chosen setups, or this machine's part of them."""
    chosen = bool(asked.on)
    own = own_toolchains(asked.cc, asked.cross_compile, asked.engine)
    only_own = own and not asked.toolchains
    toolchains = (
        [] if only_own else chosen_toolchains(known, asked.toolchains, asked.stale_index)
    )
    setups = known.setups(asked.on, asked.profile, [*toolchains, *own])
    if own and not chosen:
        setups = fitting(setups)
    if asked.flags_from:
        setups = with_flags_from(setups, asked.flags_from, chosen)
    return share(setups, parse_shard(asked.shard or ""))


def chosen_toolchains(
    known: catalog.Catalog, globs: Sequence[str], stale_index: bool
) -> list[Toolchain]:
    """Toolchains by globs. stale_index: the usual release keeps its index, and its images."""
    return [
        replace(one, stale_index=stale_index and one.release != DEFAULT_RELEASE)
        for one in known.choose_toolchains(globs)
    ]


def load_cores(
    specs: Sequence[str], known: catalog.Catalog, asked: Asked | None = None
) -> list[Core]:
    """Cores by what was typed; two that would look alike in a table are refused."""
    tree, side = (asked.tree, asked.side) if asked else (None, None)
    cores = sources.load_all(specs, known, tree=tree, side=side)
    names = [core.name for core in cores]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"two cores are called '{name}'", "Name each core once, by its own name."
            )
    return cores


def _plan(
    kind: str,
    asked: Asked,
    setups: Sequence[Setup],
    cores: Sequence[Core],
    project: config.Project,
) -> Plan:
    budgets = () if asked.case else project.budgets
    if asked.frame_limit is not None and not asked.case:
        limit = Budget({"frame": asked.frame_limit}, place=f"--frame-limit {asked.frame_limit}")
        budgets = (*budgets, limit)
    if asked.flags_from:
        cores = noted(cores, asked.flags_from)
    plan = Plan(
        kind=kind,
        cores=tuple(cores),
        setups=tuple(setups),
        checks=asked.checks,
        seed=asked.seed,
        timing=asked.timing,
        trace=asked.trace or any(set(b.limits) - UNTRACED for b in budgets),
        command=typed(),
        case=asked.case or "",
        long=asked.long,
        shard=asked.shard or "",
        budgets=budgets,
        constant_time=asked.constant_time and not asked.case,
    )
    chosen_checks(plan)  # a wrong name is told before an engine is looked for
    return plan
