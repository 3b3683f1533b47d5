"""A drawn recording, sound and with one fault at a time."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from fractions import Fraction

import cv2
import numpy as np
import pytest

import clips
import stereo_rigs
from scrubin import cli
from scrubin.base.errors import CalibrationError
from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig import rectification, rectified
from scrubin.stages.stereo import drawing, recordings
from scrubin.stages.stereo.check import _lengths, _rows, check, check_alone, judge
from scrubin.stages.stereo.findings import drift
from scrubin.stages.stereo.fit import Fit, alpha_fit, fit, of_fit
from scrubin.stages.stereo.footage import numbers_apart, partners, released_pairs, two_instants
from scrubin.stages.stereo.recordings import over
from scrubin.stages.stereo.samples import FLIPS, Choice, Matches, Sample

SIZE, COUNT, FPS = (320, 180), 66, 20


@dataclass(frozen=True)
class Shown:
    """Pictures in memory, as a camera's footage."""

    pictures: tuple
    name: str = "drawn"
    late: int = 0
    flip: int = 1
    down_px: int = 0
    fps: Fraction | None = Fraction(FPS)
    times_s: tuple = ()
    size = SIZE

    @property
    def count(self):
        return len(self.pictures)

    def picture(self, number):
        return np.ascontiguousarray(np.roll(self.pictures[max(0, number - self.late)], self.down_px, axis=0)[:, :: self.flip])


@pytest.fixture(scope="module")
def recorded():
    rng = np.random.default_rng(8)
    rig = drawing.rig(rng, SIZE)
    scene = drawing.Scene.by_lot(rng, rig)
    sides = []
    for side in ("left", "right"):
        view = drawing.view(rig, side, 1)
        sides.append(Shown(tuple(drawing.noisy(drawing.picture(view, scene.sheets(n / FPS)), 2.0, rng) for n in range(COUNT))))
    return rig, *sides


def findings(rig, left, right):
    return check(rig, left, right, "drawn", "rig")


@pytest.fixture(scope="module")
def sound(recorded):
    return findings(*recorded)


def clocked(*ms):
    times_s = tuple(Fraction(one, 1000) for one in ms)
    return Shown((None,) * len(ms), times_s=times_s, fps=(len(ms) - 1) / times_s[-1])


def test_frames_are_looked_at_with_those_of_the_other_camera_that_are_nearest_in_time():
    even = clocked(*range(0, 500, 50))
    assert [*partners(even, clocked(*range(0, 450, 50)))] == [*range(9)]
    assert [*partners(even, clocked(0, 45, 100, 145, 200, 245, 300, 345, 400, 445))] == [*range(10)]
    assert [*partners(even, clocked(0, 50, 100, 200, 250, 300, 350, 400, 450))] == [0, 1, 2, 2, 3, 4, 5, 6, 7, 8]
    assert [*partners(even, clocked(*range(0, 500, 100)))] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert [*partners(Shown((None,) * 4), Shown((None,) * 3))] == [0, 1, 2]


