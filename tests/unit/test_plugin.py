"""The pytest plugin, as far as it needs no engine: what is chosen, told and left out."""

from __future__ import annotations

import socket
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest

import rig.pytest_support  # loaded once, not by every session within this process

assert rig.pytest_support
CORE = "void blake2b_compress(void) {}\n"
NOWHERE = "unix:///nonexistent/rig-test.sock"

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _alone(monkeypatch, tmp_path):
    """No engine, a cache of one's own, and no plugin that these tests are not about."""
    monkeypatch.setenv("DOCKER_HOST", NOWHERE)
    monkeypatch.setenv("RIG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider -p no:hypothesispytest")


@pytest.fixture
def suite(pytester):
    """A small suite: one check-driven test, one of everything else."""
    pytester.makepyfile(
        """
        import pytest

        def test_core(rig_check):
            rig_check.require()

        def test_plain():
            pass
        """
    )
    return pytester


def collected(pytester, *words, apart: bool = False) -> list[str]:
    """Node ids. apart: from a process of its own."""
    run = pytester.runpytest_subprocess if apart else pytester.runpytest
    done = run("--collect-only", "-q", *words)
    assert done.ret in (0, 5), done.stdout.str()
    return [line for line in done.outlines if "::" in line]


# -------------------------------------------------------------------------- installed, unused


def test_an_unused_plugin_loads_nothing_of_rig(pytester):
    pytester.makepyfile(
        """
        import sys

        def test_loaded():
            loaded = {name for name in sys.modules if name.startswith("rig")}
            assert loaded <= {"rig", "rig.plugin"}, loaded
            assert not {"docker", "pydantic", "pexpect", "jinja2"} & set(sys.modules)
        """
    )
    pytester.runpytest_subprocess("--strict-markers").assert_outcomes(passed=1)


def test_markers_and_fixtures_are_known(suite):
    done = suite.runpytest("--markers")
    for name in ("rig_on", "rig_feature", "rig_budget", "rig_alone"):
        done.stdout.fnmatch_lines(f"@pytest.mark.{name}*")
    done = suite.runpytest("--fixtures", "-q")
    for name in ("check", "cell", "pair", "guest", "object", "measurements", "lab"):
        done.stdout.fnmatch_lines(f"rig_{name}*")


# ---------------------------------------------------------------------------------- items


def test_one_item_a_check_and_cell_collected_without_an_engine(suite):
    ids = collected(suite, "--rig-on", "i386", "--rig-core", "rolled", "--rig-core", "unrolled")
    from rig.checks import all_checks

    cells = Counter(i.partition("[")[2].partition("-")[0] for i in ids if "[" in i)
    assert set(cells) == {
        f"i386/{compiler}/kernel/{core}"
        for compiler in ("gcc", "clang")
        for core in ("rolled", "unrolled")
    }
    assert "digest-sizes" in str(ids)
    by_cell = [i for i in ids if "i386/gcc/kernel/rolled" in i]
    assert len(by_cell) == len(all_checks())


@pytest.mark.parametrize("dist", [(), ("-n", "2")])
def test_without_an_engine_items_are_skipped_with_the_reason(suite, dist):
    done = suite.runpytest_subprocess("--rig-on", "i386/gcc", "--rig-core", "rolled", *dist)
    counts = done.parseoutcomes()
    assert counts["passed"] == 1
    assert counts["skipped"] > 5
    assert "failed" not in counts
    assert done.ret == 0
    done.stdout.fnmatch_lines("*left out: rig: *nonexistent/rig-test.sock*")


def test_without_an_engine_strict_fails(suite):
    done = suite.runpytest("--rig-on", "i386/gcc", "--rig-strict")
    assert done.ret == 1
    done.stdout.fnmatch_lines("*rig-test.sock*(--rig-strict)*")


def test_a_slow_engine_is_not_called_absent(suite, tmp_path, monkeypatch):
    """X2: a socket that accepts and does not answer."""
    path = tmp_path / "slow.sock"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
    suite.makeconftest(
        "import rig.engines.connect as c\nc.connect.__defaults__ = "
        "tuple(0.5 if d == c.PROBE_SECONDS else d for d in c.connect.__defaults__)\n"
    )
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen(16)
        done = suite.runpytest("--rig-on", "i386/gcc", "--rig-core", "rolled")
    done.stdout.fnmatch_lines("*left out: rig: *does not answer (timeout)*")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rig-on", "i836"), "*no setup matches 'i836'*"),
        (("--rig-core", "roled"), "*no core is called 'roled'*"),
        (("--rig-profile", "kernal"), "*no profile is called 'kernal'*"),
    ],
)
def test_a_wrong_name_is_an_error_of_collection(suite, words, message):
    done = suite.runpytest(*words)
    assert done.ret == 2
    done.stdout.fnmatch_lines(message)
    done.stdout.fnmatch_lines("*near names*")
    done.stdout.no_fnmatch_line("*Traceback*")


