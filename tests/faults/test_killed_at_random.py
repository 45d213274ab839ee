"""SIGKILL at random moments; a hundred of them in tests/full/test_killed_often.py."""

from __future__ import annotations

import pytest
from faults import boxes, emulators, host_reason, rig, scratch
from kills import kill_at_random

SEED = 20151101


def test_a_killed_compare_costs_only_its_own_work(client, place, tmp_path):
    kill_at_random(place, tmp_path / "report.json", "docker", 3, SEED)
    assert rig(place, "clean").code == 0
    assert boxes(client) == []
    assert scratch(place) == []


def test_the_same_without_containers(place, tmp_path):
    if host_reason():
        pytest.skip(host_reason())
    kill_at_random(place, tmp_path / "report.json", "host", 4, SEED)
    assert emulators(place) == []