def test_pairs_are_those_of_the_frame_contract_and_said_to_be_of_two_instants():
    left, right = clocked(*range(0, 2050, 50)), clocked(*(t - 5 * (t // 50 % 2) for t in range(0, 2050, 50)))
    assert two_instants(*released_pairs(left, right, Fraction(1)), 20) is None
    assert two_instants(*released_pairs(left, right, Fraction(1, 20)), 20) == "20 of 41 pairs are of two instants, up to 50 ms apart"
    assert released_pairs(Shown((None,) * 4), left, Fraction(1)) is None


def test_where_clocks_and_numbers_of_frames_disagree_pairs_prove_only_what_both_ways_show():
    even, jumping = clocked(*range(0, 400, 40)), clocked(*range(0, 200, 40), *range(225, 425, 40))
    assert numbers_apart(even, jumping).tolist() == [False] * 5 + [True] * 5
    assert not numbers_apart(even, clocked(*range(0, 360, 40))).any()
    shorter = clocked(*range(0, 200, 40), *range(225, 385, 40))
    assert numbers_apart(even, shorter).tolist() == [False] * 5 + [True] * 4 + [False]
    assert numbers_apart(shorter, even).tolist() == [False] * 5 + [True] * 4
    assert not numbers_apart(clocked(*range(0, 400, 20)), even).any()
    for lacking in (range(40, 400, 40), [*range(0, 160, 40), *range(200, 400, 40)], range(40, 320, 40)):
        times_s = tuple(Fraction(one, 1000) for one in lacking)
        honest = Shown((None,) * len(times_s), times_s=times_s, fps=even.fps)
        assert not numbers_apart(even, honest).any()
        assert not numbers_apart(honest, even).any()
    rig = drawing.rig(np.random.default_rng(2), SIZE)
    good = points_of(rig, 9.0, noise_px=0.1)
    wrong = Matches(good.left, good.right + np.column_stack([np.zeros(len(good)), 0.1 * (good.left[:, 0] - 160)]))
    nothing = {name: [] for name in FLIPS}
    for pairs, numbered, rules in (
        ([good, wrong], {}, {"spread": "undecided"}),
        ([good, wrong], {1: wrong}, {}),
        ([wrong, wrong], {}, {"offset": "error", "spread": "warning"}),
        ([wrong, wrong], {0: wrong, 1: wrong}, {"offset": "error", "spread": "warning"}),
        ([wrong, wrong], {0: good, 1: wrong}, {"spread": "undecided"}),
        ([wrong, wrong], {0: good, 1: good}, {}),
        ([wrong, wrong], {0: good.swapped(), 1: good.swapped()}, {}),
    ):
        done = judge(rectification(rig, 0.0), Sample(pairs, nothing, [], 0.0, numbered), "drawn", "rig")
        assert {finding.rule: finding.severity for finding in done.findings if finding.rule != "lag"} == rules
        assert done.measured.match_count > 0
        assert np.isnan(done.measured.offset_px) == (0 in numbered)
    swapped = Sample([good.swapped()], nothing, [], 0.0, {0: good.swapped()})
    assert {finding.rule for finding in judge(rectification(rig, 0.0), swapped, "drawn", "rig").findings} == {"order"}


@pytest.mark.slow
def test_a_clock_that_jumps_is_undecided_and_no_fault_of_the_rig(recorded):
    rig, *both = recorded
    left, right = (
        replace(one, times_s=tuple(Fraction(n, FPS) + (n >= 12) * late for n in range(COUNT)))
        for one, late in zip(both, (0, Fraction(26, 1000)), strict=True)
    )
    shorter = replace(right, times_s=right.times_s[:-1], pictures=right.pictures[:-1])
    done = findings(rig, left, shorter)
    assert {one.rule: one.severity for one in done.findings} == {"length": "warning", "instants": "undecided", "lag": "undecided"}
    assert done.measured.match_count > 60


@pytest.mark.slow
def test_swapped_eyes_and_a_wrong_calibration_are_found_where_clocks_differ_throughout(recorded):
    rig, *both = recorded
    even = tuple(Fraction(n, FPS) for n in range(COUNT))
    late = tuple(time_s + Fraction(1, FPS) for time_s in even)
    left, right = (replace(one, times_s=times_s) for one, times_s in zip(both, (even, late), strict=True))
    other_way = (replace(one, times_s=times_s) for one, times_s in zip(reversed(both), (even, late), strict=True))
    lower = replace(rig.right, matrix=rig.right.matrix + np.array([[0, 0, 0], [0, 0, 14.0], [0, 0, 0]]))
    assert ("order", "error") in {(one.rule, one.severity) for one in findings(rig, *other_way).findings}
    assert ("offset", "error") in {(one.rule, one.severity) for one in findings(replace(rig, right=lower), left, right).findings}
    assert {finding.severity for finding in findings(rig, left, right).findings} <= {"undecided"}


@pytest.mark.slow
def test_a_camera_that_lacks_its_first_frame_and_says_so_is_measured_as_its_clock_has_it(recorded):
    rig, *both = recorded
    left, right = (replace(one, times_s=tuple(Fraction(n, FPS) for n in range(COUNT))) for one in both)
    right = replace(right, pictures=right.pictures[1:], times_s=right.times_s[1:])
    done = findings(rig, left, right)
    assert {finding.rule: finding.severity for finding in done.findings} == {"length": "warning"}
    assert done.measured.match_count > 300
    assert abs(done.measured.lag_frames) < 0.1
    lower = replace(rig, right=replace(rig.right, matrix=rig.right.matrix + np.array([[0, 0, 0], [0, 0, 14.0], [0, 0, 0]])))
    lowered = findings(lower, left, right)
    assert "offset" in {finding.rule for finding in lowered.findings if finding.severity == "error"}
    assert abs(lowered.measured.offset_px) > 10


@pytest.mark.slow
def test_a_sound_recording_has_no_finding(sound):
    assert sound.findings == ()
    assert sound.verdict == "sound"
    assert abs(sound.measured.offset_px) < 0.2
    assert abs(sound.measured.lag_frames) < 0.1
    assert sound.measured.match_count > 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "says", "change"),
    [
        ("order", "the cameras are .*swapped", lambda rig, left, right: (rig, right, left)),
        ("flipped", "the pictures of the right camera are mirrored", lambda rig, left, right: (rig, left, replace(right, flip=-1))),
        ("lag", "the right camera is (1.0|0.9).* frames behind the left one", lambda rig, left, right: (rig, left, replace(right, late=1))),
        ("offset", "the right picture lies [23]...px lower than the rig", lambda rig, left, right: (rig, left, replace(right, down_px=3))),
        ("same", "both cameras show the same picture in 100 %", lambda rig, left, right: (rig, left, left)),
        ("baseline", "apart, not 1 to 30 as in endoscopes", lambda rig, left, right: (replace(rig, unit="cm"), left, right)),
    ],
)
def test_a_fault_is_named(recorded, rule, says, change):
    done = findings(*change(*recorded))
    (one, *_) = [finding for finding in done.findings if finding.rule == rule]
    assert re.search(says, one.what)
    assert done.verdict == ("warning" if rule == "baseline" else "error")
    json.dumps(done.as_json(), allow_nan=False)


@pytest.mark.slow
def test_pictures_that_show_nothing_are_not_called_sound(recorded):
    rig, left, _ = recorded
    black = replace(left, pictures=tuple(np.zeros_like(one) for one in left.pictures))
    done = findings(rig, left, black)
    assert [finding.rule for finding in done.findings] == ["unmatched"]
    assert done.as_json()["measured"]["offset_px"] is None


@pytest.mark.parametrize("far_px", [0.3, -0.8])
def test_what_is_so_far_away_that_a_small_error_puts_it_behind_the_cameras_does_not_make_them_exchanged(far_px):
    rig = drawing.rig(np.random.default_rng(2), SIZE)
    found = judge(rectification(rig, 0.0), taken(points_of(rig, far_px, noise_px=0.1)), "drawn", "rig")
    assert "order" not in {finding.rule for finding in found.findings if finding.severity == "error"}
    swapped = judge(rectification(rig, 0.0), taken(points_of(rig, 20.0, noise_px=0.1).swapped()), "drawn", "rig")
    assert ("order", "error") in {(finding.rule, finding.severity) for finding in swapped.findings}


def test_points_that_are_wrongly_matched_are_no_proof_of_a_wrong_rig_and_rows_that_turn_are():
    rig = drawing.rig(np.random.default_rng(2), SIZE)
    way = rectification(rig, 0.0)
    wrong = {finding.rule: finding.severity for finding in judge(way, taken(points_of(rig, 9.0, noise_px=2.4)), "drawn", "rig").findings}
    assert wrong["spread"] == "undecided"
    turned = replace(rig, rotation=drawing.turned(0, 0, 3) @ rig.rotation)
    found = judge(rectification(turned, 0.0), taken(points_of(rig, 9.0, noise_px=0.2)), "drawn", "rig").findings
    assert {finding.rule: finding.severity for finding in found}["spread"] in ("warning", "error")


@pytest.mark.parametrize(("error_px", "severity"), [(0.02, "error"), (0.3, "warning"), (0.5, None)])
def test_an_offset_is_an_error_only_as_far_as_its_points_say_so(error_px, severity):
    found = {one.rule: one.severity for one in _rows(Fit(1.9, 3.0, 1.0, 80.0, 60, offset_error_px=error_px))}
    assert found.get("offset") == severity


def test_few_points_give_an_offset_a_larger_error_than_many():
    rig = drawing.rig(np.random.default_rng(2), SIZE)
    errors = [fit(rectification(rig, 0.0), points_of(rig, 9.0, noise_px=2.0, count=count)).offset_error_px for count in (60, 6000)]
    assert errors[0] == pytest.approx(10 * errors[1], rel=0.4)


def test_rates_that_differ_by_the_rounding_of_a_clock_are_no_fault(recorded):
    _, left, right = recorded
    assert not list(_lengths(left, replace(right, fps=Fraction(20001, 1000))))
    (one,) = _lengths(left, replace(right, fps=Fraction(25)))
    assert one.severity == "error"


@pytest.mark.slow
def test_a_still_recording_is_sound_as_far_as_it_goes_and_its_time_is_undecided(recorded):
    rig, *sides = recorded
    rng = np.random.default_rng(5)
    shown = [replace(one, pictures=tuple(drawing.noisy(one.pictures[0], 3.0, rng) for _ in range(40))) for one in sides]
    done = findings(rig, *shown)
    assert [(one.rule, one.severity) for one in done.findings] == [("lag", "undecided")]
    assert done.verdict == "undecided"
    assert done.as_json()["measured"]["lag_frames"] is None


def points_of(rig, disparity_px, noise_px, count=900):
    """What both cameras of a rig see at one distance, as matches of one pair whose rows scatter."""
    rng = np.random.default_rng(4)
    way = rectification(rig, 0.0)
    depth = rig.baseline_mm * way.focal_px / disparity_px if disparity_px > 0 else 1e5
    rays = rng.uniform([-0.35, -0.18], [0.35, 0.18], (count, 2))
    points = np.column_stack([rays, np.ones(count)]) * min(depth, 1e5)
    left, right = (stereo_rigs.seen(rig, side, points) for side in ("left", "right"))
    if disparity_px <= 0:
        right = right - np.array([disparity_px, 0.0])
    return Matches(left, right + np.column_stack([np.zeros(count), rng.uniform(-noise_px, noise_px, count) * 3**0.5]))


def taken(own):
    """A sample that has these matches and nothing that moves."""
    return Sample([own], {name: [] for name in FLIPS}, [], 0.0)


def test_of_a_recording_that_is_hidden_as_a_whole_nothing_is_said(recorded):
    rig, left, right = recorded
    done = check(rig, left, right, "drawn", "rig", Choice(hidden=((0, COUNT - 1),)))
    assert [finding.rule for finding in done.findings] == ["unmatched"]


def test_rectified_pictures_tell_their_alpha(recorded):
    rig, left, _ = recorded
    made = rectified(left.pictures[0], rectification(rig, 0.3).maps("left"))
    assert not list(of_fit(alpha_fit(rig, left.pictures[0], made, 0.3)))
    (finding,) = of_fit(alpha_fit(rig, left.pictures[0], made, 0.0))
    assert "an alpha of about 0.3 and not 0" in finding.what
    (finding,) = of_fit(alpha_fit(rig, left.pictures[0], left.pictures[0][::-1].copy(), 0.0))
    assert "unlike what this rig gives with any alpha" in finding.what


@pytest.mark.slow
def test_a_slow_change_over_a_study_is_a_drift_and_noise_is_none(sound):
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.1, 20)
    assert not drift(noise).is_one
    rising = drift(noise + np.linspace(0, 1.5, 20))
    assert rising.is_one
    assert rising.change_px == pytest.approx(1.5, abs=0.3)
    assert drift([*noise[:19], 2.0]).apart == (19,)
    assert drift(noise[:5]) is None
    assert drift([np.nan, *noise[:6]]) is not None
    moved = [replace(sound, name=f"r{n}", measured=replace(sound.measured, offset_px=0.3 * n)) for n in range(8)]
    (one,) = over(moved)
    assert "the vertical offset changes by 2.1 px from the first to the last of 8 recordings" in one.lines()[0]