def test_broken_settings_are_told_with_their_place(suite):
    suite.path.joinpath("rig.toml").write_text("profil = 'user'\n")
    done = suite.runpytest()
    assert done.ret == 2
    done.stdout.fnmatch_lines(["*rig.toml: profil: unknown key 'profil'*", "*profile*"])
    done.stdout.no_fnmatch_line("*Traceback*")


def test_settings_choose_and_options_come_before_them(suite):
    suite.path.joinpath("x.c").write_text(CORE)
    suite.path.joinpath("rig.toml").write_text(
        "setups = ['i386/gcc']\nprofile = 'user'\nchecks = ['vectors']\n"
        "[cores.mine]\nfile = 'x.c'\n[[budgets]]\nsize = 4096\n"
    )
    assert [i for i in collected(suite) if "[" in i] == [
        f"test_settings_choose_and_options_come_before_them.py::test_core[i386/gcc/user/mine-{c}]"
        for c in ("vectors", "budget")
    ]
    ids = collected(suite, "--rig-on", "arm32/clang/kernel", "--rig-core", "rolled")
    assert "test_core[arm32/clang/kernel/rolled-vectors]" in str(ids)
    assert "mine" not in str([i.partition("[")[2] for i in ids])


# --------------------------------------------------------------------------------- markers


def marked(pytester, marker: str, fixture: str = "rig_cell"):
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.{marker}
        def test_it({fixture}):
            pass
        """
    )
    return pytester


def test_rig_on_chooses_beyond_the_default_matrix(pytester):
    ids = collected(marked(pytester, 'rig_on("i386/gcc/user")'), "--rig-core", "rolled")
    assert [i.partition("::")[2] for i in ids] == ["test_it[i386/gcc/user/rolled]"]


def test_rig_on_is_narrowed_by_the_option(pytester):
    marked(pytester, 'rig_on("i386", "arm32")')
    ids = collected(pytester, "--rig-core", "rolled", "--rig-on", "arm32/gcc")
    assert [i.partition("::")[2] for i in ids] == ["test_it[arm32/gcc/kernel/rolled]"]


def test_nothing_left_is_a_skip_with_its_reason(pytester):
    marked(pytester, 'rig_on("i386")')
    done = pytester.runpytest("--rig-on", "arm32", "--rig-core", "rolled")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines("*left out: rig: no cell is left by options and markers*")


def test_rig_feature_asks_what_a_setup_is(pytester):
    marked(pytester, 'rig_feature("64bit", "clang", "littleendian")')
    ids = collected(pytester, "--rig-core", "rolled")
    assert [i.partition("::")[2] for i in ids] == ["test_it[x86_64/clang/kernel/rolled]"]


def test_a_pair_is_the_first_core_and_each_other(pytester):
    marked(pytester, 'rig_on("i386/gcc")', "rig_pair")
    words = [w for core in ("unrolled", "rolled") for w in ("--rig-core", core)]
    ids = collected(pytester, *words)
    assert [i.partition("::")[2] for i in ids] == ["test_it[i386/gcc/kernel/unrolled..rolled]"]
    done = pytester.runpytest("--rig-core", "rolled")
    done.stdout.fnmatch_lines("*left out: rig: a pair needs two cores*")


@pytest.mark.parametrize(
    ("marker", "fixture", "message"),
    [
        ('rig_on("i836/*")', "rig_cell", "*test_it*no setup matches 'i836/[*]'*"),
        ("rig_on()", "rig_cell", "*rig_on takes one string or more*"),
        ('rig_feature("bigendain")', "rig_cell", "*no feature is called 'bigendain'*"),
        ("rig_budget(sze=1)", "rig_cell", "*no figure is called 'sze'*"),
        ('rig_budget(size="1")', "rig_cell", "*size should be a number*"),
        ("rig_budget(4096)", "rig_cell", "*takes limits by name*"),
        ("rig_budget(size=1)", "tmp_path", "*rig_budget needs a fixture of one cell*"),
    ],
)
def test_a_wrong_marker_names_the_test(pytester, marker, fixture, message):
    done = marked(pytester, marker, fixture).runpytest()
    assert done.ret == 2
    done.stdout.fnmatch_lines(message)
    done.stdout.no_fnmatch_line("*Traceback*")


def test_alone_refuses_company(pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.rig_alone
        def test_timing():
            pass

        def test_other():
            pass
        """
    )
    pytester.runpytest().assert_outcomes(passed=2)
    done = pytester.runpytest_subprocess("-n", "2")
    done.assert_outcomes(passed=1, skipped=1)
    done.stdout.fnmatch_lines("*left out: rig: rig_alone: 2 workers*")


