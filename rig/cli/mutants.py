"""rig mutants: do the checks find faults that are known to be there?"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from rig.cli import options
from rig.cli.running import split_names
from rig.errors import ExitCode, UsageError
from rig.machine import CPUS

if TYPE_CHECKING:
    from rig.mutants import Mutant
    from rig.mutants.hunting import Hunt
    from rig.mutants.suites import Suite


def mutants(
    *,
    on: options.On = None,
    kind: Annotated[
        str | None, typer.Option("--class", metavar="NAMES", help="Only these classes.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--list", help="Print the mutants and their edits; run nothing.")
    ] = False,
    against: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Compare with other tests: abc, rfc, published, kunit, all.",
        ),
    ] = "",
    jobs: options.Jobs = CPUS,
    engine: options.Engine = None,
) -> int:
    """Judge mutants, single-edit faults of correct code, until a check kills each.

    A fault that survives everywhere makes the exit code 1.

    Examples:
      rig mutants
      rig mutants --on x86_64/gcc/user --class counter,endian
      rig mutants --against all
    """
    from rig.mutants.suites import OWN  # noqa: PLC0415
    from rig.mutants.telling import compared, listed, told  # noqa: PLC0415

    chosen = _chosen(split_names(kind))
    if show:
        sys.stdout.write(listed(chosen))
        return ExitCode.GOOD
    suites = _suites(split_names(against))
    found = _hunt(on, chosen, suites, options.engine_name(engine), jobs)
    sys.stdout.write(told(found, OWN))
    if len(suites) > 1:
        sys.stdout.write("\n" + compared(found))
    if found.survivors(OWN) or found.wrongly_equivalent():
        return ExitCode.CORE_FAILED
    return ExitCode.ENVIRONMENT if found.troubles else ExitCode.GOOD


def _chosen(kinds: tuple[str, ...]) -> list[Mutant]:
    """The mutants of the classes asked for, all without any. Raises UsageError."""
    from rig.mutants.reading import load_mutants  # noqa: PLC0415
    from rig.tables import near  # noqa: PLC0415

    every = load_mutants()
    known = dict.fromkeys(mutant.kind for mutant in every)
    for name in kinds:
        if name not in known:
            raise UsageError(f"no class of mutants is called '{name}'", near(name, known))
    return [mutant for mutant in every if not kinds or mutant.kind in kinds]


def _suites(names: tuple[str, ...]) -> list[Suite]:
    """Rig's own and those named. Raises UsageError."""
    from rig.mutants.suites import OWN, suites  # noqa: PLC0415
    from rig.tables import near  # noqa: PLC0415

    known = suites()
    if "all" in names:
        return list(known.values())
    for name in names:
        if name not in known:
            raise UsageError(f"no suite is called '{name}'", near(name, known))
    return [suite for suite in known.values() if suite.name in (OWN, *names)]


def _hunt(
    on: list[str] | None, chosen: list[Mutant], suites: list[Suite], engine: str, jobs: int
) -> Hunt:
    from rig import catalog  # noqa: PLC0415
    from rig.events import Progress  # noqa: PLC0415
    from rig.lab import Lab, open_engine  # noqa: PLC0415
    from rig.mutants.hunting import PROFILE, default_setups, hunt  # noqa: PLC0415
    from rig.report.progress import open_progress  # noqa: PLC0415
    from rig.store import Store, default_cache  # noqa: PLC0415

    known = catalog.load()
    setups = known.setups(on, PROFILE) if on else default_setups(known)
    with ExitStack() as stack:
        progress = stack.enter_context(open_progress(sys.stderr, os.environ))
        # some hundred programs, of no use later: they do not go into the user's cache
        store = Store(Path(stack.enter_context(TemporaryDirectory(prefix="rig-mutants-"))))
        place = open_engine(engine, known, default_cache())
        lab = stack.enter_context(Lab(known, place, store, progress, jobs))
        return hunt(lab, setups, chosen, suites, lambda line: progress(Progress(line)))
