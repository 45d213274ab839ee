"""The pytest plugin for real: sessions of its own, xdist, killed workers, hostile cores."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rig.engines.connect import connect
from rig.engines.image import LABEL
from rig.errors import RigError
from rig.store import default_cache

pytest_plugins = ["pytester"]

SETUP = "x86_64/gcc/user"
FAULTS = Path(__file__).parents[1] / "faults" / "cores"


@pytest.fixture
def engine(request) -> str:
    """The engine of this session; tests are skipped where it cannot be used."""
    name = request.config.getoption("--rig-engine") or "docker"
    if name == "docker":
        try:
            connect().close()
        except RigError as error:
            pytest.skip(f"no container engine: {error.what}")
    return str(name)


@pytest.fixture
def session(pytester, engine, monkeypatch, tmp_path):
    """Runs pytest on one setup, with temporary files where leftovers can be counted."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("RIG_CACHE", str(default_cache()))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(*words: str, cores: tuple[str | Path, ...] = ("rolled",)):
        # with a blank instead, pytest would take a file for one that it should collect from
        named = [f"--rig-core={core}" for core in cores]
        return pytester.runpytest_subprocess(
            "-p", "no:cacheprovider", "--rig-engine", engine, "--rig-on", SETUP, *named, *words,
        )  # fmt: skip

    yield run
    assert _processes(tmp_path) == [], "a process outlived its session"


def _processes(folder: Path) -> list[str]:
    """Emulators and programs that still run in a folder of ours."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            where, what = (entry / "cwd").readlink(), (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if where.is_relative_to(folder) and b"qemu" in what:
            found.append(what.replace(b"\0", b" ").decode())
    return found


def boxes_of(pid: int) -> list[str]:
    """Containers that a process has made."""
    client = connect()
    try:
        found = client.containers(all=True, filters={"label": f"{LABEL}.owner"})
    finally:
        client.close()
    return [box["Id"] for box in found if f"/{pid}/" in box["Labels"][f"{LABEL}.owner"]]


def cases(path: Path) -> list[ElementTree.Element]:
    return list(ElementTree.parse(path).getroot().iter("testcase"))


def test_every_fixture_on_one_cell(session, pytester):
    pytester.makepyfile(
        """
        import hashlib, pytest

        def test_guest(rig_guest):
            whole = bytes(range(200))
            right = hashlib.blake2b(whole, digest_size=32).digest()
            assert rig_guest.hash(whole, digest_size=32, cut=(1, 128)) == right
            assert rig_guest.ask(["hash", "hash n=20"]) == [
                hashlib.blake2b(digest_size=n).hexdigest() for n in (64, 20)]
            h, t, f = rig_guest.compress(bytes(64), bytes(128))
            assert (len(h), t[:8]) == (64, (128).to_bytes(8, "little"))

        def test_object(rig_object):
            assert rig_object[:4] == b"\\x7fELF"

        @pytest.mark.rig_budget(size=1 << 20, frame=1 << 16, stack=1 << 16, work=1 << 20)
        def test_within(rig_measurements):
            assert rig_measurements["size"].exact
            assert rig_measurements["work"].value > 500

        @pytest.mark.rig_budget(size=16)
        def test_above(rig_cell):
            pass

        def test_pair(rig_pair):
            assert rig_pair.ratio("size") < 1
            assert rig_pair.before.guest and rig_pair.after.guest

        @pytest.mark.rig_alone
        def test_alone(rig_guest):
            assert len(rig_guest.hash(b"")) == 64
        """
    )
    done = session("--junitxml=r.xml", cores=("unrolled", "rolled"))
    done.assert_outcomes(passed=9, failed=2)
    done.stdout.fnmatch_lines(["*size * of at most 16 bytes (rig_budget)*"])
    done.stdout.fnmatch_lines(["engine: *", "x86_64: gcc *, QEMU *", f"*{SETUP} rolled *"])
    sizes = {
        p.get("value")
        for case in cases(pytester.path / "r.xml")
        for p in case.iter("property")
        if p.get("name") == "rig.size"
    }
    assert len(sizes) == 2
    assert all(int(size) > 400 for size in sizes)


def test_four_workers_make_each_object_once(session, pytester, monkeypatch, tmp_path):
    """X3. A cache of its own, so that there is something to make."""
    monkeypatch.setenv("RIG_CACHE", str(tmp_path / "cache"))
    log = tmp_path / "log"
    pytester.makepyfile(
        f"""
        import os, pytest

        @pytest.mark.parametrize("number", range(8))
        def test_built(rig_cell, number):
            made = rig_cell.built and rig_cell.lab.counts.compiled
            with open({str(log)!r}, "a") as out:
                worker = os.environ["PYTEST_XDIST_WORKER"]
                out.write(f"{{worker}} {{rig_cell.id}} {{made}}\\n")
        """
    )
    # a distribution of xdist's that cuts cells in two
    done = session("-n", "4", "--dist", "worksteal", cores=("rolled", "unrolled"))
    done.assert_outcomes(passed=16)
    seen = [line.split() for line in log.read_text().splitlines()]
    assert {cell for _, cell, _ in seen} == {f"{SETUP}/{c}" for c in ("rolled", "unrolled")}
    made: dict[str, int] = {}
    for worker, _, count in seen:
        made[worker] = max(made.get(worker, 0), int(count))
    assert len(made) > 1
    assert sum(made.values()) == 2


def test_each_cell_is_one_workers(session, pytester, tmp_path):
    """Each worker would open a guest of its own for it; other items are spread as ever."""
    log = tmp_path / "log"
    pytester.makepyfile(
        f"""
        import os, pytest

        def note(what):
            with open({str(log)!r}, "a") as out:
                out.write(f"{{os.environ['PYTEST_XDIST_WORKER']}} {{what}}\\n")

        def test_core(rig_check):
            note(rig_check.cell.id)

        @pytest.mark.parametrize("number", range(40))
        def test_other(number):
            note("other")
        """
    )
    session("-n", "2", cores=("rolled", "unrolled")).assert_outcomes(passed=64)
    seen = {tuple(line.split()) for line in log.read_text().splitlines()}
    workers = Counter(what for _, what in seen)
    assert workers == {f"{SETUP}/rolled": 1, f"{SETUP}/unrolled": 1, "other": 2}
    assert len({worker for worker, what in seen if what != "other"}) == 2


def test_a_killed_worker_blocks_nobody_and_leaves_no_box(session, pytester, engine, tmp_path):
    """A worker dies in mid-build, with the store's locks held and a guest open."""
    log = tmp_path / "pid"
    pytester.makepyfile(
        f"""
        import os, signal

        def test_dies(rig_cell, rig_lab):
            assert rig_cell.guest.hello
            with rig_lab.store.locked([f"{{n:02x}}" for n in range(256)]):
                open({str(log)!r}, "w").write(str(os.getpid()))
                os.kill(os.getpid(), signal.SIGKILL)

        def test_goes_on(rig_check):
            if rig_check.check.name == "vectors":
                rig_check.require()
        """
    )
    done = session("-n", "2", cores=("rolled",))
    counts = done.parseoutcomes()
    assert counts["failed"] == 1
    assert counts["passed"] >= 5
    done.stdout.fnmatch_lines("*worker*crashed*")
    if engine == "docker":
        assert boxes_of(int(log.read_text())) == []


