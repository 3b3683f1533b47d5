"""Whether a recording fits its rig: rows, order of the cameras, time, lengths; every threshold stands here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from scrubin.media.rigs.rig import Camera, Rectification, Rig, rectification
from scrubin.stages.stereo.findings import SEVERITIES, UNKNOWN, Checked, Finding, Measured, Severity
from scrubin.stages.stereo.fit import Fit, exchanged, fit
from scrubin.stages.stereo.footage import HOW, Footage, clocks_differ, rates_differ
from scrubin.stages.stereo.motion_lag import FREE_GRADIENT, GRADIENT, MotionLag, motion_lag, unknown
from scrubin.stages.stereo.samples import EVERYTHING, FLIPS, Choice, Matches, Sample, sample

FEWEST_MATCHES, FEWEST_PER_PAIR = 60, 8
AHEAD_SHARE = 0.5
WARN_OFFSET_PX, ERROR_OFFSET_PX = 0.75, 1.5
WARN_P95_PX, ERROR_P95_PX = 2.0, 4.0
WARN_LAG, ERROR_LAG = 0.3, 0.7
LAG_ERRORS, OFFSET_ERRORS = 4.0, 3.0
BASELINE_MM, DEPTH_MM = (1.0, 30.0), (15.0, 500.0)
CENTRE_SHARE = 0.2
FLIP_TIMES, FEWEST_FLIPPED = 3.0, 24
BETTER_TIMES, LEAST_P95_PX = 3.0, 1.0
BEHIND_SHARE = 1 / 200
"""Of the width: nearer to infinity than this, a small error of the rig puts what is before the cameras behind them."""
BENT_TIMES = 2.0
ALIKE_TIMES, ALIKE_PX = 1.5, 0.3
SAME_SHARE = 0.5


def check(rig: Rig, left: Footage, right: Footage, name: str, rig_name: str, choice: Choice = EVERYTHING) -> Checked:
    """Return what is to be said of a recording; both cameras must be of the rig's size."""
    way = rectification(rig, 0.0)
    taken = sample(way, left, right, choice)
    return judge(way, taken, name, rig_name, [*_lengths(left, right)])


def check_alone(left: Footage, right: Footage, name: str, choice: Choice = EVERYTHING) -> Checked:
    """Return what can be said of a recording whose rig nobody knows: same or flipped pictures, time, lengths.

    Nothing of it is an error, and rows, depth and the order of the cameras are not judged: cameras that are turned towards
    one another look exchanged to whoever does not know by how much.
    """
    findings = [*_lengths(left, right)]
    if left.size != right.size:
        what = f"the left camera's pictures are {left.size[0]}x{left.size[1]}, the right one's {right.size[0]}x{right.size[1]}"
        findings.append(Finding("length", "warning", what, HOW))
        return Checked(name, "", UNKNOWN, _as_warnings(findings))
    way = rectification(_usual(left.size), 0.0)
    taken = sample(way, left, right, choice)
    count = fit(way, Matches.of_all(taken.pairs)).count
    found = _lag(taken, FREE_GRADIENT)
    first = _same(taken) or _flipped(way, taken, is_calibrated=False) or _unmatched(count, taken)
    findings += [first] if first is not None else [*_late(found)]
    return Checked(name, "", replace(UNKNOWN, match_count=count, lag_frames=found.frames, lag_error=found.error), _as_warnings(findings))


def judge(way: Rectification, taken: Sample, name: str, rig_name: str, more: Iterable[Finding] = ()) -> Checked:
    """Return what follows from a sample of a recording, after some findings that are known already."""
    together = Matches.of_all(taken.sure)
    recorded = fit(way, together, max(1, len(taken.sure)))
    findings = [*more, *_of_rig(way.rig)]
    found = _lag(taken)
    count = fit(way, Matches.of_all(taken.pairs)).count if taken.numbered else recorded.count
    is_enough = recorded.count >= _fewest(taken.sure)
    first = _same(taken) or _flipped(way, taken) or _unmatched(count, taken)
    if first is not None:
        findings.append(first)
    elif found.is_late:
        # Where cameras are out of step, what moves is off in row and column and says nothing of the rig, nor of their order.
        findings += [*_late(found), *_depth(recorded)]
    else:
        said = _common([_of_pairs(way, pairs) for pairs in ([taken.sure] if is_enough else [taken.pairs, taken.by_number])])
        is_exchanged = any(one.rule == "order" and one.severity == "error" for one in said)
        findings += said if is_exchanged else [*_late(found), *said]
    seen = recorded.count if is_enough else count
    measured = Measured(recorded.offset_px, recorded.p95_px, recorded.ahead_share, recorded.depth_mm, seen, found.frames, found.error)
    return Checked(name, rig_name, measured, tuple(findings))


