"""rig doctor: is everything here that rig needs?"""

from __future__ import annotations

from rig.cli import options


def doctor(on: options.On = None, engine: options.Engine = None) -> int:
    """Look at what rig needs: engine, images, compilers, emulators, disk; advice for each.

    Nothing is built or changed. Exit code 3 when something is missing or broken.

    Examples:
      rig doctor
      rig doctor --engine host --on x86_64
    """
    from rig import config  # noqa: PLC0415 - loads the catalog
    from rig.doctor import examine, exit_code, told  # noqa: PLC0415

    known = config.find().catalog
    lines = []
    for line in examine(options.engine_name(engine), known, known.setups(on or ())):
        print(told(line), flush=True)
        lines.append(line)
    return exit_code(lines)
