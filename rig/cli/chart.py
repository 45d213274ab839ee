"""rig chart: a saved report as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rig.errors import ExitCode


def chart(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Reports that --json wrote.")
    ],
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The picture, .svg or .png.")
    ] = Path("chart.svg"),
) -> int:
    """Draw size against native speed, or against work where no CPU gave a time.

    One panel a setup. Cores of several reports stand together in it.

    Example:
      rig chart report.json -o chart.svg
    """
    from rig.report.chart import draw  # noqa: PLC0415
    from rig.report.document import load  # noqa: PLC0415

    draw([load(file) for file in files], out)
    print(out)
    return ExitCode.GOOD
