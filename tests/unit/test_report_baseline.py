"""A report beside an earlier one: what moved, what may not, what nothing was held against."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from event_stream import GCC, SETUPS, exact, facts, judged, started, timed

from rig.errors import ExitCode, UsageError
from rig.events import Event, Measured, SetupReady
from rig.report.baseline import compare, parse_rules, render
from rig.report.document import Report
from rig.report.fold import fold
from rig.verdicts import Measurement


def report(*figures: Measurement, core: str = "rolled", more: Iterable[Event] = ()) -> Report:
    return fold([started(), *judged(GCC, core), Measured(GCC, core, figures), *more])


OLD = report(exact("size", 3000), exact("work", 7000.0), exact("stack", 488))


@pytest.mark.parametrize(
    ("rule", "size", "code"),
    [
        ("size>+2%", 3000, ExitCode.GOOD),
        ("size>+2%", 3060, ExitCode.GOOD),
        ("size>+2%", 3061, ExitCode.CORE_FAILED),
        ("size>+2%", 2000, ExitCode.GOOD),
        ("size>+0%", 3001, ExitCode.CORE_FAILED),
        ("size>+16", 3016, ExitCode.GOOD),
        ("size>+16", 3017, ExitCode.CORE_FAILED),
        ("size<-1%", 2971, ExitCode.GOOD),
        ("size<-1%", 2969, ExitCode.CORE_FAILED),
    ],
)
def test_a_rule_is_broken_beyond_its_limit_alone(rule: str, size: int, code: ExitCode) -> None:
    found = compare(report(exact("size", size)), OLD, parse_rules([rule], OLD))
    assert found.exit_code is code
    assert ("BROKEN" in render(found, "old.json")) is (code is ExitCode.CORE_FAILED)


def test_what_moved_is_shown_with_and_without_rules() -> None:
    new = report(exact("size", 3001), exact("work", 6990.0), exact("stack", 488))
    found = compare(new, OLD, ())
    assert [(item.figure, item.broken) for item in found.moved] == [("size", ()), ("work", ())]
    assert found.exit_code is ExitCode.GOOD
    text = render(found, "old.json")
    assert "Beside old.json: 2 of 3 figures moved." in text
    assert "3000 -> 3001" in text
    assert "-0.14%" in text
    assert "stack" not in text
    assert all(len(line) <= 72 for line in text.splitlines())


def test_several_rules_may_stand_in_one_text() -> None:
    rules = parse_rules(["size>+2% work>+0.5%", "stack>+8,stack<-8"], OLD)
    assert [rule.text for rule in rules] == ["size>+2%", "work>+0.5%", "stack>+8", "stack<-8"]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("size", "is not a rule"),
        ("size>2%", "is not a rule"),
        ("size>+2%x", "is not a rule"),
        ("sise>+2%", "has no figure 'sise'"),
    ],
)
def test_a_wrong_rule_is_told_before_the_work(rule: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_rules([rule], OLD)


def test_a_rule_that_holds_nothing_is_no_pass() -> None:
    gone = replace(exact("work", None), note="not measured: no trace")
    found = compare(report(exact("size", 3000), gone), OLD, parse_rules(["work>+1%"], OLD))
    assert found.exit_code is ExitCode.ENVIRONMENT
    assert "work>+1% held nothing in 1 cells" in render(found, "old.json")
    other = report(exact("size", 3000), core="unrolled")
    assert compare(other, OLD, parse_rules(["size>+1%"], OLD)).missing == ()


def test_reports_without_a_common_cell_are_no_pass() -> None:
    stream = [replace(started(), cells=((GCC, "mine"),), pairs=()), *judged(GCC, "mine")]
    new = fold([*stream, Measured(GCC, "mine", (exact("size", 3000),))])
    found = compare(new, OLD, parse_rules(["size>+1%"], OLD))
    assert found.exit_code is ExitCode.ENVIRONMENT
    assert found.missing == ((GCC, "mine"),)
    assert f"Not in the baseline: {GCC}/mine" in render(found, "old.json")


def speed(name: str, low: float, value: float, high: float) -> Measurement:
    return Measurement(name, value, "MB/s", "timed", False, "", low, high)


@pytest.mark.parametrize(
    ("now", "broken"), [((90, 95, 99.5), False), ((90, 93, 94), True), ((99, 101, 120), False)]
)
def test_times_are_held_by_their_intervals_and_only_when_asked(
    now: tuple[float, float, float], broken: bool
) -> None:
    def with_speed(*figures: float) -> Report:
        item = replace(timed(GCC), after=speed("native_speed", *figures))
        return report(exact("size", 3000), more=[item])

    old, new = with_speed(99, 100, 101), with_speed(*now)
    assert compare(new, old, ()).moved == ()
    found = compare(new, old, parse_rules(["native_speed<-5%"], old))
    assert bool(found.moved) is broken


def test_another_compiler_is_told() -> None:
    def by(version: str) -> Report:
        return fold([started(), SetupReady(GCC, facts("i386", "gcc", version), ())])

    text = render(compare(by("15.1.0"), by("14.2.0"), ()), "old.json")
    assert f"{GCC}: another compiler: 14.2.0 -> 15.1.0" in text
    assert len(SETUPS) == 4  # the others have no facts and are not told
