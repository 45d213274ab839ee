"""The command line: one module a verb. ``main`` is what ``rig`` runs.

Nothing slow is imported here: docker, pydantic and rich are loaded by what uses them, so that
``rig --help`` answers at once.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from rig import __version__
from rig.cli.guard import end_process, guarded, stop_on_signals
from rig.errors import ExitCode

EPILOG = """\
\b
Exit codes:
    0  every core passed
    1  a core failed
    2  the command line or a name is wrong
    3  the environment failed: engine, image, toolchain, emulator
    4  a fault in rig itself
  130  interrupted; what was done is kept

\b
Environment:
  RIG_CACHE   folder of what rig keeps (default: the user's cache folder)
  RIG_DEBUG   1 shows the traceback of a fault in rig
  NO_COLOR    any value: no colour

Cores are arguments, setups are chosen by --on: target/compiler/profile, globs work.
"""

HELP = """Is this compress core right, small and cheap on the machines I do not own?

rig builds a BLAKE2b compress core with gcc and clang for i386, arm32 and x86_64, runs it
under QEMU, judges every digest, and measures it: one core, or two side by side.

\b
Examples:
  rig compare unrolled rolled            before / after on every setup
  rig compare unrolled rolled --on i386  on one target
  rig check rolled --on '*/clang'        is it right, by clang?
  rig list setups                        what --on can choose
"""

app = typer.Typer(
    name="rig",
    help=HELP,
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rig {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show it and exit."),
    ] = False,
) -> None:
    pass


def _add_verbs() -> None:
    """Verbs in the order in which help lists them."""
    from rig.cli import (  # noqa: PLC0415 - they need the names above
        build,
        chart,
        check,
        clean,
        compare,
        doctor,
        images,
        listing,
        matrix,
        mutants,
        report,
        selftest,
        settings,
        size,
    )

    verbs: dict[str, tuple[Callable[..., int], str]] = {
        "compare": (compare.compare, "Two cores side by side: size, frame, time, verdict."),
        "check": (check.check, "Is a core right? Every digest against an oracle."),
        "build": (build.build, "Objects and programs as files."),
        "size": (size.size, "A function's size in objects that exist, one or two."),
        "images": (images.images, "Make the toolchain images ready."),
        "list": (listing.names, "Names: targets, cores, profiles, setups, checks."),
        "mutants": (mutants.mutants, "Do the checks find faults that are known to be there?"),
        "report": (report.report, "Show saved reports or journals; merge those of shards."),
        "chart": (chart.chart, "Size against speed as a picture, from saved reports."),
        "matrix": (matrix.matrix, "The setups as jobs for continuous integration."),
        "config": (settings.config, "Check and show the settings of this project."),
        "doctor": (doctor.doctor, "Is everything here that rig needs? Advice for each."),
        "selftest": (selftest.selftest, "Are broken cores caught, here and now?"),
        "clean": (clean.clean, "Remove leftovers, and what can be made again."),
    }
    for name, (verb, short) in verbs.items():
        app.command(name, help=_help(verb), short_help=short)(guarded(verb))


def _help(verb: Callable[..., int]) -> str:
    """A verb's docstring; a backspace tells the parser to keep lines."""
    return (inspect.getdoc(verb) or "").replace("\n\nExample", "\n\n\b\nExample")


_add_verbs()


def main() -> None:
    """Runs ``rig`` with the process's arguments; never returns."""
    gc.set_threshold(50_000, 20, 20)  # what is made lives to the end, and is no garbage
    try:
        stop_on_signals()
        app(prog_name="rig")
    except KeyboardInterrupt:  # before any verb began
        end_process(ExitCode.INTERRUPTED)
    except SystemExit as end:
        end_process(end.code if isinstance(end.code, int) else int(end.code is not None))