def test_alone_waits_for_another_session(pytester, tmp_path):
    """Two sessions at once: the one-at-a-time parts do not overlap."""
    log = tmp_path / "log"
    pytester.makepyfile(
        f"""
        import time, pytest

        @pytest.mark.rig_alone
        def test_timing():
            with open({str(log)!r}, "a") as out:
                out.write("in\\n"); out.flush()
                time.sleep(0.3)
                out.write("out\\n")
        """
    )
    argv = [sys.executable, "-m", "pytest", "-q", str(pytester.path)]
    both = [subprocess.Popen(argv, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [one.wait(timeout=60) for one in both] == [0, 0]
    assert log.read_text().split() == ["in", "out", "in", "out"]


def test_a_killed_holder_of_a_lock_blocks_nobody(pytester):
    """X3: what a session held goes with it, however it ends."""
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.rig_alone
        def test_timing():
            pass
        """
    )
    hold = (
        "import time; from rig.store import Store; alone = Store().alone(); alone.__enter__();"
        "print('held', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.kill()
    pytester.runpytest().assert_outcomes(passed=1)


# ---------------------------------------------------------------------------------- shards


def test_shards_are_every_item_once(suite):
    words = ("--rig-core", "rolled")
    whole = collected(suite, *words)
    parts = [collected(suite, *words, "--rig-shard", f"{k}/4") for k in (1, 2, 3, 4)]
    assert Counter(i for part in parts for i in part) == Counter(whole)
    setups = [{i.partition("[")[2].rpartition("/")[0] for i in p if "[" in i} for p in parts]
    assert sum(map(len, setups)) == len(set.union(*setups)) == 6


@pytest.mark.parametrize("text", ["0/2", "3/2", "x", "1/0", "1", "-1/2", "1/2/3"])
def test_a_wrong_shard_is_usage(suite, text):
    done = suite.runpytest(f"--rig-shard={text}")
    assert done.ret == 4
    done.stderr.fnmatch_lines("*--rig-shard: *is no shard*")


def test_collection_is_the_same_under_different_hash_seeds(suite, monkeypatch):
    """X4."""
    seen = []
    for seed in ("1", "2", "3"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        seen.append(collected(suite, "--rig-shard", "2/3", apart=True))
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0]) > 10


# ------------------------------------------------------------------------------------- XML


def test_xml_parses_whatever_a_reason_or_a_guest_holds(pytester):
    """X5: every byte in a skip reason, a failure, an error and captured output."""
    pytester.makepyfile(
        """
        import pytest
        from rig.pytest_support import clean_text, leave_out

        BYTES = bytes(range(256)).decode("latin-1") + "\\ud800\\uffff"

        def test_skipped():
            leave_out(BYTES, strict=False)

        def test_failed():
            leave_out(BYTES, strict=True)

        def test_several_lines():
            pytest.fail(clean_text(BYTES), pytrace=False)

        @pytest.fixture
        def broken():
            leave_out(BYTES, strict=True)

        def test_error(broken):
            print(BYTES.encode("utf-8", "replace"))
        """
    )
    done = pytester.runpytest("--junitxml=r.xml", "-rA")
    done.assert_outcomes(skipped=1, failed=2, errors=1)
    cases = ElementTree.parse(pytester.path / "r.xml").getroot().findall(".//testcase")
    assert len(cases) == 4
    told = ElementTree.tostring(cases[0]).decode()
    assert r"\x1b" in told
    assert r"\x00" in told
    assert "\x1b" not in done.stdout.str()


def test_properties_name_cell_and_check_also_through_xdist(suite):
    words = ("--rig-on", "i386/gcc", "--rig-core", "rolled", "--junitxml=r.xml", "-n", "2")
    suite.runpytest_subprocess(*words)
    root = ElementTree.parse(suite.path / "r.xml").getroot()
    found = [
        {p.get("name"): p.get("value") for p in case.iter("property")}
        for case in root.iter("testcase")
        if "test_core" in str(case.get("name"))
    ]
    assert found
    assert all(p["rig.setup"] == "i386/gcc/kernel" for p in found)
    assert all(p["rig.core"] == "rolled" for p in found)
    assert {p["rig.check"] for p in found} >= {"vectors", "lengths"}