@pytest.fixture
def files(recorded, tmp_path):
    rig, *sides = recorded
    written_rig.write(tmp_path / "calibration/scope.yaml", rig)
    for name, shown in zip(("left", "right"), sides, strict=True):
        (tmp_path / "videos" / name).mkdir(parents=True)
        for number in range(0, COUNT, 5):
            cv2.imwrite(str(tmp_path / "videos" / name / f"{number:06d}.png"), shown.pictures[number])
    return tmp_path


@pytest.mark.slow
def test_the_command_checks_one_recording_and_its_rectified_pictures(files, capsys):
    rig, left, right = (str(files / name) for name in ("calibration/scope.yaml", "videos/left", "videos/right"))
    assert cli.main(["stereo", "rectify", rig, left, right, str(files / "out"), "--alpha", "0.5"]) == 0
    capsys.readouterr()
    assert cli.main(["stereo", "check", rig, right, left]) == 1
    assert "lies behind them: the cameras are" in capsys.readouterr().out
    assert cli.main(["stereo", "check", rig, left, right, "--rectified", str(files / "out"), "--alpha", "0.2", "--json"]) == 1
    (one,) = json.loads(capsys.readouterr().out)["recordings"]
    assert [finding["rule"] for finding in one["findings"] if finding["severity"] == "error"] == ["alpha"]
    assert cli.main(["stereo", "check", rig, left]) == 2
    assert "name RIG LEFT RIGHT, or the folder of a raw study" in capsys.readouterr().err


