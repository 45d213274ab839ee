"""What this machine has."""

from __future__ import annotations

import os


def _cpus() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


CPUS = _cpus()
"""CPUs that this process may use."""
