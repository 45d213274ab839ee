"""The report as JUnit XML: a suite a setup, a case a check and core, figures as properties.

All text is printable ASCII before it is XML, so the file is valid whatever a guest printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

from rig.report.document import CellReport, CheckReport, Report
from rig.report.layout import clean, clean_lines
from rig.report.view import Failing, failing
from rig.verdicts import VERDICTS, Blame, Finding, Verdict


def render(report: Report) -> str:
    """The whole file, with its declaration."""
    root = ElementTree.Element("testsuites", name="rig", time=f"{report.seconds:.3f}")
    told = {one.where: one for one in failing(report)}
    for setup in dict.fromkeys(cell.setup for cell in report.cells):
        cells = [cell for cell in report.cells if cell.setup == setup]
        root.append(_suite(report, setup, cells, told))
    _count(root, list(root))
    if not report.complete:
        suite = ElementTree.SubElement(root, "testsuite", name="rig", tests="1", errors="1")
        case = ElementTree.SubElement(suite, "testcase", classname="rig", name="complete")
        _problem(case, "error", "PARTIAL", clean(report.reason) or "stopped before its end")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _suite(
    report: Report, setup: str, cells: Iterable[CellReport], told: dict[str, Failing]
) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite", name=clean(setup), timestamp=clean(report.started), hostname="rig"
    )
    properties = ElementTree.SubElement(suite, "properties")
    facts = report.setup(setup).facts
    if facts:
        _property(properties, "compiler", f"{facts.toolchain.family} {facts.version}")
        _property(properties, "qemu", facts.qemu)
        _property(properties, "image", facts.image)
    _property(properties, "engine", report.engine)
    for cell in cells:
        _cell(suite, cell, told)
    _count(suite, [suite])
    return suite


def _cell(suite: ElementTree.Element, cell: CellReport, told: dict[str, Failing]) -> None:
    for check in cell.checks:
        _check(_case(suite, cell, check.check, check.seconds), check)
    judged = _case(suite, cell, "verdict", 0.0)
    figures = ElementTree.SubElement(judged, "properties")
    for item in cell.measurements:
        if item.value is not None:
            _property(figures, item.name, f"{item.value:.12g}")
    if cell.verdict is None:
        _problem(judged, "error", "ENVIRONMENT", "not judged")
        return
    blame = VERDICTS[cell.verdict].blame
    if blame is not Blame.NOBODY:
        one = told.get(clean(cell.id)) or told.get(clean(cell.setup))
        kind = "failure" if blame is Blame.CORE else "error"
        _problem(judged, kind, cell.verdict.value, _text(one) if one else "")
    elif cell.verdict is not Verdict.PASS:
        ElementTree.SubElement(judged, "skipped", message=VERDICTS[cell.verdict].meaning)
    if cell.build and cell.build.warnings:
        out = ElementTree.SubElement(judged, "system-out")
        out.text = "\n".join(clean_lines(cell.build.warnings))


def _check(case: ElementTree.Element, check: CheckReport) -> None:
    bad = [f for f in check.findings if VERDICTS[f.verdict].blame is not Blame.NOBODY]
    if bad:
        blame = VERDICTS[bad[0].verdict].blame
        kind = "failure" if blame is Blame.CORE else "error"
        _problem(case, kind, bad[0].verdict.value, "\n".join(map(_finding, bad)))
    elif check.findings and all(f.verdict is not Verdict.PASS for f in check.findings):
        ElementTree.SubElement(case, "skipped", message=_finding(check.findings[0]))


def _case(
    suite: ElementTree.Element, cell: CellReport, name: str, seconds: float
) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=clean(cell.id), name=clean(name), time=f"{seconds:.3f}"
    )


def _problem(case: ElementTree.Element, kind: str, verdict: str, text: str) -> None:
    first = text.partition("\n")[0]
    found = ElementTree.SubElement(case, kind, type=verdict, message=f"{verdict}: {first}")
    found.text = text


def _finding(finding: Finding) -> str:
    text = f"{finding.check}: {finding.message or VERDICTS[finding.verdict].meaning}"
    lines = [text, f"case {finding.case}"] if finding.case else [text]
    return "\n".join(clean(line) for line in lines)


def _text(one: Failing) -> str:
    lines = [one.message, one.hint, one.case and f"case {one.case}"]
    if one.expected or one.got:
        lines += [f"expected {one.expected}", f"got {one.got}"]
    lines += [*one.diagnosis, *one.detail, one.again and f"again: {one.again}"]
    return "\n".join(line for line in lines if line)


def _property(parent: ElementTree.Element, name: str, value: str) -> None:
    ElementTree.SubElement(parent, "property", name=f"rig.{clean(name)}", value=clean(value))


def _count(element: ElementTree.Element, suites: Iterable[ElementTree.Element]) -> None:
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    kinds = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    for suite in suites:
        for case in suite.iter("testcase"):
            counts["tests"] += 1
            for child in case:
                if child.tag in kinds:
                    counts[kinds[child.tag]] += 1
    for name, count in counts.items():
        element.set(name, str(count))