def test_the_command_checks_a_study_and_names_what_is_missing(files, capsys):
    lines = ["recording,camera,path,rig"]
    lines += [f"r{n},{side},videos/{side if n else 'gone'},scope" for n in range(2) for side in ("left", "right")]
    (files / "recordings.csv").write_text("\n".join(lines) + "\n")
    assert cli.main(["stereo", "check", str(files)]) == 1
    said = capsys.readouterr()
    assert "r0: error: the file is missing" in said.out
    # Every fifth frame: what time it is cannot be told from that, and nothing is wrong.
    assert said.out.splitlines()[2].endswith("undecided")
    assert "r1: undecided: whether the cameras ran in step could not be told: there are too few consecutive frames" in said.out
    (files / "recordings.csv").write_text("\n".join(lines).replace("r1,left,videos/left,scope", "r1,left,videos/left,skope") + "\n")
    assert cli.main(["stereo", "check", str(files)]) == 1
    assert "there is no calibration/skope.yaml" in capsys.readouterr().err
    (files / "recordings.csv").write_text("recording,camera,path,rig\nr0,left,videos/left,\n")
    assert cli.main(["stereo", "check", str(files)]) == 1
    assert "fill in the column 'rig'" in capsys.readouterr().err
    with pytest.raises(CalibrationError, match="no recording with a left and a right"):
        recordings.read(files)