def test_a_hung_guest_under_a_timeout_is_torn_down(session, pytester, engine, monkeypatch):
    """X6: pytest-timeout interrupts; the guest goes, and the XML still lists the test."""
    pytester.makepyfile(
        """
        def test_hangs(rig_guest):
            assert rig_guest.hash(b"") and rig_guest.hash(bytes([0, 1, 2]))
        """
    )
    pytester.makeconftest("import os\nopen('pid', 'w').write(str(os.getpid()))\n")
    monkeypatch.setenv("RIG_TIMEOUT_SCALE", "10")  # so that rig's own deadline comes later
    done = session(
        "--timeout=10", "--timeout-method=signal", "-o", "timeout_func_only=true",
        "--junitxml=r.xml", cores=(FAULTS / "spin.c",),
    )  # fmt: skip
    done.assert_outcomes(failed=1)
    (case,) = cases(pytester.path / "r.xml")
    assert "Timeout" in ElementTree.tostring(case).decode()
    if engine == "docker":
        assert boxes_of(int((pytester.path / "pid").read_text())) == []


@pytest.mark.parametrize("core", ["escape_bytes", "wrong", "segfault"])
def test_a_failure_is_told_with_case_and_repeating_line(session, pytester, core):
    """X5: also when the guest prints what no XML can hold."""
    pytester.makepyfile("def test_core(rig_check):\n    rig_check.require()\n")
    done = session("--junitxml=r.xml", cores=(FAULTS / f"{core}.c",))
    assert done.ret == 1
    failures = [
        str(f.text) for case in cases(pytester.path / "r.xml") for f in case.iter("failure")
    ]
    assert all(text.isascii() for text in failures)
    text = next(text for text in failures if "case     hash in=hex:000102\n" in text)
    again = re.search(r"again +(rig check .*)", text)
    assert again
    assert f"--on {SETUP}" in again[1]
    assert "\x1b" not in done.stdout.str()


def test_no_guest_waits_where_no_item_of_a_cell_follows(session, pytester):
    """What follows in a session, perhaps for an hour, has the machine for itself."""
    pytester.makepyfile(
        """
        seen = []

        def test_first(rig_guest, rig_cell):
            assert rig_guest.hash(b"")
            seen.append(rig_cell.guest)
            assert rig_cell.guest._session is not None

        def test_second(rig_guest):
            assert seen[0]._session is not None  # the same cell: it goes on
            assert rig_guest.hash(b"1")
            assert seen[0].sessions == 1

        def test_other():
            assert seen[0]._session is None
        """
    )
    session().assert_outcomes(passed=3)
