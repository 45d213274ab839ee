"""The files of CI and cluster: valid by their makers' schemas, and true to what rig does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from event_stream import GCC, campaign

from rig.report.document import save
from rig.report.fold import fold
from rig.verdicts import Verdict

TOP = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
WORKFLOW = TOP / ".github" / "workflows" / "rig.yml"
JOB = TOP / "docs" / "kubernetes" / "job.yaml"


def lint(*words: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(list(map(str, words)), capture_output=True, check=False, timeout=120)


def test_all_of_them_are_valid():
    done = lint(TOP / ".ci" / "lint_jobs", BIN)
    assert done.returncode == 0, done.stdout + done.stderr


SCHEMA = ("check-jsonschema", "--builtin-schema")
MISTAKES = {
    WORKFLOW: ("runs-on:", "run-on:", (*SCHEMA, "vendor.github-workflows")),
    TOP / ".gitlab-ci.yml": (
        "script:",
        "scripts:",
        (*SCHEMA, "vendor.gitlab-ci", "--data-transform", "gitlab-ci"),
    ),
    JOB: ("completions:", "completion:", ("kubernetes-validate", "--strict")),
}


@pytest.mark.parametrize("file", MISTAKES, ids=lambda file: file.name)
def test_the_linters_see_a_mistake(tmp_path, file):
    right, wrong, (tool, *others) = MISTAKES[file]
    path = tmp_path / file.name
    path.write_text(file.read_text().replace(right, wrong))
    assert lint(BIN / tool, *others, path).returncode != 0


def test_the_shards_of_the_cluster_are_all_shards():
    job = list(yaml.safe_load_all(JOB.read_text()))[1]["spec"]
    (container,) = job["template"]["spec"]["containers"]
    shards = next(one["value"] for one in container["env"] if one["name"] == "RIG_SHARDS")
    assert job["completions"] == job["parallelism"] == int(shards)
    (line,) = container["args"]
    assert '--shard "$((JOB_COMPLETION_INDEX + 1))/$RIG_SHARDS"' in line


def test_a_lost_shard_fails_the_workflow():
    jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"]
    assert jobs["shard"]["strategy"]["fail-fast"] is False
    assert jobs["report"]["needs"] == ["image", "shard"]
    assert jobs["report"]["if"].startswith("always()")
    upload = jobs["shard"]["steps"][-1]
    assert (upload["if"], upload["with"]["if-no-files-found"]) == ("always()", "error")
    gitlab = yaml.safe_load((TOP / ".gitlab-ci.yml").read_text())
    assert gitlab["report"]["rules"] == [{"when": "always"}]


def test_the_image_is_kept_by_all_that_its_toolchains_come_from():
    text = WORKFLOW.read_text()
    assert "hashFiles('Dockerfile', 'images/*/apt.txt', 'requirements-dev.lock')" in text
    recipe = (TOP / "Dockerfile").read_text()
    copied = [line.split()[-2] for line in recipe.splitlines() if line.startswith("COPY")]
    assert copied == ["images", "requirements-dev.lock", "."]


# ---------------------------------------------------------------------------- putting together


@pytest.fixture
def reports(tmp_path):
    """Two shards of a good campaign, in a folder."""
    whole = fold(campaign())
    for number in (1, 2):
        cells = tuple(
            replace(cell, setup=f"s{number}/gcc/kernel", verdict=Verdict.PASS, finding=None)
            for cell in whole.cells
            if cell.setup == GCC
        )
        part = replace(whole, cells=cells, setups=(), pairs=(), complete=True)
        save(replace(part, shard=f"{number}/2"), tmp_path / f"shard-{number}.json")
    return tmp_path


def merge(folder: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    """The script of the jobs, with rig from this environment instead of the image."""
    environ = {**os.environ, "RIG_IN_IMAGE": "1", "PATH": f"{BIN}:{os.environ['PATH']}"}
    environ.pop("GITHUB_ACTIONS", None)
    script = [str(TOP / ".ci" / "merge"), str(folder)]
    return subprocess.run(
        script, env={**environ, **more}, capture_output=True, check=False, timeout=120
    )


def test_the_merge_of_the_jobs_makes_every_form(reports):
    done = merge(reports)
    assert done.returncode == 0, done.stderr
    assert json.loads((reports / "report.json").read_text())["complete"] is True
    for name in ("summary.md", "junit.xml", "report.html"):
        assert (reports / name).stat().st_size > 200
    assert b"4 cells: 4 PASS" in done.stdout


def test_the_merge_fails_on_a_lost_shard_and_tells_it(reports):
    (reports / "shard-2.json").unlink()
    done = merge(reports, GITHUB_ACTIONS="true")
    assert done.returncode == 3
    assert b"::warning title=rig::Partial" in done.stdout
    assert "shard 2/2 never came" in (reports / "summary.md").read_text()


def test_the_merge_fails_when_nothing_came(tmp_path):
    assert merge(tmp_path).returncode == 2


def test_the_wrapper_passes_words_as_they_are(tmp_path):
    shutil.copytree(TOP / ".ci", tmp_path / ".ci")
    done = subprocess.run(
        [str(tmp_path / ".ci" / "in_image"), "printf", "%s|", "a b", "*", ""],
        env={**os.environ, "RIG_IN_IMAGE": "1"},
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"a b|*||"
