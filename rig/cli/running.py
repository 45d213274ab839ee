"""Runs a campaign for a verb: journal, progress, report, exit code, whatever happens."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rig.cli.guard import close_stdout
from rig.errors import ExitCode, Interrupted, RigError, StoreFault, UsageError
from rig.events import CampaignStarted, Event, Sink
from rig.journal import Journal, tee
from rig.report.document import Report, load, save, to_json
from rig.report.fold import fold
from rig.report.layout import clean
from rig.report.progress import open_progress

if TYPE_CHECKING:
    from rig.campaign import Plan
    from rig.lab import Lab
    from rig.report.baseline import Rule

Render = Callable[[Report], str]

_WORST = (ExitCode.CORE_FAILED, ExitCode.ENVIRONMENT)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options that all campaigns share say."""

    on: tuple[str, ...]
    profile: str | None
    jobs: int
    engine: str
    json: str | None
    seed: int
    case: str | None
    checks: tuple[str, ...]
    long: bool
    keep: bool
    resume: bool = False
    shard: str | None = None
    timing: bool = False
    trace: bool = False
    toolchains: tuple[str, ...] = ()
    stale_index: bool = False
    tree: str | None = None
    side: int | None = None
    constant_time: bool = False
    frame_limit: int | None = None
    cc: tuple[str, ...] = ()
    cross_compile: str | None = None
    flags_from: str | None = None


def split_names(text: str | None) -> tuple[str, ...]:
    """``a,b`` as names; empty when not given."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def typed() -> tuple[str, ...]:
    """The command as typed."""
    return ("rig", *sys.argv[1:])


@dataclass(frozen=True, slots=True)
class Gate:
    """An earlier report, read and found good before the work, and rules on what may move."""

    name: str
    baseline: Report
    rules: tuple[Rule, ...]


def gate_of(baseline: str | None, fail_if: Sequence[str] | None) -> Gate | None:
    """What --baseline and --fail-if ask for. Raises UsageError."""
    if baseline is None:
        if fail_if:
            raise UsageError("--fail-if needs --baseline", "Name a report that --json wrote.")
        return None
    from rig.report.baseline import parse_rules  # noqa: PLC0415 - few runs have a baseline

    report = load(Path(baseline))
    return Gate(baseline, report, parse_rules(fail_if or (), report))


def _passes(gate: Gate, report: Report, json: str | None) -> ExitCode:
    """Tells what moved; beside a report on standard output, on standard error."""
    from rig.report import baseline  # noqa: PLC0415

    found = baseline.compare(report, gate.baseline, gate.rules)
    text = baseline.render(found, gate.name)
    print(text, end="", file=sys.stderr if json == "-" else sys.stdout)
    return found.exit_code


def run(asked: Asked, plan: Plan, render: Render, gate: Gate | None = None) -> int:
    """Runs a plan, prints and saves its report; returns the exit code.

    What was found is printed and saved after an error or Ctrl-C too; the error goes on.
    gate: what the report is held against, whose exit code counts where the cores are good.
    """
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = _cache() / "runs" / f"{stamp}-{secrets.token_hex(3)}.jsonl"
    events: list[Event] = []
    used: Sequence[Path] = ()
    caught: BaseException | None = None
    if asked.resume:
        plan, used = _with_earlier(plan, path.parent)
    try:
        with ExitStack() as stack:
            log = stack.enter_context(Journal(path))
            progress = stack.enter_context(open_progress(sys.stderr, os.environ))
            sink = tee(events.append, log.append, progress)
            _run_in_lab(asked, plan, sink)
    except BaseException as error:
        caught = error
    report = fold(events) if any(isinstance(e, CampaignStarted) for e in events) else None
    if report:
        try:
            publish(report, asked.json, render)
        except BaseException as error:  # the journal is then the only report
            caught = caught or error
    began = report is not None
    _end_journal(path, keep=asked.keep or (caught is not None and began))
    if caught is None and used:
        _remove_used(used)
    if isinstance(caught, Interrupted):
        raise KeyboardInterrupt from caught
    if caught:
        raise caught
    if report is None:
        raise RigError("the campaign ended before it began")
    code = report.exit_code
    if gate is not None:
        held = _passes(gate, report, asked.json)
        # a core that failed, or a broken rule, before whatever could not be judged
        code = next((one for one in _WORST if one in (code, held)), ExitCode.GOOD)
    return int(code)


def publish(report: Report, json: str | None, render: Render) -> None:
    """Prints the report, and saves it where asked. Raises StoreFault."""
    try:
        if json == "-":
            sys.stdout.buffer.write(to_json(report))
        else:
            sys.stdout.write(render(report))
        sys.stdout.flush()
    except BrokenPipeError:
        close_stdout()
    except OSError as error:
        close_stdout()
        raise StoreFault(f"standard output cannot be written: {error.strerror}") from error
    if json and json != "-":
        save(report, Path(json))


def check_writable(json: str | None) -> None:
    """Refuses a place for the report before the work instead of after it."""
    if json in (None, "-"):
        return
    path = Path(str(json))
    if path.is_dir():
        raise UsageError(f"--json {path}: is a folder", "Name a file.")
    if not path.parent.is_dir():
        raise UsageError(f"--json {path}: there is no folder {path.parent}", "Make it first.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"--json {path}: cannot be written", "Name another file.")


def lab_of(engine: str, sink: Sink, jobs: int) -> Lab:
    """A lab on the engine of that name, with the store of this user; to be closed."""
    from rig import config, lab  # noqa: PLC0415 - loads what runs campaigns
    from rig.store import Store  # noqa: PLC0415

    known = config.find().catalog
    cache = _cache()
    return lab.Lab(known, lab.open_engine(engine, known, cache), Store(cache), sink, jobs)


def _run_in_lab(asked: Asked, plan: Plan, sink: Sink) -> None:
    from rig import campaign  # noqa: PLC0415

    with lab_of(asked.engine, sink, asked.jobs) as lab:
        campaign.run(plan, lab, sink)


def _with_earlier(plan: Plan, runs: Path) -> tuple[Plan, Sequence[Path]]:
    from rig.cli.resuming import with_earlier  # noqa: PLC0415 - few runs are resumed

    return with_earlier(plan, runs)


def _remove_used(journals: Sequence[Path]) -> None:
    from rig.cli.resuming import remove_used  # noqa: PLC0415

    remove_used(journals)


def _cache() -> Path:
    from rig.store import default_cache  # noqa: PLC0415

    return default_cache()


def _end_journal(path: Path, *, keep: bool) -> None:
    """The journal outlives a campaign that did not come to its end, or when asked."""
    if not path.exists():
        return
    if keep:
        print(
            f"rig: the journal is {clean(str(path))}; --resume goes on from it",
            file=sys.stderr,
        )
    else:
        path.unlink(missing_ok=True)