def _of_pairs(way: Rectification, pairs: list[Matches]) -> list[Finding]:
    """Return what some pairs say of the rig, and of the order of its cameras, if each of them is of one instant."""
    together = Matches.of_all(pairs)
    recorded = fit(way, together, max(1, len(pairs)))
    order = _order(recorded, exchanged(way, together), way.rig.width)
    if order is not None and order.severity == "error":
        return [order]
    return [*([order] if order else []), *_rows(recorded), *_depth(recorded)]


def _common(each: Sequence[Sequence[Finding]]) -> list[Finding]:
    """Return what is found by every way to put frames together, as mildly as one of them has it: one of them is right."""
    by_rule = [{finding.rule: finding for finding in found} for found in each]
    rules = [rule for rule in by_rule[0] if all(rule in found for found in by_rule)]
    return [max((found[rule] for found in by_rule), key=lambda one: SEVERITIES.index(one.severity)) for rule in rules]


def _usual(size: tuple[int, int]) -> Rig:
    """Return two parallel cameras with lenses that bend nothing, for pictures whose rig nobody knows."""
    width, height = size
    camera = Camera(np.array([[width, 0.0, (width - 1) / 2], [0.0, width, (height - 1) / 2], [0.0, 0.0, 1.0]]), np.zeros(5))
    return Rig(camera, camera, np.eye(3), np.array([-5.0, 0.0, 0.0]), width, height, "mm")


def _as_warnings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(replace(finding, severity="warning") if finding.severity == "error" else finding for finding in findings)


def _same(taken: Sample) -> Finding | None:
    if taken.same_share < SAME_SHARE:
        return None
    what = f"both cameras show the same picture in {100 * taken.same_share:.0f} % of the pairs"
    return Finding("same", "error", what, "name the file of the other camera")


def _unmatched(count: int, taken: Sample) -> Finding | None:
    if count >= _fewest(taken.pairs):
        return None
    what = f"only {count} points are seen by both cameras in {len(taken.pairs)} pairs"
    return Finding("unmatched", "undecided", what, "look whether both show one scene at one time; nothing else could be checked")


def _fewest(pairs: Sequence[Matches]) -> int:
    """Return how many points some pairs must have before they say anything of the rig."""
    return max(FEWEST_MATCHES, FEWEST_PER_PAIR * len(pairs))


def _of_rig(rig: Rig) -> Iterable[Finding]:
    low, high = BASELINE_MM
    if not low <= rig.baseline_mm <= high:
        what = f"the cameras would be {rig.baseline_mm:.3g} mm apart, not {low:g} to {high:g} as in endoscopes and microscopes"
        yield Finding("baseline", "warning", what, "see that the unit and the width of the board's squares are right")
    for side, camera in (("left", rig.left), ("right", rig.right)):
        off = np.abs(camera.matrix[:2, 2] / np.array(rig.size) - 0.5).max()
        if off > CENTRE_SHARE:
            what = f"the {side} optical centre lies {100 * off:.0f} % of the picture off its middle"
            yield Finding("centre", "warning", what, "see that the calibration is of pictures of this size and crop")
        if share := camera.folded_share(rig.size):
            what = f"the {side} lens model folds in {100 * share:.2g} % of the picture: labels there are left out of rectified pairs"
            yield Finding("folds", "warning", what, "calibrate again with the board in every corner")


def _flipped(way: Rectification, taken: Sample, *, is_calibrated: bool = True) -> Finding | None:
    """Return a finding when the right picture has to be flipped before it matches the left one."""
    first = taken.pairs[: len(next(iter(taken.flipped.values())))]
    usual = fit(way, Matches.of_all(first)).count
    for name, (across, down) in FLIPS.items():
        together = Matches.of_all(taken.flipped[name])
        back = {
            side: fit(way, together.flipped(way.rig.size, across=across, down=down, left=side == "left", right=side == "right"))
            for side in ("left", "right")
        }
        best = max(back.values(), key=lambda one: one.count)
        # Of a recording of which nothing is shown nothing is flipped.
        if best.count < max(FEWEST_FLIPPED, FEWEST_PER_PAIR * len(first), FLIP_TIMES * usual):
            continue
        fitting = [side for side, one in back.items() if one.ahead_share >= AHEAD_SHARE]
        which = f"the {fitting[0]} camera" if len(fitting) == 1 and is_calibrated else "one camera"
        return Finding("flipped", "error", f"the pictures of {which} are {name}", f"{HOW} as they were recorded")
    return None


