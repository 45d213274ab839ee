"""The report as a comment on a pull request: Markdown as GitHub and GitLab read it.

Text that came from outside stands in code only, so nothing in it is markup, a link or a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rig.report.document import CellReport, Report
from rig.report.layout import clean
from rig.report.text import setup_labels
from rig.report.view import (
    MINUS,
    Failing,
    change,
    columns,
    failing,
    figure,
    headline,
    left_out,
    pair_cells,
    percent,
    state,
    story,
    time_notes,
    timed,
    tools,
    verdict_of,
    whose,
)
from rig.verdicts import Verdict

MARK = "<!-- rig-report -->"
"""First line of a comment, by which the next run finds it."""

LIMIT = 60_000
"""Characters. GitHub takes 65,536 in a comment."""

_SIGNS = {
    "good": "&#x2705;",
    "bad": "&#x274C;",
    "unknown": "&#x26A0;&#xFE0F;",
    "none": "&#x2796;",
}


def render(report: Report) -> str:
    """Verdict, table, failures, then what it rests on, folded away."""
    top = headline(report)
    parts = [
        MARK,
        f"### {_SIGNS[top.state]} rig: {top.title}",
        "",
        code_or_plain(f"{top.text}."),
        "",
        *(_pairs(report) if report.pairs else _table(report)),
    ]
    parts += [code_or_plain(line) + "\n" for line in story(report)]
    for core, sentences in report.across.items():
        parts.append(f"**{code(core)}** {code('; '.join(sentences))}\n")
    for one in failing(report):
        parts += _failure(one)
    parts += _left_out(report) + _timing(report) + _about(report)
    return _fit("\n".join(parts).rstrip() + "\n")


def code(text: str) -> str:
    """A code span that nothing within can leave; also within a table."""
    inner = clean(text).replace("|", "\\|")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", inner)), default=0))
    pad = " " if inner.startswith("`") or inner.endswith("`") or not inner.strip() else ""
    return f"{ticks}{pad}{inner}{pad}{ticks}"


def block(lines: Sequence[str]) -> list[str]:
    """A fenced block that nothing within can close."""
    cleaned = [clean(line) for line in lines]
    runs = re.findall("`+", "\n".join(cleaned))
    fence = "`" * max(3, 1 + max((len(run) for run in runs), default=0))
    return [f"{fence}text", *cleaned, fence]


def code_or_plain(text: str) -> str:
    """Plain words as they are; anything that could be markup as code."""
    return text if re.fullmatch(r"[A-Za-z0-9_ ,.;:%+/()-]*", text) else code(text)


def _pairs(report: Report) -> list[str]:
    """Before -> after (change) of each figure, a row a setup."""
    labels, shown = setup_labels(report), columns(report)
    heads = ["setup", *(f"{c.head} ({c.unit})" for c in shown), "verdict"]
    rows = []
    for pair in report.pairs:
        before, after = pair_cells(report, pair)
        cells = [code(" ".join(labels[pair.setup].split()))]
        for column in shown:
            one, other = before.measurement(column.name), after.measurement(column.name)
            moved = percent(change(one, other))
            cells.append(_moved(figure(one), figure(other), moved))
        cells.append(" / ".join(dict.fromkeys([_verdict(before), _verdict(after)])))
        rows.append(cells)
    sides = dict.fromkeys((pair.before, pair.after) for pair in report.pairs)
    titles = ", ".join(f"{code(one)} &rarr; {code(other)}" for one, other in sides)
    return [titles, "", *_grid(heads, rows)]


def _moved(before: str, after: str, moved: str) -> str:
    if before == after == MINUS:
        return MINUS
    text = f"{before} &rarr; **{after}**"
    return f"{text} ({moved})" if moved else text


def _table(report: Report) -> list[str]:
    labels, shown = setup_labels(report), columns(report)
    heads = ["core", "setup", *(f"{c.head} ({c.unit})" for c in shown), "cases", "verdict"]
    rows = [
        [
            code(cell.core),
            code(" ".join(labels[cell.setup].split())),
            *(figure(cell.measurement(column.name)) for column in shown),
            f"{cell.tried:,}",
            _verdict(cell),
        ]
        for cell in report.cells
    ]
    return _grid(heads, rows)


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    first = ["---"] + ["---:"] * (len(heads) - 2) + ["---"]
    lines = [heads, first, *rows]
    return [*(f"| {' | '.join(cells)} |" for cells in lines), ""]


def _verdict(cell: CellReport) -> str:
    name = cell.verdict.value if cell.verdict else "not judged"
    return name if cell.verdict is Verdict.PASS else f"{_SIGNS[state(cell.verdict)]} {name}"


def _failure(one: Failing) -> list[str]:
    lines = [one.message, *([one.hint] if one.hint else [])]
    if one.case:
        lines += [f"case      {one.case}"]
    if one.expected or one.got:
        lines += [f"expected  {one.expected}", f"got       {one.got}"]
        lines += [one.difference] if one.difference else []
    lines += [f"diagnosis: {sentence}" for sentence in one.diagnosis]
    lines += one.detail
    again = one.again or one.command
    sign = _SIGNS["bad" if one.blame == "core" else "unknown"]
    head = f"{sign} {code(one.where)}: {one.verdict}"
    parts = ["<details open>", f"<summary>{_html_code(one.where)}: {one.verdict}</summary>", ""]
    parts += [head + (f" in {code(one.check)}" if one.check else ""), "", *block(lines)]
    if again:
        parts += ["", "Again:", "", *block([again])]
    return [*parts, "", "</details>", ""]


def _html_code(text: str) -> str:
    safe = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<code>{safe}</code>"


def _left_out(report: Report) -> list[str]:
    rows = left_out(report)
    if not rows:
        return []
    lines = [
        f"- {count} x {verdict}, {code(name)}: {code(why)}"
        for verdict, name, why, count in rows
    ]
    return ["<details>", "<summary>Not judged</summary>", "", *lines, "", "</details>", ""]


def _timing(report: Report) -> list[str]:
    labels = setup_labels(report)
    rows = [
        [
            code(" ".join(labels[pair.setup].split())),
            code(whose(timing)),
            figure(timing.before),
            figure(timing.after),
            f"{timing.ratio.value:.3f}{verdict_of(timing)}",
        ]
        for pair, timing in timed(report)
    ]
    if not rows:
        return []
    note = " ".join(time_notes(report))
    grid = _grid(["setup", "whose time", "before, MB/s", "after, MB/s", "after / before"], rows)
    return ["<details>", "<summary>Time</summary>", "", note, "", *grid, "</details>", ""]


def _about(report: Report) -> list[str]:
    lines = [f"- engine: {code(report.engine)}"]
    if not report.isolated:
        lines.append("- no isolation: commands ran on the machine itself")
    lines += [f"- {code(target)}: {code(words)}" for target, words in tools(report)]
    for core in report.cores:
        lines.append(
            f"- core {code(core.name)}: {code(core.origin)}, digest {code(core.digest)}"
        )
    lines += [f"- rig {code(report.rig)}, seed {report.seed}, {code(report.started)}"]
    head = ["<details>", "<summary>What it rests on</summary>", "", *lines, ""]
    return [*head, *block([" ".join(report.command)]), "", "</details>", ""]


def _fit(text: str) -> str:
    """Cut at a line, with a word about it, where it would not fit into a comment."""
    if len(text) <= LIMIT:
        return text
    kept = text[: LIMIT - 200].rpartition("\n")[0]
    opened = kept.count("<details") - kept.count("</details>")
    fence = "\n```" if kept.count("\n```") % 2 else ""
    return (
        f"{kept}{fence}{chr(10)}{'</details>' * opened}\n\nCut here: the report is too long.\n"
    )
