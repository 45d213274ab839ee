"""How a verb ends: exceptions to messages and exit codes, signals to an orderly stop."""

from __future__ import annotations

import functools
import os
import secrets
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn, ParamSpec

import typer

from rig.errors import ExitCode, RigError
from rig.report.layout import clean, clean_lines
from rig.waiting import interrupt

P = ParamSpec("P")

_DETAIL_LINES = 30
_STOPS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")  # the last: one of the others, again
_AGAIN_SECONDS = 0.05
_THREADS_SECONDS = 60.0


def guarded(verb: Callable[P, int]) -> Callable[P, None]:
    """A verb that returns its exit code, made to end the process with the right one."""

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = verb(*args, **kwargs)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except RigError as error:
            tell_error(error)
            code = error.exit_code
        except KeyboardInterrupt:
            _tell("interrupted")
            code = ExitCode.INTERRUPTED
        except BrokenPipeError:
            close_stdout()
            code = ExitCode.GOOD
        except Exception as error:
            _tell_fault(error)
            code = ExitCode.RIG_FAULT
        raise typer.Exit(int(code))

    return run


def tell_error(error: RigError) -> None:
    """What happened, what to do, and the tail of the detail, on standard error."""
    _tell(error.what)
    lines = [error.hint] if error.hint else []
    lines += [
        f"> {line}" for line in error.detail.rstrip().split("\n")[-_DETAIL_LINES:] if line
    ]
    for line in lines:
        print(f"  {clean(line)}", file=sys.stderr)


def close_stdout() -> None:
    """Nobody reads any more (``rig ... | head``): the rest goes nowhere, quietly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def stop_on_signals() -> None:
    """The first signal becomes KeyboardInterrupt; later ones do not disturb the cleanup."""
    seen: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        seen.append(number)
        if len(seen) == 1:
            interrupt()
        else:
            os.write(2, b"rig: cleaning up; a moment\n")

    def raise_later(lost: sys.UnraisableHookArgs) -> None:
        # Python drops what a handler raises while a finalizer runs: then it comes once more
        if lost.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(lost)
        elif seen:
            seen.clear()
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)

    for name in _STOPS:
        signal.signal(getattr(signal, name), stop)
    sys.unraisablehook = raise_later


def end_process(code: int) -> NoReturn:
    """Ends the process with all that was said on its way; from here on no signal matters.

    At once, without what libraries do at the end of a process: a signal may have cut them short
    with a lock held, and they could wait for ever; and it takes a while. What is rig's own has
    been cleaned up by now.
    """
    for name in _STOPS:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    _await_threads()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _await_threads() -> None:
    """A pool that a signal cut short while it started a thread does not wait for that one."""
    until = time.monotonic() + _THREADS_SECONDS
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join(max(0.0, until - time.monotonic()))


def _tell(text: str) -> None:
    print(f"rig: {clean(text)}", file=sys.stderr)


def _tell_fault(error: Exception) -> None:
    text = "".join(traceback.format_exception(error))
    _tell(f"a fault in rig itself: {type(error).__name__}: {error}")
    if os.environ.get("RIG_DEBUG"):
        for line in clean_lines(text):
            print(line, file=sys.stderr)
        return
    kept = _keep(text)
    where = f"the traceback is in {kept}" if kept else "RIG_DEBUG=1 shows the traceback"
    print(f"  Please report it with the command; {clean(where)}.", file=sys.stderr)


def _keep(text: str) -> Path | None:
    """Writes a traceback into the cache; None where that cannot be written."""
    from rig.store import default_cache  # noqa: PLC0415 - only in need

    name = f"{time.strftime('%Y%m%dT%H%M%S')}-{secrets.token_hex(3)}.txt"
    path = default_cache() / "faults" / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError:
        return None
    return path
