"""The entry point of ``rig``. While the rest is loaded, Ctrl-C ends the process as it does any
other program: at once, without a traceback. There is nothing yet to be put in order.
"""

# ruff: noqa: PLC0415 - all that takes time to load comes after the first line

from __future__ import annotations

import signal


def main() -> None:
    """Runs ``rig`` with the process's arguments; never returns."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from rig import cli

    cli.main()
