"""The chart: what it shows of a report, and that it can be drawn."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from event_stream import ARM, GCC, exact, facts, judged, started

from rig.errors import StoreFault, UsageError
from rig.events import Event, Measured, PairTimed, SetupReady, TimeVerdict
from rig.report import chart
from rig.report.document import Report
from rig.report.fold import fold
from rig.verdicts import Measurement

SIZES = {"unrolled": 27575.0, "rolled": 3627.0}
WORK = {"unrolled": 46.3, "rolled": 51.2}


def speed(value: float) -> Measurement:
    return Measurement("native_speed", value, "MB/s", "", False, "", value - 5, value + 5)


def report(*, native: bool = True, cpu: str = "Some CPU") -> Report:
    """i386 with speed, arm32 without; the small core is the slower one."""
    events: list[Event] = [started()]
    for setup in (GCC, ARM):
        target, family, _ = setup.split("/")
        events.append(SetupReady(setup, facts(target, family, "14.2.0"), ()))
        for core, size in SIZES.items():
            work = replace(exact("work/byte", WORK[core]), unit="insns/byte")
            events += [*judged(setup, core), Measured(setup, core, (exact("size", size), work))]
    if native:
        ratio = Measurement("native_ratio", 0.9, "", "", False, "", 0.89, 0.91)
        verdict = TimeVerdict.SLOWER
        events.append(
            PairTimed(
                GCC,
                "unrolled",
                "rolled",
                "native",
                speed(200),
                speed(180),
                ratio,
                verdict,
                None,
                cpu,
            )
        )
    return fold(events)


def test_speed_where_it_was_taken_and_work_elsewhere() -> None:
    i386, arm = chart.panels([report()])
    assert (i386.axis, i386.cpu, i386.title) == (
        chart.SPEED,
        "Some CPU",
        "i386, gcc 14.2.0, kernel",
    )
    assert [(p.core, p.size, p.height, p.low, p.high) for p in i386.points] == [
        ("unrolled", 27575, 200, 195, 205),
        ("rolled", 3627, 180, 175, 185),
    ]
    assert (arm.axis, arm.cpu) == (chart.WORK, "")
    assert [(p.core, p.height) for p in arm.points] == [("unrolled", 46.3), ("rolled", 51.2)]
    assert arm.arrows == (("unrolled", "rolled"),)


def test_speeds_of_two_cpus_are_not_put_on_one_axis() -> None:
    i386, _ = chart.panels([report(), report(cpu="Another CPU")])
    assert i386.axis == chart.WORK


def test_a_cell_without_figures_is_no_point() -> None:
    found = report(native=False)
    bare = tuple(
        replace(cell, measurements=()) if cell.core == "rolled" else cell
        for cell in found.cells
    )
    panels = chart.panels([replace(found, cells=bare)])
    assert [[p.core for p in panel.points] for panel in panels] == [["unrolled"]] * 2
    assert all(panel.arrows == () for panel in panels)


def test_an_svg_holds_the_names_as_text_and_is_the_same_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'charts' is not installed")
    files = [tmp_path / name for name in ("one.svg", "two.svg")]
    for file in files:
        chart.draw([report()], file)
    assert files[0].read_bytes() == files[1].read_bytes()
    texts = [e.text for e in ElementTree.parse(files[0]).iter() if e.tag.endswith("text")]
    for wanted in ("unrolled", "rolled", "i386, gcc 14.2.0, kernel", "on Some CPU"):
        assert wanted in texts
    assert "work, not speed" in texts


def test_a_png_is_one(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'charts' is not installed")
    chart.draw([report()], tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG\r\n")


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'charts' is not installed")
    with pytest.raises(StoreFault, match="cannot be written"):
        chart.draw([report()], tmp_path / "none" / "chart.svg")


@pytest.mark.parametrize(
    ("name", "found", "said"),
    [
        ("chart.pdf", report(), "is .svg or .png"),
        ("chart.svg", fold([started()]), "nothing to draw"),
    ],
)
def test_what_cannot_be_drawn_is_told(
    tmp_path: Path, name: str, found: Report, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        chart.draw([found], tmp_path / name)


def test_without_matplotlib_the_way_to_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UsageError) as caught:
        chart.draw([report()], tmp_path / "chart.svg")
    assert "hashrig[charts]" in caught.value.hint
