"""rig check: is a core right?"""

from __future__ import annotations

from typing import Annotated

import typer

from rig.cli import options
from rig.cli.running import Asked, check_writable, gate_of, run, split_names
from rig.machine import CPUS


def check(
    cores: Annotated[
        list[str], typer.Argument(metavar="CORE", help="A built-in's name, a C file.")
    ],
    *,
    on: options.On = None,
    profile: options.Profile = None,
    toolchain: options.Toolchains = None,
    stale_index: options.StaleIndex = False,
    tree: options.Tree = None,
    side: options.Side = None,
    frame_limit: options.FrameLimit = None,
    cc: options.Cc = None,
    cross_compile: options.CrossCompile = None,
    flags_from: options.FlagsFrom = None,
    no_work: options.NoWork = False,
    jobs: options.Jobs = CPUS,
    engine: options.Engine = None,
    json: options.Json = None,
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
    """Check that cores are right: every digest against an independent oracle.

    A failure is told with the smallest case that shows it and the line that repeats it.
    With several compilers the table has their frames and work too, and where along a
    family's versions a core turns bad.

    Examples:
      rig check rolled
      rig check my.c --on i386/gcc/kernel --case 'hash in=inc:0:129'
      rig check my.c --on i386 --toolchain 'gcc*' --toolchain sid/gcc-15 --stale-index
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
        toolchains=tuple(toolchain or ()),
        stale_index=stale_index,
        tree=tree,
        side=side,
        trace=bool(toolchain or cc or cross_compile or baseline)
        and not no_work
        and case is None,
        frame_limit=frame_limit,
        cc=tuple(cc or ()),
        cross_compile=cross_compile,
        flags_from=flags_from,
    )
    from rig.cli.planning import plan_check  # noqa: PLC0415 - loads catalog and sources
    from rig.report.text import render_check  # noqa: PLC0415

    return run(asked, plan_check(asked, cores), render_check, gate)
