"""rig selftest: does rig catch what it should, here and now?"""

from __future__ import annotations

import os
import sys

from rig.cli import options
from rig.errors import ExitCode, RigError
from rig.machine import CPUS
from rig.report.layout import clean


def selftest(
    on: options.On = None,
    profile: options.Profile = None,
    jobs: options.Jobs = CPUS,
    engine: options.Engine = None,
) -> int:
    """Show that faults are caught: three cores broken on purpose, and a good one that passes.

    All of it is real: compiler, emulator, conversation. It takes about ten seconds once the
    image is there.

    Examples:
      rig selftest
      rig selftest --on arm32/clang
    """
    from rig import campaign, config, selftest  # noqa: PLC0415 - load what runs campaigns
    from rig.cli.running import lab_of, typed  # noqa: PLC0415
    from rig.events import Event  # noqa: PLC0415
    from rig.journal import tee  # noqa: PLC0415
    from rig.report.fold import fold  # noqa: PLC0415
    from rig.report.progress import open_progress  # noqa: PLC0415

    known = config.find().catalog
    plan = selftest.plan(known, known.setups(on or ("x86_64/gcc",), profile), typed())
    events: list[Event] = []
    with open_progress(sys.stderr, os.environ) as progress:
        sink = tee(events.append, progress)
        with lab_of(options.engine_name(engine), sink, jobs) as lab:
            campaign.run(plan, lab, sink)
    report = fold(events)
    sys.stdout.write(selftest.render(report))
    code = selftest.exit_code(report)
    if code is ExitCode.ENVIRONMENT:
        found = next(cell.finding for cell in report.cells if cell.finding)
        print(f"rig: {clean(found.message)}; see `rig doctor`", file=sys.stderr)
    if code is ExitCode.RIG_FAULT:
        raise RigError("a fault is in rig: it did not tell broken cores from a good one")
    return code
