"""The events of a campaign, in the order in which they can come.

A campaign is a stream of these; the journal keeps it, the report is a fold over it, and so are
progress, resume and the merge of shards. Every event is flat data with a ``kind``, and names
cells and setups by their ids (``i386/gcc/kernel``), cores by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from rig.model import ToolchainFacts
from rig.verdicts import Finding, Measurement, Verdict


@dataclass(frozen=True, slots=True)
class CoreFacts:
    """A core as the report knows it. files: path -> sha256 of its content.

    cflags: of its own, after the profile's. notes: what to know of where it came from.
    """

    name: str
    origin: str
    symbol: str
    adapter: str
    digest: str
    files: dict[str, str]
    cflags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignStarted:
    """What is going to be done. command: as typed. seed: of every random choice.

    pairs: (setup id, before, after); cells: (setup id, core). shard: ``2/5``, if it is one.
    question: digest of all that decides what a cell is asked; resume compares it.
    """

    rig: str
    command: tuple[str, ...]
    started: str
    seed: int
    engine: str
    isolated: bool
    cores: tuple[CoreFacts, ...]
    cells: tuple[tuple[str, str], ...]
    pairs: tuple[tuple[str, str, str], ...]
    checks: tuple[str, ...]
    shard: str = ""
    question: str = ""
    kind: Literal["campaign-started"] = "campaign-started"


@dataclass(frozen=True, slots=True)
class Progress:
    """One line of what goes on (image build output, a step); never part of the report."""

    text: str
    kind: Literal["progress"] = "progress"


@dataclass(frozen=True, slots=True)
class SetupReady:
    """A setup's toolchain as read from its image. flags: of the core's unit, as passed.

    attributes: what tells setups apart (:attr:`rig.model.Setup.attributes`).
    """

    setup: str
    facts: ToolchainFacts
    flags: tuple[str, ...]
    attributes: dict[str, str] = field(default_factory=dict)
    kind: Literal["setup-ready"] = "setup-ready"


@dataclass(frozen=True, slots=True)
class SetupFailed:
    """Nothing of this setup can be judged; every cell of it gets this verdict and message."""

    setup: str
    verdict: Verdict
    message: str
    hint: str = ""
    detail: str = ""
    kind: Literal["setup-failed"] = "setup-failed"


@dataclass(frozen=True, slots=True)
class Built:
    """A cell's object and program are there. reused: taken from the store.

    command: of the compiler, as one would type it. warnings: the compiler's and linker's text.
    """

    setup: str
    core: str
    object_key: str
    program_key: str
    command: tuple[str, ...]
    warnings: str
    reused: bool
    kind: Literal["built"] = "built"


@dataclass(frozen=True, slots=True)
class BuildFailed:
    """The compiler or linker refused. message: its first error. command, image: what ran."""

    setup: str
    core: str
    message: str
    command: tuple[str, ...]
    image: str
    output: str
    hint: str = ""
    kind: Literal["build-failed"] = "build-failed"


@dataclass(frozen=True, slots=True)
class Measured:
    setup: str
    core: str
    measurements: tuple[Measurement, ...]
    kind: Literal["measured"] = "measured"


@dataclass(frozen=True, slots=True)
class CheckDone:
    """One check of one cell. findings: at least one; PASS says how many cases were judged."""

    setup: str
    core: str
    check: str
    findings: tuple[Finding, ...]
    seconds: float
    kind: Literal["check-done"] = "check-done"


class TimeVerdict(StrEnum):
    """What a hardware time says of the core after beside the one before."""

    FASTER = "faster"
    SLOWER = "slower"
    INDISTINGUISHABLE = "indistinguishable"
    UNSTABLE = "unstable"


@dataclass(frozen=True, slots=True)
class Sides:
    """One more figure of both cores of a pair. name: of what (``1024 bytes``)."""

    name: str
    before: Measurement
    after: Measurement


@dataclass(frozen=True, slots=True)
class PairTimed:
    """Interleaved timing of a pair. method: whose time (``emulated`` or ``native``).

    before, after: MB/s of each core; ratio: after / before, with its interval. Without values
    where this method gives none; their note says why. Of native time alone: verdict; control,
    the ratio of one core to itself; cpu, by its own name; figures, beside the headline's.
    """

    setup: str
    before_core: str
    after_core: str
    method: str
    before: Measurement
    after: Measurement
    ratio: Measurement
    verdict: TimeVerdict | None = None
    control: Measurement | None = None
    cpu: str = ""
    figures: tuple[Sides, ...] = ()
    kind: Literal["pair-timed"] = "pair-timed"


@dataclass(frozen=True, slots=True)
class CellJudged:
    """The last word on a cell: the worst of its findings, with the one to show first.

    diagnosis: sentences on what the failing cases have in common, most telling first.
    """

    setup: str
    core: str
    verdict: Verdict
    finding: Finding | None = None
    diagnosis: tuple[str, ...] = ()
    kind: Literal["cell-judged"] = "cell-judged"


@dataclass(frozen=True, slots=True)
class CampaignEnded:
    """complete: every planned cell was judged. counts: compilations, links, image builds,
    objects reused, cases judged, sessions opened, ...
    """

    complete: bool
    ended: str
    seconds: float
    counts: dict[str, int] = field(default_factory=dict)
    reason: str = ""
    kind: Literal["campaign-ended"] = "campaign-ended"


Event = (
    CampaignStarted
    | Progress
    | SetupReady
    | SetupFailed
    | Built
    | BuildFailed
    | Measured
    | CheckDone
    | PairTimed
    | CellJudged
    | CampaignEnded
)

Sink = Callable[[Event], None]
"""Takes each event as it happens."""
