"""rig compare: two cores side by side."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from rig.cli import options
from rig.cli.running import Asked, check_writable, gate_of, run, split_names
from rig.machine import CPUS


def compare(
    cores: Annotated[
        list[str] | None,
        typer.Argument(metavar="BEFORE AFTER", help="Two cores: a built-in's name, a C file."),
    ] = None,
    *,
    on: options.On = None,
    profile: options.Profile = None,
    toolchain: options.Toolchains = None,
    stale_index: options.StaleIndex = False,
    patch: Annotated[
        str | None,
        typer.Option(
            "--patch",
            metavar="FILE",
            help="A tree (here, or DIR[@REV]) before and after a patch; - is standard input.",
        ),
    ] = None,
    tree: options.Tree = None,
    side: options.Side = None,
    frame_limit: options.FrameLimit = None,
    cc: options.Cc = None,
    cross_compile: options.CrossCompile = None,
    flags_from: options.FlagsFrom = None,
    jobs: options.Jobs = CPUS,
    engine: options.Engine = None,
    json: options.Json = None,
    no_time: Annotated[bool, typer.Option("--no-time", help="Leave the timing out.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show all that is measured, not the main figures.")
    ] = False,
    distance: Annotated[
        bool, typer.Option("--distance", help="Show distances between symbols, as patches do.")
    ] = False,
    bloat: Annotated[
        bool, typer.Option("--bloat", help="List each setup's symbols like bloat-o-meter.")
    ] = False,
    no_work: options.NoWork = False,
    seed: options.Seed = 1,
    case: options.Case = None,
    checks: options.Checks = None,
    long: options.Long = False,
    constant_time: options.ConstantTime = False,
    baseline: options.Baseline = None,
    fail_if: options.FailIf = None,
    shard: options.ShardOf = None,
    keep: options.Keep = False,
    resume: options.Resume = False,
) -> int:
    """Compare two cores: size, frame, work and verdict, before / after, on every setup.

    Without names, in a kernel tree, HEAD is compared with the working tree; elsewhere the
    built-in cores unrolled and rolled. The table on standard output can be pasted into a
    commit message.

    Examples:
      rig compare unrolled my.c --on 'i386/*' --json report.json
      rig compare linux:.@v7.2 linux:.
      rig compare --patch 0001-blake2b.patch linux:DIR
    """
    check_writable(json)
    gate = gate_of(baseline, fail_if)
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
        constant_time=constant_time,
        keep=keep,
        resume=resume,
        shard=shard,
        timing=not no_time and case is None,
        trace=not no_work and case is None,
        toolchains=tuple(toolchain or ()),
        stale_index=stale_index,
        tree=tree,
        side=side,
        frame_limit=frame_limit,
        cc=tuple(cc or ()),
        cross_compile=cross_compile,
        flags_from=flags_from,
    )
    from rig.cli.planning import plan_compare  # noqa: PLC0415 - loads catalog and sources
    from rig.report.text import render_compare  # noqa: PLC0415

    render = partial(render_compare, full=full, distance=distance, bloat=bloat)
    return run(asked, plan_compare(asked, cores or (), patch), render, gate)
