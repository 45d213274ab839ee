"""The end of the session: what all these faults have left behind, counted. Nothing."""

from __future__ import annotations

from faults import boxes, emulators, host_reason, rig, scratch, volumes


def test_no_container_and_no_volume(client, docker_lab, place):
    docker_lab.stop()
    assert rig(place, "clean").code == 0
    assert boxes(client) == []
    assert volumes(client) == []


def test_no_emulator_and_no_scratch_file(place):
    assert rig(place, "clean").code in (0, 3)  # 3: no engine is here
    assert emulators(place) == []
    assert scratch(place) == []


def test_the_count_would_see_an_emulator(place):
    """The count itself is real: it sees one that is there."""
    import subprocess

    import pytest

    if host_reason():
        pytest.skip(host_reason())
    folder = place.tmp / "seen"
    folder.mkdir()
    command = ["qemu-x86_64", "/bin/sleep", "100"]
    with subprocess.Popen(command, cwd=folder) as process:
        try:
            found = emulators(place)
        finally:
            process.kill()
    assert len(found) == 1
