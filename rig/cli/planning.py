"""From what was asked to a plan: names to cores, globs to setups. The domain is met here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rig import catalog, config, sources
from rig.campaign import Plan, chosen_checks
from rig.cli.running import Asked, typed
from rig.errors import UsageError
from rig.model import Core, Pair


def plan_compare(asked: Asked, before: str, after: str) -> Plan:
    """A pair on each setup. Raises UsageError with near names."""
    project = config.find()
    known, asked = project.catalog, _with_settings(asked, project)
    one, other = load_cores([before, after], known)
    setups = known.setups(asked.on, asked.profile)
    pairs = [Pair(setup, one, other) for setup in setups]
    return _plan("compare", asked, known, [one, other], pairs)


def plan_check(asked: Asked, cores: Sequence[str]) -> Plan:
    """Each core on each setup. Raises UsageError with near names."""
    project = config.find()
    known, asked = project.catalog, _with_settings(asked, project)
    return _plan("check", asked, known, load_cores(cores, known), [])


def _with_settings(asked: Asked, project: config.Project) -> Asked:
    """What was asked, with the project's settings for what was left open."""
    settings = project.settings
    return replace(
        asked,
        on=asked.on or settings.setups,
        profile=asked.profile or settings.profile,
        checks=asked.checks or (() if asked.case else settings.checks),
    )


def load_cores(specs: Sequence[str], known: catalog.Catalog) -> list[Core]:
    """Cores by what was typed; two that would look alike in a table are refused."""
    cores: dict[str, Core] = {}
    for spec in specs:
        core = sources.load(spec, known)
        if core.name in cores:
            raise UsageError(
                f"two cores are called '{core.name}'", "Name each core once, by its own name."
            )
        cores[core.name] = core
    return list(cores.values())


def _plan(
    kind: str,
    asked: Asked,
    known: catalog.Catalog,
    cores: Sequence[Core],
    pairs: Sequence[Pair],
) -> Plan:
    plan = Plan(
        kind=kind,
        cores=tuple(cores),
        pairs=tuple(pairs),
        setups=tuple(known.setups(asked.on, asked.profile)),
        checks=asked.checks,
        seed=asked.seed,
        timing=asked.timing,
        trace=asked.trace,
        command=typed(),
        case=asked.case or "",
        long=asked.long,
    )
    chosen_checks(plan)  # a wrong name is told before an engine is looked for
    return plan
