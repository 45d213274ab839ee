"""Shards put together: all of it, or said aloud what is missing or contradicts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from event_stream import GCC, SETUPS, campaign
from typer.testing import CliRunner

from rig.cli import app
from rig.errors import ExitCode, UsageError
from rig.report.document import Report, save
from rig.report.fold import fold
from rig.report.merge import merge
from rig.shards import Shard, parse_shard, share
from rig.verdicts import Verdict


def shard(number: int, of: int = 2) -> Report:
    """A part of the good half of a campaign: two setups, each a shard."""
    whole = fold(campaign())
    setup = SETUPS[number - 1]
    cells = tuple(
        replace(
            cell, setup=setup, verdict=Verdict.PASS, finding=None, failure=None, diagnosis=()
        )
        for cell in whole.cells
        if cell.setup == GCC
    )
    facts = next(one for one in whole.setups if one.id == GCC)
    pair = next(one for one in whole.pairs if one.setup == GCC)
    return replace(
        whole,
        cells=cells,
        setups=(replace(facts, id=setup),),
        pairs=(replace(pair, setup=setup),),
        complete=True,
        shard=f"{number}/{of}",
    )


def changed(report: Report, **cell: object) -> Report:
    first, *others = report.cells
    return replace(report, cells=(replace(first, **cell), *others))


def both() -> list[tuple[str, Report]]:
    return [("a.json", shard(1)), ("b.json", shard(2))]


def test_all_shards_are_the_whole():
    merged = merge(both())
    assert merged.problems == ()
    assert merged.exit_code is ExitCode.GOOD
    report = merged.report
    assert report.complete
    assert [cell.setup for cell in report.cells] == [*[SETUPS[0]] * 2, *[SETUPS[1]] * 2]
    assert [pair.setup for pair in report.pairs] == list(SETUPS[:2])
    assert report.counts == {"compilations": 10}
    assert report.seconds == pytest.approx(18.5)
    assert report.shard == ""


def test_the_command_of_the_whole_has_no_shard():
    typed = ("rig", "compare", "--shard", "1/2", "--json=a.json", "--on", "i386")
    parts = [(name, replace(report, command=typed)) for name, report in both()]
    assert merge(parts).report.command == ("rig", "compare", "--on", "i386")


def test_the_order_of_files_does_not_matter_for_the_verdict():
    merged = merge(both()[::-1])
    assert (merged.exit_code, len(merged.report.cells)) == (ExitCode.GOOD, 4)


def test_a_shard_that_never_came_is_told_and_is_no_success():
    merged = merge([("a.json", shard(1, 4)), ("c.json", shard(3, 4))])
    assert merged.problems == ("shards 2/4, 4/4 never came",)
    assert merged.exit_code is ExitCode.ENVIRONMENT
    assert not merged.report.complete
    assert merged.report.reason == "shards 2/4, 4/4 never came"


def test_a_core_that_failed_stays_a_failure_where_a_shard_is_missing():
    failed = changed(shard(1), verdict=Verdict.MISMATCH)
    assert merge([("a.json", failed)]).exit_code is ExitCode.CORE_FAILED


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        (shard(1), "shard 1/2 came twice: a.json and b.json"),
        (shard(2, 3), "b.json is shard 2/3, others are of 2"),
        (replace(shard(2), shard=""), "b.json is no shard, others are"),
        (replace(shard(2), rig="9.9"), "two versions of rig: 0.1.0 (a.json) and 9.9 (b.json)"),
        (replace(shard(2), seed=8), "two seeds: 7 (a.json) and 8 (b.json)"),
        (replace(shard(2), checks=("vectors",)), "two lists of checks"),
        (replace(shard(2), complete=False, reason="interrupted"), "b.json is partial: 2 of 2"),
        (
            replace(shard(2), cores=(replace(shard(2).cores[0], digest="feed"),)),
            "core unrolled is not the same: 0123456789ab in a.json, feed in b.json",
        ),
    ],
)
def test_what_does_not_fit_is_told(second, problem):
    merged = merge([("a.json", shard(1)), ("b.json", second)])
    assert problem in "; ".join(merged.problems)
    assert merged.exit_code is ExitCode.ENVIRONMENT


def test_a_cell_that_two_judge_differently_is_told_and_the_worse_counts():
    other = changed(replace(shard(1), shard=""), verdict=Verdict.MISMATCH)
    merged = merge([("a.json", replace(shard(1), shard="")), ("b.json", other)])
    assert f"{GCC}/unrolled: PASS in a.json, MISMATCH in b.json" in merged.problems
    assert merged.exit_code is ExitCode.CORE_FAILED


def test_an_exact_figure_that_differs_is_told():
    one = replace(shard(1), shard="")
    size = replace(one.cells[0].measurements[0], value=1)
    other = changed(one, measurements=(size,))
    problems = merge([("a.json", one), ("b.json", other)]).problems
    assert problems == (f"{GCC}/unrolled: size 27575 in a.json, 1 in b.json",)


def test_a_cell_without_a_verdict_gives_way_to_one_with():
    merged = merge(
        [
            ("a.json", changed(shard(1), verdict=None)),
            ("b.json", replace(shard(1), shard="1/2")),
        ]
    )
    cell = merged.report.cell(GCC, "unrolled")
    assert cell is not None
    assert cell.verdict is Verdict.PASS


def test_nothing_to_merge_is_usage():
    with pytest.raises(UsageError):
        merge([])


# ------------------------------------------------------------------------------ the command


def run(tmp_path, *reports: tuple[str, Report], form: str = "text"):
    for name, report in reports:
        save(report, tmp_path / name)
    files = [str(tmp_path / name) for name, _ in reports]
    return CliRunner().invoke(app, ["report", "--merge", *files, "--format", form])


@pytest.mark.parametrize("form", ["text", "markdown", "json", "junit", "github", "html"])
def test_the_command_fails_on_a_lost_shard_in_every_form(tmp_path, form, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    done = run(tmp_path, ("a.json", shard(1)), form=form)
    assert done.exit_code == 3
    assert "shard 2/2 never came" in done.stdout
    assert "shard 2/2 never came" in done.stderr


def test_the_command_on_all_shards(tmp_path):
    done = run(tmp_path, *both())
    assert done.exit_code == 0
    assert "4 cells: 4 PASS" in done.stdout


def test_two_schema_versions_are_told_with_both_files(tmp_path):
    save(shard(1), tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text()
    (tmp_path / "b.json").write_text(text.replace("hashrig-report/1", "hashrig-report/2"))
    files = [str(tmp_path / name) for name in ("a.json", "b.json")]
    done = CliRunner().invoke(app, ["report", "--merge", *files])
    assert done.exit_code == 2
    assert (
        "b.json: its schema is hashrig-report/2, this rig reads hashrig-report/1" in done.stderr
    )
    assert "1 of 2 can be read" in done.stderr


def test_several_files_need_merge(tmp_path):
    save(shard(1), tmp_path / "a.json")
    done = CliRunner().invoke(app, ["report", str(tmp_path / "a.json")] * 1 + ["x.json"])
    assert done.exit_code == 2
    assert "--merge" in done.stderr


# ---------------------------------------------------------------------------------- shards


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 20])
def test_shards_are_all_items_each_once_in_order(count):
    items = list(range(12))
    parts = [share(items, Shard(index, count)) for index in range(1, count + 1)]
    assert [item for part in parts for item in part] == items
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize(
    "text", ["0/2", "3/2", "x", "1", "1/2/3", "-1/2", "1/0", "1/2\n", "²/3"]
)
def test_what_is_no_shard(text):
    with pytest.raises(UsageError, match="no shard"):
        parse_shard(text)


# ---------------------------------------------------------------------------------- matrix


def matrix(*words: str) -> str:
    done = CliRunner().invoke(app, ["matrix", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_matrix_is_every_setup_once_in_the_shards_that_rig_takes():
    jobs = json.loads(matrix("--shards", "4"))
    setups = [setup for job in jobs for setup in job["setups"]]
    assert len(setups) == len(set(setups)) == 6
    assert [job["shard"] for job in jobs] == ["1/4", "2/4", "3/4", "4/4"]
    assert all(image.startswith("hashrig-trixie-") for job in jobs for image in job["images"])


def test_never_more_shards_than_setups():
    assert len(json.loads(matrix("--on", "i386", "--shards", "9"))) == 2


def test_the_matrix_for_github_is_one_line_of_strings():
    text = matrix("--format", "github")
    assert text.count("\n") == 1
    rows = json.loads(text)["include"]
    assert all(isinstance(value, str) for row in rows for value in row.values())


def test_the_matrix_for_gitlab_is_yaml_of_the_same_jobs():
    import yaml

    found = yaml.safe_load(matrix("--format", "gitlab", "--shards", "2"))
    rows = found[".rig-matrix"]["parallel"]["matrix"]
    jobs = json.loads(matrix("--shards", "2"))
    assert [row["RIG_SHARD"] for row in rows] == ["1/2", "2/2"]
    assert [row["RIG_SETUPS"].split() for row in rows] == [job["setups"] for job in jobs]
