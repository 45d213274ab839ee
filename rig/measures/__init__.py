"""Readers of objects and of the one trace. Each gives Measurements, exact unless it says so."""

from __future__ import annotations

from rig.verdicts import Measurement


def exact(name: str, value: float, unit: str, method: str, note: str = "") -> Measurement:
    """An exact figure."""
    return Measurement(name, value, unit, method, True, note, value, value)


def not_measured(name: str, unit: str, method: str, reason: str) -> Measurement:
    """No figure, and why; never 0."""
    return Measurement(name, None, unit, method, True, f"not measured: {reason}")
