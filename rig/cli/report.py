"""rig report: a saved report, or a journal, as text."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rig.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from rig.report.document import Report

_JOURNAL = b'{"schema": "hashrig-journal/'


def report(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Of --json, or a journal.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of reports.")
    ] = False,
) -> int:
    """Show a saved report, or what the journal of an interrupted run holds.

    Example:
      rig compare --json r.json; rig report r.json
    """
    from rig.report.document import json_schema  # noqa: PLC0415
    from rig.report.text import render_check, render_compare  # noqa: PLC0415

    if schema:
        print(json.dumps(json_schema(), indent=2))
        return ExitCode.GOOD
    if file is None:
        raise UsageError("report needs a file", "For example: rig report report.json")
    found = _read(file)
    sys.stdout.write(render_compare(found) if found.pairs else render_check(found))
    return ExitCode.GOOD


def _read(file: Path) -> Report:
    from rig.journal import parse  # noqa: PLC0415
    from rig.report.document import from_json  # noqa: PLC0415
    from rig.report.fold import fold  # noqa: PLC0415

    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
    if not content.startswith(_JOURNAL):
        return from_json(content, str(file))
    events, _ = parse(content, str(file))
    return fold(events)
