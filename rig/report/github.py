"""The report for GitHub Actions: a step summary, and annotations on the run.

Workflow commands are lines of standard output; their text is escaped, so that nothing that a
guest prints can be a command.
"""

from __future__ import annotations

import re

from rig.report.document import Report
from rig.report.layout import clean
from rig.report.markdown import MARK, render
from rig.report.view import Failing, failing, headline

MOST = 10
"""GitHub shows so many errors of a step."""

_PLACE = re.compile(r"(?P<file>[A-Za-z0-9._/+-]+\.[chS]):(?P<line>\d+):")


def step_summary(report: Report) -> str:
    """For the file that GITHUB_STEP_SUMMARY names."""
    return render(report).removeprefix(f"{MARK}\n")


def commands(report: Report) -> str:
    """``::error ...::text`` lines; what is not the core's fault is a warning."""
    found = failing(report)
    lines = [_annotation(one) for one in found[:MOST]]
    if len(found) > MOST:
        lines.append(
            f"::error title=rig::{_escape(f'{len(found) - MOST} more in the summary')}"
        )
    top = headline(report)
    if not found and top.state != "good":
        lines.append(f"::warning title=rig::{_escape(f'{top.title}: {top.text}')}")
    return "".join(f"{line}\n" for line in lines)


def _annotation(one: Failing) -> str:
    level = "error" if one.blame == "core" else "warning"
    text = [f"{one.verdict}: {one.message}"]
    text += [f"case {one.case}"] if one.case else []
    text += list(one.diagnosis)
    text += [f"again: {one.again}"] if one.again else []
    properties = f"title={_property(f'rig: {one.where}')}"
    place = _PLACE.match(one.message)
    if place:
        properties += f",file={_property(place['file'])},line={place['line']}"
    return f"::{level} {properties}::{_escape(chr(10).join(text))}"


def _escape(text: str) -> str:
    lines = (clean(line).replace("%", "%25") for line in text.split("\n"))
    return "%0A".join(lines)


def _property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
