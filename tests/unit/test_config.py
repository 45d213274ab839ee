"""Settings of a project: found, read strictly, told with place and near names."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from rig import catalog, config
from rig.budgets import Budget, judge
from rig.cli import app
from rig.errors import ConfigError, RigError
from rig.verdicts import Measurement, Verdict

CORE = '#include "rot.h"\nvoid blake2b_compress(void) {}\n'


@pytest.fixture
def project(tmp_path: Path):
    """Writes rig.toml (or another file) and reads the settings around the folder."""

    def write(text: str, name: str = "rig.toml") -> config.Project:
        (tmp_path / name).write_text(text)
        return config.find(tmp_path)

    config._found.cache_clear()
    return write


def test_without_a_file_all_is_default(tmp_path):
    found = config.find(tmp_path)
    assert found.settings == config.Settings()
    assert found.path is None
    assert found.catalog.core_names() == catalog.load().built_in_names()


def test_found_from_a_folder_below(project, tmp_path):
    project('setups = ["i386"]\nprofile = "user"\nchecks = ["vectors"]\nstrict = true\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    found = config.find(below)
    assert found.path == tmp_path / "rig.toml"
    assert found.settings.setups == ("i386",)
    assert found.settings.strict is True


def test_in_pyproject(project):
    found = project('[tool.rig]\nengine = "host"\n', "pyproject.toml")
    assert found.settings.engine == "host"


def test_a_pyproject_of_others_is_passed_over(project, tmp_path):
    (tmp_path / "rig.toml").write_text("strict = true\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text('[project]\nname = "original"\n')
    assert config.find(inner).settings.strict is True


def test_two_files_in_one_folder_are_refused(project, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.rig]\n")
    with pytest.raises(ConfigError, match=r"both rig\.toml and"):
        project("strict = true\n")


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("engine =\n", "not valid TOML", ""),
        ('setup = ["i386"]\n', "rig.toml: setup: unknown key 'setup'", "near names: setups"),
        ("[cores.a]\nfiles = 'x.c'\n", "cores.a.files: unknown key", "file"),
        ("[[budgets]]\nsze = 3\n", "budgets.0.sze: unknown key 'sze'", "near names: size"),
        ("strict = 1\n", "strict: should be a valid boolean, not 1", ""),
        ("engine = 'podman'\n", "engine: should be 'docker' or 'host', not \"podman\"", ""),
        ("setups = 'i386'\n", "setups: ", ""),
        ("[[budgets]]\nsize = 'x'\n", "budgets.0.size: ", ""),
        ("cores = 3\n", "cores: ", ""),
    ],
)  # fmt: skip
def test_wrong_keys_and_values_are_told_with_their_place(project, text, what, hint):
    with pytest.raises(ConfigError) as caught:
        project(text)
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_all_mistakes_are_told_at_once(project):
    with pytest.raises(ConfigError) as caught:
        project("setup = []\nstrct = true\n")
    told = f"{caught.value}{caught.value.detail}"
    assert "unknown key 'setup'" in told
    assert "unknown key 'strct'" in told
    assert "strict" in told


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("profile = 'kernal'\n", "profile: 'kernal' is not known", "kernel"),
        ("setups = ['i368']\n", "setups: no setup matches 'i368'", "i386"),
        ("[cores.m]\nfile = 'x.c'\nadapter = 'ful'\n", "cores.m.adapter: 'ful'", "full"),
        ("[cores.m]\n", "cores.m: needs one of 'file' and 'source'", ""),
        ("[cores.m]\nfile = 'a'\nsource = 'b'\n", "cores.m: needs one of", ""),
        ("[cores.rolled]\nfile = 'x.c'\n", "cores.rolled: a built-in core has this name", ""),
        ("targets = ['none']\n", "targets: there is no folder", ""),
    ],
)
def test_wrong_names_are_told_with_their_place(project, text, what, hint):
    found = project(text)
    with pytest.raises(ConfigError) as caught:
        assert found.catalog
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_a_core_of_the_project_is_a_name_like_any_other(project, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "include" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "x.c").write_text(CORE)
    (tmp_path / "src" / "rot.h").write_text("/* beside */\n")
    (tmp_path / "include" / "deep" / "y.h").write_text("/* below */\n")
    known = project(
        "[cores.mine]\nfile = 'src/x.c'\ndefines = ['FAST=1']\ninclude = ['include']\n"
        "symbol = 'inner'\n"
    ).catalog
    core = known.core("mine")
    assert known.core_names()[0] == "mine"
    assert (core.name, core.symbol, core.defines, core.origin) == (
        "mine", "inner", ("FAST=1",), "mine",
    )  # fmt: skip
    assert core.include == ("include0",)
    assert set(core.files) == {"x.c", "rot.h", "include0/deep/y.h"}
    assert known.core("mine") is core


def test_a_named_adapter_is_taken_as_it_is(project, tmp_path):
    (tmp_path / "x.c").write_text("int something_else;\n")
    core = project("[cores.m]\nfile = 'x.c'\nadapter = 'full'\n").catalog.core("m")
    assert (core.adapter, core.symbol) == ("full", "blake2b_compress")


def test_a_file_that_is_not_there_is_told_with_its_table(project):
    with pytest.raises(ConfigError, match=r"rig.toml: cores.m: there is no file .*x.c"):
        project("[cores.m]\nfile = 'x.c'\n").catalog.core("m")


def test_own_targets_extend_the_catalog(project, tmp_path):
    theirs = catalog.load().images / "i386"
    shutil.copytree(theirs, tmp_path / "targets" / "i486")
    known = project("targets = ['targets']\nsetups = ['i486/gcc']\n").catalog
    assert [s.id for s in known.setups(["i486/gcc"])] == ["i486/gcc/kernel"]
    assert "i386" in known.targets


def test_an_own_target_has_an_image_of_its_own(project, tmp_path):
    from rig.engines.image import Recipe
    from rig.model import ImageSpec

    theirs = catalog.load().images
    shutil.copytree(theirs / "i386", tmp_path / "targets" / "i486")
    (tmp_path / "targets" / "i486" / "apt.txt").write_text("gcc-m68k-linux-gnu\n")
    known = project("targets = ['targets']\n").catalog
    recipe = Recipe(known.images, tmp_path, known.extra)
    assert recipe.inputs(ImageSpec("i486"))["i486/apt.txt"] == b"gcc-m68k-linux-gnu\n"
    assert recipe.inputs(ImageSpec("i386")) == Recipe(theirs, tmp_path).inputs(
        ImageSpec("i386")
    )


def test_a_target_that_rig_has_already_is_refused(project, tmp_path):
    shutil.copytree(catalog.load().images / "i386", tmp_path / "targets" / "i386")
    with pytest.raises(ConfigError, match="has the same name"):
        assert project("targets = ['targets']\n").catalog.targets


def test_the_schema_takes_what_is_right_and_refuses_what_is_wrong():
    schema = config.json_schema()
    checker = jsonschema.Draft202012Validator(schema)
    good = {"cores": {"m": {"file": "x.c"}}, "budgets": [{"on": "i386", "size": 4096}]}
    assert checker.is_valid(good)
    assert not checker.is_valid({"setup": []})
    assert not checker.is_valid({"engine": "podman"})


def test_settings_are_read_without_pydantic_where_there_are_none(tmp_path):
    code = (
        "import sys, pathlib; from rig.config import find;"
        f"find(pathlib.Path({str(tmp_path)!r})).catalog; print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"False\n"


# ------------------------------------------------------------------------------- the verbs


def test_rig_config_shows_and_checks(project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.c").write_text("void blake2b_compress(void) {}\n")
    project("[cores.mine]\nfile = 'x.c'\n")
    done = CliRunner().invoke(app, ["config"])
    first, _, rest = done.output.partition("\n")
    assert first == f"# {tmp_path}/rig.toml"
    assert json.loads(rest)["cores"]["mine"]["file"] == "x.c"
    listed = CliRunner().invoke(app, ["list", "cores"])
    assert listed.output.startswith("mine")
    assert "of this project" in listed.output


def test_a_broken_file_is_usage(project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rig.toml").write_text("profil = 'user'\n")
    for words in (["config"], ["list", "cores"], ["check", "rolled"], ["compare"]):
        assert CliRunner().invoke(app, words).exit_code == 2


def test_options_come_before_settings(project, tmp_path, monkeypatch):
    from rig.cli import planning
    from rig.cli.running import Asked

    monkeypatch.chdir(tmp_path)
    project("setups = ['i386/gcc']\nprofile = 'user'\nchecks = ['vectors']\n")
    asked = Asked((), None, 1, "docker", None, 1, None, (), long=False, keep=False)
    plan = planning.plan_check(asked, ["rolled"])
    assert [setup.id for setup in plan.setups] == ["i386/gcc/user"]
    assert plan.checks == ("vectors",)
    over = Asked(
        ("arm32/clang",),
        "kernel",
        1,
        "docker",
        None,
        1,
        None,
        ("lengths",),
        long=False,
        keep=False,
    )
    plan = planning.plan_check(over, ["rolled"])
    assert [setup.id for setup in plan.setups] == ["arm32/clang/kernel"]
    assert plan.checks == ("lengths",)


# --------------------------------------------------------------------------------- budgets


def figure(name: str, value: float | None, note: str = "") -> Measurement:
    return Measurement(name, value, "bytes", "st_size", exact=True, note=note)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (4096, Verdict.PASS),
        (4097, Verdict.LIMIT_EXCEEDED),
        (None, Verdict.NOT_COVERED),
    ],
)
def test_a_limit_is_the_most_that_passes(value, verdict):
    budgets = [Budget({"size": 4096}, place="rig.toml: budgets.0")]
    (found,) = judge(budgets, "i386/gcc/kernel", "m", {"size": figure("size", value, "why")})
    assert found.verdict is verdict
    assert "4096" in found.message
    assert "rig.toml: budgets.0" in found.message


def test_a_figure_that_is_not_there_is_not_covered():
    (found,) = judge([Budget({"stack": 1})], "i386/gcc/kernel", "m", {})
    assert found.verdict is Verdict.NOT_COVERED


@pytest.mark.parametrize(
    ("on", "core", "meant"),
    [("*", "*", True), ("i386", "*", True), ("i386/*", "m", True), ("arm32", "*", False),
     ("*/gcc/*", "n*", False)],
)  # fmt: skip
def test_budgets_are_for_the_cells_that_globs_choose(on, core, meant):
    budget = Budget({"size": 1}, on=on, core=core)
    assert budget.meant_for("i386/gcc/kernel", "m") is meant
    assert bool(judge([budget], "i386/gcc/kernel", "m", {})) is meant


def test_project_budgets_have_their_place(project):
    found = project("[[budgets]]\non = 'i386'\nsize = 4096\nstack = 512.5\n")
    assert [(b.on, dict(b.limits)) for b in found.budgets] == [
        ("i386", {"size": 4096.0, "stack": 512.5})
    ]
    assert found.budgets[0].place.endswith("rig.toml: budgets.0")


def test_errors_of_settings_are_errors_of_usage():
    assert issubclass(ConfigError, RigError)
    assert ConfigError("x").exit_code == 2
