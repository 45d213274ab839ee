"""A hundred kills at random moments: the next run completes, the report parses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))

from faults import Place, docker_reason, emulators, host_reason, scratch
from kills import kill_at_random


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_a_hundred_kills(place, tmp_path):
    if host_reason():
        pytest.skip(host_reason())
    kill_at_random(place, tmp_path / "report.json", "host", 100, seed=1)
    assert emulators(place) == []


def test_twenty_kills_in_containers(request, place, tmp_path):
    reason = docker_reason(request.config.getoption("--rig-engine"))
    if reason:
        pytest.skip(reason)
    kill_at_random(place, tmp_path / "report.json", "docker", 20, seed=2)
    assert scratch(place) == []
