"""What a hostile core may not do: it tries, is refused, and tells on standard error.

Status 11 would say that something went through. What no test can promise is written down in
docs/trust.md: a core shares the driver's process and can forge replies.
"""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest
from faults import DUE, core, eventually, host_reason, judge

from rig import catalog, lab
from rig.engines.image import LABEL
from rig.store import Store
from rig.verdicts import Verdict

SETUP = "x86_64/gcc/user"
REFUSED = "exited with status 10 before it answered: attempted:"
ATTEMPTS = {
    "network": {"name-server", "bridge", "metadata", "raw", "packet"},
    "files": {
        "canary", "shadow", "passwd", "tools", "memory", "disk", "sysrq", "core-pattern",
    },
    "engine": {"docker", "containerd", "podman"},
    "processes": {"init", "tester", "neighbours"},
    "privileges": {
        "root", "group", "mount", "chroot", "user-namespace", "device", "name", "core-file",
        "descriptors", "priority",
    },
    "limits": {"limit", "disk", "processes"},
}  # fmt: skip


@pytest.fixture(scope="module")
def canary(tmp_path_factory):
    """A file that everybody on this machine may read."""
    path = Path(tmp_path_factory.mktemp("canary")) / "canary"
    path.write_text("sings\n")
    for folder in (path.parent, *path.parent.parents[:2]):
        os.chmod(folder, 0o755)
    return path


def attempts(names, canary):
    told = {"CANARY": f'"{canary}"', "TESTER_PID": os.getpid()}
    return [core(f"attempt_{name}", **told) for name in names]


@pytest.fixture(scope="module")
def judged(docker_lab, canary):
    return judge(docker_lab, attempts(ATTEMPTS, canary), ["x86_64/gcc"])


def account(found) -> dict[str, int]:
    """Attempt -> errno; 0 for what went through."""
    return {name: int(code) for name, code in re.findall(r"([a-z-]+)=(\d+)", found.got)}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_all_is_refused_and_reported(judged, name):
    cell = judged.cell(SETUP, f"attempt_{name}")
    assert (cell.verdict, cell.finding.case) == (Verdict.GUEST_CRASH, DUE)
    told = account(cell.finding)
    assert set(told) == ATTEMPTS[name]
    assert REFUSED in cell.finding.got
    assert 0 not in told.values()


def test_processes_run_out_at_the_limit(judged):
    told = account(judged.cell(SETUP, "attempt_limits").finding)
    assert told["processes"] == errno.EAGAIN


def test_what_is_refused_in_a_container_would_go_through_outside(place, canary):
    """The attempts are real: without a container the same core reads the tester's file."""
    if host_reason():
        pytest.skip(host_reason())
    known = catalog.load()
    engine = lab.open_engine("host", known, place.cache)
    with lab.Lab(known, engine, Store(place.cache), lambda _event: None, jobs=1) as host:
        report = judge(host, attempts(["files"], canary), ["x86_64/gcc"])
    found = report.cell(SETUP, "attempt_files").finding
    assert "exited with status 11" in found.got
    assert account(found)["canary"] == 0


def test_a_box_is_limited_in_what_the_engine_says_of_it(docker_lab, client):
    """CPU, memory, processes, network, privileges, mounts: asked of a box that runs."""
    setup = docker_lab.catalog.setups(["x86_64/gcc"], "user")[0]
    channel = docker_lab.engine.open(docker_lab.ready(setup), ["cat"], {}, lab.GUEST_LIMITS)
    mine = f"/{os.getpid()}/"
    boxes = client.containers(filters={"label": f"{LABEL}.owner"})
    box = next(b for b in boxes if mine in b["Labels"][f"{LABEL}.owner"])
    config = client.inspect_container(box["Id"])["HostConfig"]
    channel.close()
    limits = lab.GUEST_LIMITS
    assert config["CpuQuota"] == limits.cpus * config["CpuPeriod"]
    assert config["Memory"] == config["MemorySwap"] == limits.memory
    assert config["PidsLimit"] == limits.pids
    assert (config["NetworkMode"], config["ReadonlyRootfs"]) == ("none", True)
    assert (config["Privileged"], config["CapDrop"], config["CapAdd"]) == (False, ["ALL"], None)
    assert not config["Binds"]
    assert not config.get("Mounts")
    assert not config["Devices"]
    assert "no-new-privileges" in config["SecurityOpt"]
    eventually(
        lambda: all(b["Id"] != box["Id"] for b in client.containers(all=True)), "removal"
    )
