"""A hand-made campaign, as events, for the tests of journal and report."""

from __future__ import annotations

from rig.events import (
    BuildFailed,
    Built,
    CampaignEnded,
    CampaignStarted,
    CellJudged,
    CheckDone,
    CoreFacts,
    Event,
    Measured,
    PairTimed,
    Progress,
    SetupFailed,
    SetupReady,
)
from rig.model import Toolchain, ToolchainFacts
from rig.verdicts import Finding, Measurement, Verdict

GCC = "i386/gcc/kernel"
CLANG = "i386/clang/kernel"
ARM = "arm32/gcc/kernel"
X86 = "x86_64/gcc/kernel"
SETUPS = (GCC, CLANG, ARM, X86)
CORES = ("unrolled", "rolled")
CASE = "hash n=64 key=lcg:7:64 in=lcg:12345:16384 cut=1,127,128,129,1000,4096"
RIGHT = "00112233445566778899aabbccddeeff" * 4
WRONG = RIGHT[:100] + "f" + RIGHT[101:]


def facts(target: str, family: str, version: str) -> ToolchainFacts:
    return ToolchainFacts(
        toolchain=Toolchain(family),
        target=target,
        compiler=f"{target}-linux-gnu-{family}",
        version=version,
        banner=f"{family} (Debian) {version}",
        linker="GNU ld 2.44",
        qemu="10.0.8",
        image=f"rig-{target}:abc",
        image_id="sha256:1234",
        release="trixie",
    )


def core_facts(name: str, digest: str) -> CoreFacts:
    return CoreFacts(
        name=name,
        origin=name,
        symbol="blake2b_compress",
        adapter="compress",
        digest=digest,
        files={f"{name}.c": digest * 5 + "0000"},
    )


def started() -> CampaignStarted:
    return CampaignStarted(
        rig="0.1.0",
        command=("rig", "compare", "unrolled", "rolled", "--on", "i386/*"),
        started="2026-11-30T17:00:00+00:00",
        seed=7,
        engine="docker 20.10.24",
        isolated=True,
        cores=(core_facts("unrolled", "0123456789ab"), core_facts("rolled", "ba9876543210")),
        cells=tuple((setup, core) for setup in SETUPS for core in CORES),
        pairs=tuple((setup, *CORES) for setup in SETUPS),
        checks=("vectors", "lengths"),
    )


def exact(name: str, value: float | None, note: str = "") -> Measurement:
    return Measurement(name, value, "bytes", "st_size", exact=True, note=note)


def speed(value: float) -> Measurement:
    return Measurement("throughput", value, "MB/s", "emulated", False, "at 16384 bytes")


def timed(setup: str) -> PairTimed:
    ratio = Measurement("ratio", 1.5, "", "emulated", exact=False, low=1.48, high=1.52)
    return PairTimed(setup, *CORES, "emulated", speed(34.12), speed(51.18), ratio)


def built(setup: str, core: str) -> list[Event]:
    command = ("i686-linux-gnu-gcc", "-O2", "-c", f"{core}.c")
    figures = {"unrolled": (27575, 488), "rolled": (3627, 504)}[core]
    frame = exact("frame", None, "no stack file") if setup == CLANG else None
    frame = frame or exact("frame", figures[1])
    return [
        Built(setup, core, "k1", "k2", command, "", reused=False),
        Measured(setup, core, (exact("size", figures[0]), frame)),
    ]


def judged(setup: str, core: str, finding: Finding | None = None) -> list[Event]:
    vectors = Finding("vectors", Verdict.PASS, tried=12)
    lengths = finding or Finding("lengths", Verdict.PASS, tried=1100)
    verdict = finding.verdict if finding else Verdict.PASS
    return [
        CheckDone(setup, core, "vectors", (vectors,), 0.25),
        CheckDone(setup, core, "lengths", (lengths,), 1.5),
        CellJudged(setup, core, verdict, finding),
    ]


def mismatch() -> Finding:
    return Finding(
        "lengths", Verdict.MISMATCH, "a wrong digest", CASE, RIGHT, WRONG, tried=1100, failed=3
    )


def campaign() -> list[Event]:
    """Eight cells: five good, one mismatch, one not compiled, two without toolchain."""
    events: list[Event] = [started(), Progress("Step 1/9 : FROM debian")]
    events += [
        SetupReady(GCC, facts("i386", "gcc", "14.2.0"), ("-O2", "-m32")),
        SetupReady(CLANG, facts("i386", "clang", "19.1.7"), ("-O2",)),
        SetupReady(ARM, facts("arm32", "gcc", "14.2.0"), ("-O2", "-marm")),
    ]
    for core in CORES:
        events += built(GCC, core) + judged(GCC, core)
        finding = mismatch() if core == "rolled" else None
        events += built(CLANG, core) + judged(CLANG, core, finding)
    events += built(ARM, "unrolled") + judged(ARM, "unrolled")
    events += [
        BuildFailed(
            ARM,
            "rolled",
            "rolled.c:12:5: error: unknown type name 'u64'",
            ("arm-linux-gnueabihf-gcc", "-O2", "-marm", "-march=armv7-a", "-c", "rolled.c"),
            "rig-arm32:abc",
            "rolled.c:12:5: error: unknown type name 'u64'\n   12 |     u64 v[16];\n",
        ),
        CellJudged(ARM, "rolled", Verdict.BUILD_FAILED),
        SetupFailed(
            X86,
            Verdict.ENVIRONMENT,
            "the image of x86_64 could not be built",
            "see the log",
            "E: Unable to locate package gcc\n",
        ),
        timed(GCC),
        timed(CLANG),
        CampaignEnded(True, "2026-11-30T17:00:09+00:00", 9.25, {"compilations": 5}),
    ]
    return events
