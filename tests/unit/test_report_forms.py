"""Reports for pull requests, CI and browsers: what they say, and that nothing gets out."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from event_stream import CASE, CLANG, GCC, RIGHT, WRONG, campaign, mismatch
from typer.testing import CliRunner

from rig.cli import app
from rig.report import github, html, junit, markdown, view
from rig.report.document import Report, save
from rig.report.fold import fold
from rig.verdicts import Finding, Measurement, Verdict

HOSTILE = (
    "</code></pre></td><script>alert(1)</script><img src=x onerror=alert(1)> {{7*7}} ``` `x` | "
    "@everyone #1 ::error::x\n::set-output name=x::y ]]> &lt; \x00\x1b[31m\ud800"
)


@pytest.fixture
def report() -> Report:
    return fold(campaign())


@pytest.fixture
def good(report: Report) -> Report:
    """Only the cells that passed."""
    setups = tuple(setup for setup in report.setups if setup.id == GCC)
    cells = tuple(cell for cell in report.cells if cell.setup == GCC)
    pairs = tuple(pair for pair in report.pairs if pair.setup == GCC)
    return replace(report, setups=setups, cells=cells, pairs=pairs, complete=True)


@pytest.fixture
def hostile(report: Report) -> Report:
    """Everything that can come from outside, as bad as it gets."""
    finding = Finding("x" + HOSTILE, Verdict.MISMATCH, HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    cells = tuple(
        replace(
            cell,
            finding=finding,
            verdict=Verdict.MISMATCH,
            diagnosis=(HOSTILE,),
            build=replace(cell.build, warnings=HOSTILE, command=("cc", HOSTILE))
            if cell.build
            else None,
        )
        for cell in report.cells
    )
    cores = tuple(replace(core, origin=HOSTILE) for core in report.cores)
    return replace(
        report,
        cells=cells,
        cores=cores,
        engine=HOSTILE,
        reason=HOSTILE,
        command=("rig", HOSTILE),
        across={"rolled": (HOSTILE,)},
        complete=False,
    )


class Page(HTMLParser):
    """Tags and text of a page; fails on tags that are not closed in order."""

    VOID = ("meta", "rect", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


# ------------------------------------------------------------------------------------ view


def test_the_headline_is_the_verdict(report, good):
    top = view.headline(report)
    assert (top.state, top.title) == ("bad", "2 of 8 cells failed")
    assert "1 MISMATCH, 1 BUILD_FAILED" in top.text
    assert view.headline(good).title == "Every answer was right"
    assert view.headline(good).state == "good"
    partial = view.headline(replace(good, complete=False, reason="interrupted"))
    assert (partial.state, partial.title) == ("unknown", "Partial: 2 of 2 cells judged")
    environment = replace(good.cells[0], verdict=Verdict.ENVIRONMENT)
    top = view.headline(replace(good, cells=(environment, good.cells[1])))
    assert (top.state, top.title) == ("unknown", "1 of 2 cells could not be judged")


def test_a_report_without_cells_is_not_good(good):
    assert view.headline(replace(good, cells=())).state == "unknown"


def test_a_cell_that_was_left_out_is_no_failure(good):
    left = replace(good.cells[0], verdict=Verdict.NOT_COVERED)
    assert view.headline(replace(good, cells=(left, good.cells[1]))).state == "good"


@pytest.mark.parametrize(
    ("value", "exact", "low", "text"),
    [(27575, True, None, "27,575"), (60.94, False, None, "60.9"), (None, True, None, "-"),
     (488, False, 488, ">=488")],
)  # fmt: skip
def test_figures(value, exact, low, text):
    assert view.figure(Measurement("x", value, "bytes", "m", exact, low=low)) == text


def test_what_changed_is_told_without_a_word_about_speed(report):
    (story,) = view.story(report)
    assert story == "rolled against unrolled: size -87 %, frame +3.3 %."
    everything = html.render(report) + markdown.render(report)
    assert not re.search(r"\bfaster|\bslower", everything)


def test_the_fault_of_the_core_is_told_first(report):
    assert [one.blame for one in view.failing(report)] == ["core", "core", "environment"]


# -------------------------------------------------------------------------------- markdown


def test_a_comment_has_verdict_table_case_and_command(report):
    text = markdown.render(report)
    assert text.startswith(markdown.MARK + "\n### ")
    assert "2 of 8 cells failed" in text
    assert "| `i386, gcc-14` | 27,575 &rarr; **3,627** (-87 %) |" in text
    assert CASE in text
    assert RIGHT in text
    assert WRONG in text
    assert f"rig check rolled --on {CLANG} --case '{CASE}'" in text
    assert "do not read it as speed" in text


def test_nothing_gets_out_of_a_comment(hostile):
    text = markdown.render(hostile)
    assert text.isprintable() or all(c.isprintable() or c == "\n" for c in text)
    fences = re.split(r"(?m)^(`{3,})text\n(.*?)^\1$", text, flags=re.DOTALL)
    outside = "".join(fences[::3])
    outside = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", outside)
    for bad in ("<script", "<img", "@everyone", "::error", "{{"):
        assert bad not in outside
    rows = [line for line in text.split("\n") if line.startswith("| `")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows[:4]}) == 1


def test_a_long_comment_is_cut_where_github_would_refuse_it(report):
    cells = tuple(replace(report.cells[3], core=f"core{n}") for n in range(400))
    text = markdown.render(replace(report, cells=cells, pairs=()))
    assert len(text) <= markdown.LIMIT
    assert text.endswith("Cut here: the report is too long.\n")
    assert text.count("<details") == text.count("</details>")
    assert text.count("\n```") % 2 == 0


# ---------------------------------------------------------------------------------- github


def test_annotations_name_place_case_and_command(report):
    lines = github.commands(report).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::error", "::warning"]
    assert "again: rig check rolled" in lines[0]
    assert "file=rolled.c,line=12" in lines[1]


def test_a_guest_cannot_give_workflow_commands(hostile):
    for line in github.commands(hostile).splitlines():
        assert re.match(r"::(error|warning) title=", line)
        assert line.isascii()


def test_a_good_run_has_no_annotations(good):
    assert github.commands(good) == ""
    assert github.commands(replace(good, complete=False)).startswith("::warning ")


def test_only_annotations_stand_on_standard_output(report, tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    save(report, tmp_path / "r.json")
    done = CliRunner().invoke(app, ["report", str(tmp_path / "r.json"), "--format", "github"])
    assert all(line.startswith("::") for line in done.output.splitlines())


def test_the_summary_goes_to_its_file(report, tmp_path, monkeypatch):
    save(report, tmp_path / "r.json")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    done = CliRunner().invoke(app, ["report", str(tmp_path / "r.json"), "--format", "github"])
    assert done.exit_code == 0
    assert done.output.startswith("::error ")
    assert (tmp_path / "summary.md").read_text().startswith("### ")


# ----------------------------------------------------------------------------------- junit


def test_junit_has_a_case_a_check_and_figures_to_chart(report):
    root = ElementTree.fromstring(junit.render(report))
    cases = list(root.iter("testcase"))
    assert int(root.attrib["tests"]) == len(cases)
    assert int(root.attrib["failures"]) == len(root.findall(".//failure")) == 3
    assert int(root.attrib["errors"]) == len(root.findall(".//error")) == 2
    sizes = {p.get("value") for p in root.iter("property") if p.get("name") == "rig.size"}
    assert sizes == {"27575", "3627"}
    failed = [
        f for f in root.iter("failure") if "byte" not in (f.text or "") and CASE in f.text
    ]
    assert failed
    assert any(f"rig check rolled --on {CLANG}" in (f.text or "") for f in root.iter("failure"))


def test_junit_is_xml_whatever_was_printed(hostile):
    text = junit.render(hostile)
    root = ElementTree.fromstring(text)
    assert text.isascii()
    assert list(root.iter("failure"))


def test_a_partial_run_is_an_error_in_junit(good):
    text = junit.render(replace(good, complete=False, reason="shard 2/3 never came"))
    (error,) = ElementTree.fromstring(text).iter("error")
    assert "shard 2/3 never came" in str(error.get("message"))


# ------------------------------------------------------------------------------------ html


def test_the_page_needs_nothing_else(report):
    text = html.render(report)
    page = Page(text)
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert not [v for n, v in page.attributes if n in ("src", "href") and not v.startswith("#")]
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert "default-src 'none'" in text


def test_the_verdict_comes_first_and_every_cell_has_a_section(report):
    text = html.render(report)
    order = [
        "2 of 8 cells failed",
        "What failed",
        "Before and after",
        "Figures",
        "Cell by cell",
    ]
    places = [text.index(word) for word in order]
    assert places == sorted(places)
    page = Page(text)
    ids = {value for name, value in page.attributes if name == "id"}
    assert len(ids) == len(report.cells)
    links = {v.removeprefix("#") for n, v in page.attributes if n == "href" and v}
    assert links <= ids
    assert page.tags.count("svg") > 8


def test_bars_are_as_long_as_their_figures(report):
    chart = html._charts(report, {s.id: s.id for s in report.setups})[0]
    group = next(group for group in chart.groups if group.label == GCC)
    assert [bar.width for bar in group.bars] == [100.0, pytest.approx(3627 / 275.75, abs=0.01)]
    assert group.moved == "-87 %"


def test_the_differing_byte_is_marked(report):
    text = html.render(report)
    at = next(i for i, (a, b) in enumerate(zip(RIGHT, WRONG, strict=True)) if a != b)
    start = at // 2 * 2
    assert f"<mark>{RIGHT[start : start + 2]}</mark>" in text
    assert f"<mark>{WRONG[start : start + 2]}</mark>" in text
    assert mismatch().case in text


def test_nothing_gets_out_of_the_page(hostile):
    text = html.render(hostile)
    page = Page(text)
    assert text.isascii()
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "{{7*7}}" in page.text


def test_a_check_report_has_a_row_a_cell(report):
    page = Page(html.render(replace(report, pairs=())))
    assert page.tags.count("details") == len(report.cells)


# ------------------------------------------------------------------------------ the command


@pytest.mark.parametrize("form", ["text", "markdown", "json", "junit", "github", "html"])
def test_every_form_of_the_command(report, tmp_path, form, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    save(report, tmp_path / "r.json")
    done = CliRunner().invoke(app, ["report", str(tmp_path / "r.json"), "--format", form])
    assert done.exit_code == 0, done.output
    assert "rolled" in done.output
