"""The command line: what it prints and how it ends, in this process and as a real command."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from command import RIG
from event_stream import GCC, campaign, judged, started
from typer.testing import CliRunner

from rig import __version__, journal
from rig.cli import app, running
from rig.errors import EnvironmentFault, Interrupted, RigError, StoreFault, UsageError
from rig.events import Event, Sink
from rig.report.document import from_json, load, save
from rig.report.fold import fold
from rig.report.text import render_compare
from rig.verdicts import Verdict

HERE = Path(__file__).parent


def rig(*words: str, cache: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    """The real command in a process of its own, without a terminal."""
    environ = {**os.environ, "RIG_CACHE": str(cache), **more}
    return subprocess.run(
        [*RIG, *words], env=environ, capture_output=True, check=False, timeout=60
    )


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("RIG_CACHE", str(folder))
    return folder


# --------------------------------------------------------------------------- help, usage


def test_help_teaches_and_tells_exit_codes(cache: Path) -> None:
    done = rig("--help", cache=cache)
    text = done.stdout.decode("ascii")
    assert done.returncode == 0
    assert "  rig compare unrolled rolled --on i386  on one target\n" in text
    assert "    130  interrupted" in text
    assert done.stderr == b""


def test_ctrl_c_while_rig_loads_ends_it_quietly() -> None:
    code = (
        "import os, signal, sys, rig.start\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "rig.start.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_help_loads_nothing_slow() -> None:
    code = (
        "import sys, rig.cli;"
        "print(sorted({'docker', 'pydantic', 'rich', 'pexpect', 'jinja2', 'elftools'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


@pytest.mark.parametrize(
    "verb", ["compare", "check", "build", "images", "list", "report", "clean"]
)
def test_every_verb_has_help_with_an_example_on_its_own_line(verb: str) -> None:
    done = CliRunner().invoke(app, [verb, "--help"])
    assert done.exit_code == 0
    assert any(line.strip().startswith(f"rig {verb}") or f"; rig {verb}" in line
               for line in done.output.splitlines() if line.startswith("    "))  # fmt: skip


def test_help_on_40_columns(cache: Path) -> None:
    done = rig("check", "--help", cache=cache, COLUMNS="40", TERMINAL_WIDTH="40")
    assert done.returncode == 0
    assert b"--on GLOB" in done.stdout


def test_version(cache: Path) -> None:
    assert rig("--version", cache=cache).stdout.decode() == f"rig {__version__}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compaer"], "'compare'"),
        (["check", "rolled", "--profil", "user"], "--profile"),
        (["check"], "Missing argument"),
        (["check", "rolled", "--engine", "dokker"], "'docker', 'host'"),
        (["check", "rolled", "-j", "0"], "--jobs"),
        (["list", "targes"], "near names: targets"),
        (["compare", "rolled"], "two cores, before and after; 1 given"),
        (["check", "roled"], "near names: rolled"),
        (["compare", "rolled", "rolled"], "two cores are called 'rolled'"),
        (["check", "rolled", "--on", "i836/*"], "near names: i386"),
        (["check", "rolled", "--profile", "kernl"], "near names: kernel"),
        (["check", "rolled", "--checks", "vectors,lenghts"], "near names: lengths"),
        (["check", "rolled", "--case", "hsah in=-"], "begins with hash or compress"),
        (["report"], "needs a file"),
        (["report", "/no/such/file"], "/no/such/file: cannot be read: No such file"),
        (["check", "rolled", "--json", "/no/such/folder/r.json"], "no folder /no/such/folder"),
    ],
)
def test_wrong_usage_exits_2_and_says_what_is_right(
    cache: Path, words: list[str], message: str
) -> None:
    done = rig(*words, cache=cache)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert done.stdout == b""


@pytest.mark.parametrize("more", [{"LC_ALL": "C"}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_errors_are_plain_whatever_the_terminal(cache: Path, more: dict[str, str]) -> None:
    done = rig("report", "caf\udce9\x1b[2J", cache=cache, **more)
    assert done.returncode == 2
    assert done.stderr.isascii()
    assert b"\x1b" not in done.stderr


# --------------------------------------------------------------------------- exceptions


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (UsageError("wrong", "do this"), 2, "rig: wrong\n  do this\n"),
        (
            EnvironmentFault("gone", detail="a\x1b[2J\nb"),
            3,
            "rig: gone\n  > a\\x1b[2J\n  > b\n",
        ),
        (RigError("odd"), 4, "rig: odd\n"),
        (KeyboardInterrupt(), 130, "rig: interrupted\n"),
        (ValueError("x" * 5), 4, "rig: a fault in rig itself: ValueError: xxxxx\n"),
    ],
)
def test_exceptions_become_messages_and_exit_codes(
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("rig.config.find", fail)
    done = CliRunner().invoke(app, ["list", "targets"])
    assert done.exit_code == code
    assert done.stderr.startswith(message)


def test_a_fault_keeps_its_traceback_in_the_cache(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rig.config.find", lambda *_: 1 // 0)
    done = CliRunner().invoke(app, ["list", "targets"])
    (kept,) = (cache / "faults").iterdir()
    assert "ZeroDivisionError" in kept.read_text()
    assert str(kept) in done.stderr
    monkeypatch.setenv("RIG_DEBUG", "1")
    assert "Traceback" in CliRunner().invoke(app, ["list", "targets"]).stderr


def test_a_fault_with_a_cache_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RIG_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr("rig.config.find", lambda *_: 1 // 0)
    done = CliRunner().invoke(app, ["list", "targets"])
    assert done.exit_code == 4
    assert "RIG_DEBUG=1" in done.stderr


# --------------------------------------------------------------------------- list, report


def test_a_reader_that_goes_away_is_no_fault(cache: Path) -> None:
    script = f"{shlex.join(RIG)} report --schema | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_report_shows_a_saved_report_and_a_journal(cache: Path, tmp_path: Path) -> None:
    wanted = render_compare(fold(campaign()))
    save(fold(campaign()), tmp_path / "r.json")
    with journal.Journal(tmp_path / "j.jsonl") as log:
        for event in campaign():
            log.append(event)
    for name in ("r.json", "j.jsonl"):
        done = rig("report", str(tmp_path / name), cache=cache, LC_ALL="C")
        assert done.stdout.decode() == wanted
        assert done.returncode == 0


def test_report_of_a_cut_journal_is_partial(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with journal.Journal(path) as log:
        for event in campaign():
            log.append(event)
    path.write_bytes(path.read_bytes()[:-40])
    done = CliRunner().invoke(app, ["report", str(path)])
    assert "PARTIAL, 8 of 8 cells judged (it was stopped before its end)" in done.stdout


def test_report_schema_is_a_json_schema() -> None:
    done = CliRunner().invoke(app, ["report", "--schema"])
    assert json.loads(done.stdout)["$id"] == "hashrig-report/1"


# --------------------------------------------------------------------------- campaigns


class FakeCampaign:
    """Emits given events, then ends as told: what no engine does on demand."""

    def __init__(self, events: list[Event], end: BaseException | None = None) -> None:
        self.events = events
        self.end = end

    def __call__(self, asked: object, plan: object, sink: Sink) -> None:
        for event in self.events:
            sink(event)
        if self.end:
            raise self.end


def asked(**more: object) -> running.Asked:
    usual: dict[str, object] = {
        "on": (), "profile": None, "jobs": 1, "engine": "host", "json": None, "seed": 1,
        "case": None, "checks": (), "long": False, "keep": False,
    }  # fmt: skip
    return running.Asked(**{**usual, **more})  # type: ignore[arg-type]


@pytest.fixture
def run(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    def run(fake: FakeCampaign, **more: object) -> int:
        monkeypatch.setattr(running, "_run_in_lab", fake)
        return running.run(asked(**more), None, render_compare)  # type: ignore[arg-type]

    return run


Run = Callable[..., int]


def test_a_campaign_prints_its_table_and_leaves_no_journal(
    run: Run, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(FakeCampaign(campaign())) == 1
    out, err = capsys.readouterr()
    assert out == render_compare(fold(campaign()))
    assert "rig: 4/8 i386/clang/kernel/rolled MISMATCH" in err
    assert list((cache / "runs").iterdir()) == []


def test_keep_tells_where_the_journal_is(
    run: Run, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(FakeCampaign(campaign()), keep=True)
    (path,) = (cache / "runs").iterdir()
    assert str(path) in capsys.readouterr().err
    assert fold(journal.read(path)[0]) == fold(campaign())


@pytest.mark.parametrize("end", [StoreFault("full"), KeyboardInterrupt(), ValueError("bug")])
def test_what_was_found_survives_an_error(
    run: Run,
    cache: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    end: BaseException,
) -> None:
    events = [started(), *judged(GCC, "rolled")]
    with pytest.raises(type(end)):
        run(FakeCampaign(events, end), json=str(tmp_path / "r.json"))
    report = load(tmp_path / "r.json")
    assert (report.complete, report.judged) == (False, 1)
    out, err = capsys.readouterr()
    assert "PARTIAL, 1 of 8 cells judged" in out
    (path,) = (cache / "runs").iterdir()
    assert str(path) in err


def test_interrupted_by_the_campaign_itself_is_an_interrupt(run: Run) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(FakeCampaign([started()], Interrupted("stopped")))


def test_an_error_before_the_beginning_is_told_alone(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EnvironmentFault):
        run(FakeCampaign([], EnvironmentFault("no engine")))
    assert capsys.readouterr().out == ""


def test_json_on_standard_output_stands_alone(
    run: Run, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run(FakeCampaign(campaign()), json="-")
    assert from_json(capfdbinary.readouterr().out, "stdout") == fold(campaign())


def test_a_place_for_json_is_checked_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for good in (str(tmp_path / "r.json"), "-", None):
        running.check_writable(good)
    with pytest.raises(UsageError, match="is a folder"):
        running.check_writable(str(tmp_path))
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(UsageError, match="cannot be written"):
        running.check_writable(str(tmp_path / "r.json"))


def test_names_are_split() -> None:
    assert running.split_names(" a, b,,") == ("a", "b")
    assert running.split_names(None) == ()


SLOW = textwrap.dedent(
    """
    import os, sys, time
    sys.path[:0] = [sys.argv[1], os.path.dirname(sys.argv[1])]
    from event_stream import GCC, judged, started
    from rig.cli import guard, running
    from rig.report.text import render_compare
    from test_cli import asked

    def slow(asked, plan, sink):
        for event in [started(), *judged(GCC, "rolled")]:
            sink(event)
        try:
            print("ready", file=sys.stderr, flush=True)  # a signal may come from here on
            time.sleep(60)
        finally:
            print("cleanup", file=sys.stderr, flush=True)
            time.sleep(float(sys.argv[3]))
            print("cleaned", file=sys.stderr, flush=True)

    running._run_in_lab = slow
    guard.stop_on_signals()
    @guard.guarded
    def verb():
        return running.run(asked(json=sys.argv[2]), None, render_compare)
    import typer
    try:
        verb()
    except typer.Exit as end:
        sys.exit(end.exit_code)
    """
)


def await_line(process: subprocess.Popen[bytes], word: bytes) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if word in line:
            return
    pytest.fail(f"ended before it said {word!r}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_give_a_partial_report_and_130(
    cache: Path, tmp_path: Path, number: signal.Signals
) -> None:
    path = tmp_path / "r.json"
    command = [sys.executable, "-c", SLOW, str(HERE), str(path), "0.3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        await_line(process, b"ready")
        process.send_signal(number)
        await_line(process, b"cleanup")
        process.send_signal(number)  # impatience does not stop the cleanup
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"cleaned" in err
    assert b"rig: cleaning up; a moment" in err
    assert b"PARTIAL, 1 of 8 cells judged" in out
    cell = load(path).cell(GCC, "rolled")
    assert cell is not None
    assert cell.verdict is Verdict.PASS
    (kept,) = (cache / "runs").iterdir()
    assert str(kept).encode() in err
    assert fold(journal.read(kept)[0]).judged == 1


def test_sigkill_leaves_a_journal_that_can_be_read(cache: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLOW, str(HERE), str(tmp_path / "r.json"), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        await_line(process, b"ready")
        process.kill()
        process.communicate(timeout=30)
    (kept,) = (cache / "runs").iterdir()
    done = rig("report", str(kept), cache=cache)
    assert done.returncode == 0
    assert b"PARTIAL, 1 of 8 cells judged (it was stopped before its end)" in done.stdout


def test_a_specialised_function_is_found_in_an_object_by_its_own_name(monkeypatch):
    """Some kernels' objects hold nothing but blake2b_compress_generic.constprop.0 (gcc)."""
    only = {"blake2b_compress_generic.constprop.0": 3627, "blake2b_update": 300}
    monkeypatch.setattr("rig.measures.bloat.sizes", lambda _content, _name: only)
    from rig.cli.size import _found

    assert _found([b""], ["blake2b.o"]) == "blake2b_compress_generic"