@pytest.mark.slow
def test_a_recording_in_parts_is_looked_at_from_its_first_file_to_its_last(recorded, tmp_path, monkeypatch, capsys):
    rig, *sides = recorded
    monkeypatch.chdir(tmp_path)
    written_rig.write(tmp_path / "calibration/scope.yaml", rig)
    lines = ["recording,camera,path,part,rig"]
    (tmp_path / "videos").mkdir()
    for name, shown in zip(("left", "right"), sides, strict=True):
        for part, span in ((1, slice(0, 20)), (2, slice(20, COUNT))):
            clips.film(tmp_path / f"videos/{name}{part}.mkv", [one[..., ::-1] for one in shown.pictures[span]], FPS, crf="12")
            lines.append(f"r,{name},videos/{name}{part}.mkv,{part},scope")
    both = [np.hstack(pair)[..., ::-1] for pair in zip(*(shown.pictures for shown in sides), strict=True)]
    clips.film(tmp_path / "videos/both.mkv", both, FPS, crf="12")
    lines += [f"b,{name}=crop({x} 0 320 180),videos/both.mkv,,scope" for name, x in (("left", 0), ("right", 320))]
    lines += [f"p,{name},videos/{name}?.mkv,,scope" for name in ("left", "right")]
    (tmp_path / "recordings.csv").write_text("\n".join(lines) + "\n")
    assert cli.main(["stereo", "check", str(tmp_path), "--json"]) == 0
    done = json.loads(capsys.readouterr().out)["recordings"]
    assert [one["verdict"] for one in done] == ["sound"] * 3
    # Two stretches of 32 frames in 66 frames, of which the first part has 20.
    assert done[0]["measured"] == done[2]["measured"]
    assert min(one["measured"]["match_count"] for one in done) > 500


@pytest.mark.slow
def test_without_a_rig_flipped_and_late_cameras_are_warned_of_and_nothing_is_an_error(recorded):
    _, left, right = recorded
    sound = check_alone(left, right, "drawn")
    assert sound.findings == ()
    assert np.isnan(sound.measured.offset_px)
    (one,) = check_alone(left, replace(right, late=3), "drawn").findings
    assert (one.rule, one.severity) == ("lag", "warning")


@pytest.mark.slow
def test_without_a_rig_a_flipped_or_doubled_camera_is_named_and_exchanged_ones_are_not(recorded):
    _, left, right = recorded
    for rule, pair in (("flipped", (left, replace(right, flip=-1))), ("same", (left, left))):
        (one,) = check_alone(*pair, "drawn").findings
        assert (one.rule, one.severity) == (rule, "warning")
    assert check_alone(right, left, "drawn").findings == ()