def _order(recorded: Fit, others: dict[str, Fit], width_px: int) -> Finding | None:
    """Return a finding when cameras that were exchanged or both flipped explain what does not fit as it is.

    What lies behind the cameras is not enough: with cameras that are turned towards one another nothing does.
    """
    behind = recorded.ahead_share < AHEAD_SHARE
    if not behind and recorded.p95_px < LEAST_P95_PX:
        return None
    most_px = WARN_P95_PX if behind else min(WARN_P95_PX, recorded.p95_px / BETTER_TIMES)
    possible = {name: one for name, one in others.items() if one.ahead_share >= AHEAD_SHARE and one.p95_px <= most_px}
    if not possible and not behind:
        return None
    share = f"{100 * (1 - recorded.ahead_share):.0f} % of what both cameras see lies behind them"
    what = share if behind else f"rows differ by {recorded.p95_px:.1f} px at 5 % of the points"
    if behind and recorded.disparity_px > -BEHIND_SHARE * width_px:
        what = "everything is so far away that it could not be told which camera is which"
        return Finding("order", "undecided", what, "see that the calibration is of this rig")
    if not possible:
        return Finding("order", "error", what, "see that the calibration is of this rig, and the cameras are not exchanged or flipped")
    best = min(one.p95_px for one in possible.values())
    causes = " or ".join(name for name, one in possible.items() if one.p95_px <= ALIKE_TIMES * best + ALIKE_PX)
    return Finding("order", "error", f"{what}: the cameras are {causes}", "exchange the files, or export them unflipped")


def _rows(recorded: Fit) -> Iterable[Finding]:
    offset, bend, sure = abs(recorded.offset_px), recorded.bend_px, OFFSET_ERRORS * recorded.offset_error_px
    if offset - sure > WARN_OFFSET_PX:
        where = "lower" if recorded.offset_px > 0 else "higher"
        what = f"the right picture lies {offset:.1f} px {where} than the rig has it (median of {recorded.count} points)"
        fix = "calibrate again, or see that this is the rig and crop of the recording"
        yield Finding("offset", _severity(offset - sure, ERROR_OFFSET_PX), what, fix)
    if recorded.p95_px - offset <= WARN_P95_PX:
        return
    what = f"rows differ by {recorded.p95_px:.1f} px at 5 % of the points"
    if bend > WARN_P95_PX and recorded.bent_times >= BENT_TIMES:
        fix = "see that the calibration is of this rig, and of this size and zoom"
        yield Finding("spread", _severity(bend, ERROR_P95_PX), what, fix)
    else:
        yield Finding("spread", "undecided", f"{what}, here and there: they may be wrongly matched", "look at a rectified pair")


def _depth(recorded: Fit) -> Iterable[Finding]:
    low, high = DEPTH_MM
    if math.isfinite(recorded.depth_mm) and not low <= recorded.depth_mm <= high:
        what = f"what both cameras see would be {recorded.depth_mm:.3g} mm away, not {low:g} to {high:g}"
        yield Finding("baseline", "warning", what, "see that the unit and the width of the board's squares are right")


def _lag(taken: Sample, gradient: float = GRADIENT) -> MotionLag:
    found = motion_lag(taken.stretches, gradient)
    return unknown("clocks and numbers of frames do not pair the same ones") if found.why and taken.numbered else found


def _late(found: MotionLag) -> Iterable[Finding]:
    if found.why:
        what = f"whether the cameras ran in step could not be told: {found.why}"
        yield Finding("lag", "undecided", what, "look at a pair in which something moves quickly")
    elif found.is_late and abs(found.frames) > max(WARN_LAG, LAG_ERRORS * found.error):
        late, other = ("right", "left") if found.frames > 0 else ("left", "right")
        what = f"the {late} camera is {abs(found.frames):.2f} frames behind the {other} one"
        if found.change is not None:
            first, last = found.change
            what = f"the cameras do not keep step: the right one is {first:.1f} frames behind at first and {last:.1f} later"
        yield Finding(
            "lag", _severity(abs(found.frames), ERROR_LAG), what, f"cut both to the same instants, or {HOW}; then check rows again"
        )


def _lengths(left: Footage, right: Footage) -> Iterable[Finding]:
    if left.count != right.count:
        what = f"the left camera has {left.count} frames, the right one {right.count}"
        yield Finding("length", "warning", what, "cut both to the same instants")
    if differ := rates_differ(left, right):
        yield Finding("length", "error", differ, HOW)
    elif differ := clocks_differ(left, right):
        yield Finding("instants", "undecided", differ, "see that both clocks are right: pairs are taken by time, not by number")


def _severity(value: float, error: float) -> Severity:
    return "error" if value > error else "warning"
