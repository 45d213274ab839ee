"""How tests start ``rig``: the real command, in a process of its own."""

from __future__ import annotations

import sys

RIG = (sys.executable, "-c", "import rig.start; rig.start.main()")
"""Begins as the installed ``rig`` does, whether or not that is on the path."""
