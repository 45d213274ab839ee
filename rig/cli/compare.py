"""rig compare: two cores side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from rig.cli import options
from rig.cli.running import Asked, check_writable, run, split_names
from rig.errors import UsageError

DEFAULT_PAIR = ("unrolled", "rolled")


def compare(
    cores: Annotated[
        list[str] | None,
        typer.Argument(metavar="BEFORE AFTER", help="Two cores: a built-in's name, a C file."),
    ] = None,
    *,
    on: options.On = None,
    profile: options.Profile = None,
    jobs: options.Jobs = options.CPUS,
    engine: options.Engine = None,
    json: options.Json = None,
    no_time: Annotated[bool, typer.Option("--no-time", help="Leave the timing out.")] = False,
    no_work: Annotated[
        bool, typer.Option("--no-work", help="Leave instructions and stack out.")
    ] = False,
    seed: options.Seed = 1,
    case: options.Case = None,
    checks: options.Checks = None,
    long: options.Long = False,
    keep: options.Keep = False,
) -> int:
    """Compare two cores: size, frame, work and verdict, before / after, on every setup.

    Without names the built-in cores unrolled and rolled are compared. The table on standard
    output can be pasted into a commit message.

    Example:
      rig compare unrolled my.c --on 'i386/*' --json report.json
    """
    before, after = _pair(cores)
    check_writable(json)
    asked = Asked(
        on=tuple(on or ()),
        profile=profile,
        jobs=jobs,
        engine=options.engine_name(engine),
        json=json,
        seed=seed,
        case=case,
        checks=split_names(checks),
        long=long,
        keep=keep,
        timing=not no_time and case is None,
        trace=not no_work and case is None,
    )
    from rig.cli.planning import plan_compare  # noqa: PLC0415 - loads catalog and sources
    from rig.report.text import render_compare  # noqa: PLC0415

    return run(asked, plan_compare(asked, before, after), render_compare)


def _pair(cores: list[str] | None) -> tuple[str, str]:
    if not cores:
        return DEFAULT_PAIR
    if len(cores) != 2:
        raise UsageError(
            f"compare takes two cores, before and after; {len(cores)} given",
            "To judge any number of cores by themselves: rig check CORE...",
        )
    return cores[0], cores[1]
