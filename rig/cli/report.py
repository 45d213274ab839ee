"""rig report: saved reports and journals, in any form, or several as one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rig.errors import ExitCode, StoreFault, UsageError
from rig.report.layout import clean

if TYPE_CHECKING:
    from rig.report.document import Report

_JOURNAL = b'{"schema": "hashrig-journal/'
_SUMMARY = "GITHUB_STEP_SUMMARY"


class Format(StrEnum):
    """How a report is shown."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"
    HTML = "html"


def report(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE...", help="Of --json, or journals."),
    ] = None,
    *,
    form: Annotated[Format, typer.Option("--format", help="How to show it.")] = Format.TEXT,
    merge: Annotated[
        bool,
        typer.Option("--merge", help="Shards as one; says what is missing; exits as it is."),
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of reports.")
    ] = False,
) -> int:
    """Show a saved report, or what the journal of an interrupted run holds.

    With --merge several reports become one, and the exit code is that of the whole: 1 when a
    core failed, 3 when a shard is missing or two contradict each other. The format github
    writes the step summary to the file that GITHUB_STEP_SUMMARY names, and annotations to
    standard output.

    Examples:
      rig compare --json r.json; rig report r.json
      rig report --merge shard-*.json --format markdown
    """
    from rig.report.document import json_schema  # noqa: PLC0415

    if schema:
        print(json.dumps(json_schema(), indent=2))
        return ExitCode.GOOD
    if not files:
        raise UsageError("report needs a file", "For example: rig report report.json")
    if merge:
        return _merged(files, form)
    if len(files) > 1:
        raise UsageError(f"{len(files)} files were given", "Several become one with --merge.")
    _show(_read(files[0]), form)
    return ExitCode.GOOD


def _merged(files: Sequence[Path], form: Format) -> int:
    from rig.report.merge import merge  # noqa: PLC0415

    merged = merge(_read_all(files))
    _show(merged.report, form)
    for problem in merged.problems:
        print(f"rig: {clean(problem)}", file=sys.stderr)
    return merged.exit_code


def _read_all(files: Sequence[Path]) -> list[tuple[str, Report]]:
    """All reports, or all that is wrong with any of them (two schema versions, ...)."""
    named: list[tuple[str, Report]] = []
    wrong: list[UsageError] = []
    for file in files:
        try:
            named.append((str(file), _read(file)))
        except UsageError as error:
            wrong.append(error)
    if wrong:
        more = [error.what for error in wrong[1:]]
        readable = f"; {len(named)} of {len(files)} can be read" if named else ""
        raise UsageError(f"{wrong[0].what}{readable}", wrong[0].hint, "\n".join(more))
    return named


def _show(found: Report, form: Format) -> None:
    text = _FORMATS[form](found)
    sys.stdout.write(text)
    sys.stdout.flush()


def _text(found: Report) -> str:
    from rig.report.text import render_check, render_compare  # noqa: PLC0415

    return render_compare(found) if found.pairs else render_check(found)


def _markdown(found: Report) -> str:
    from rig.report.markdown import render  # noqa: PLC0415

    return render(found)


def _json(found: Report) -> str:
    from rig.report.document import to_json  # noqa: PLC0415

    return to_json(found).decode()


def _junit(found: Report) -> str:
    from rig.report.junit import render  # noqa: PLC0415

    return render(found)


def _github(found: Report) -> str:
    """Annotations; the summary goes to its file, never to standard output.

    There a line of it would be a command to the runner.
    """
    from rig.report.github import commands, step_summary  # noqa: PLC0415

    path = os.environ.get(_SUMMARY)
    if not path:
        return commands(found)
    try:
        with open(path, "a", encoding="utf-8") as out:
            out.write(step_summary(found))
    except OSError as error:
        raise StoreFault(f"{_SUMMARY} {path}: cannot be written: {error.strerror}") from error
    return commands(found)


def _html(found: Report) -> str:
    from rig.report.html import render  # noqa: PLC0415

    return render(found)


_FORMATS: Mapping[Format, Callable[[Report], str]] = {
    Format.TEXT: _text,
    Format.MARKDOWN: _markdown,
    Format.JSON: _json,
    Format.JUNIT: _junit,
    Format.GITHUB: _github,
    Format.HTML: _html,
}


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
