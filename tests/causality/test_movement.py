"""What counts as moved, and what is noise."""

from __future__ import annotations

import numpy as np
import pytest

from scrubin.base.vocabulary import vocabulary
from scrubin.evaluate.causality.clips import Clip, Future, frames_of
from scrubin.evaluate.causality.experiment import Evidence, confirmed, moved, noise, reacts
from scrubin.evaluate.causality.runs import Answer, MalformedError, Run, of
from scrubin.evaluate.causality.trial import judge, power, runs_needed

VOCABULARY = vocabulary.load("cholec80")


def run(values, *, kind=None, point=0, changed=None):
    answers = {frame: Answer(("recognition",), np.array([value])) for frame, value in enumerate(values)}
    return Run(Future(0, kind, point), answers, changed=point if changed is None else changed)


def phases(ids, *, kind=None, point=0):
    return Run(Future(0, kind, point), {frame: Answer((one,), np.zeros(0)) for frame, one in enumerate(ids)}, changed=point)


def evidence(unchanged, changed, **more):
    of_noise = noise(unchanged)
    seen = tuple(move for one in changed if (move := moved(one, unchanged, of_noise)))
    kinds = tuple(dict.fromkeys(one.future.kind for one in changed))
    return Evidence(kinds, tuple(unchanged), tuple(changed), noise=of_noise, seen=seen, **{"moves": seen, "reacting": (1, 1), **more})


SAME = [run([0.1, 0.2, 0.3, 0.4])] * 3


def test_the_last_bit_counts_when_repeated_runs_are_equal():
    other = run([0.1, np.nextafter(0.2, 1), 0.3, 0.9], kind="noise", point=3)
    move = moved(other, SAME, noise(SAME))
    assert move is not None
    assert (move.frames, move.look_ahead) == ((1,), 2)


def test_the_look_ahead_counts_from_the_first_frame_that_is_another_one():
    other = run([0.1, 0.5, 0.3, 0.9], kind="reversed", point=2, changed=3)
    move = moved(other, SAME, noise(SAME))
    assert move is not None
    assert move.look_ahead == 2


def test_what_moves_after_the_change_is_no_look_ahead():
    other = run([0.1, 0.2, 0.9, 0.8], kind="noise", point=2)
    assert moved(other, SAME, noise(SAME)) is None
    assert reacts(other, SAME, noise(SAME))


def test_an_answer_that_is_missing_before_the_change_has_moved():
    other = Run(Future(0, "cut", 3), {0: SAME[0].answers[0], 1: SAME[0].answers[1]}, changed=3)
    move = moved(other, SAME, noise(SAME))
    assert move is not None
    assert move.frames == (2,)


def test_noise_of_repeated_runs_is_tolerated_with_a_margin_and_not_beyond_it():
    noisy = [run([0.1 + 1e-7 * i, 0.9]) for i in range(3)]
    of_noise = noise(noisy)
    assert not of_noise.exact
    assert of_noise.tolerance == pytest.approx(2e-6)
    assert moved(run([0.1 + 1e-6, 0], kind="noise", point=1), noisy, of_noise) is None
    assert moved(run([0.1 + 1e-5, 0], kind="noise", point=1), noisy, of_noise)


def test_a_program_with_as_much_noise_as_signal_is_not_repeatable():
    assert not noise([run([0.1, 0.9]), run([0.5, 0.2])]).repeatable
    assert not noise([run([0.5, 0.5]), run([0.5, 0.5 + 1e-9])]).repeatable
    assert not noise([phases([0, 1, 2, 3]), phases([0, 2, 2, 3])]).repeatable
    assert judge(evidence([run([0.1, 0.9]), run([0.5, 0.2])], []), "frames", isolated=True).ruling == "not repeatable"


def test_a_frame_that_flips_by_itself_is_not_judged_and_the_others_are():
    base = [phases([0] * 40), phases([0] * 39 + [1])]
    of_noise = noise(base)
    assert of_noise.repeatable
    assert of_noise.unstable == {0: frozenset({39})}
    assert moved(phases([0] * 39 + [5, 1], kind="noise", point=40), base, of_noise) is None
    assert moved(phases([0] * 38 + [5, 1, 1], kind="noise", point=40), base, of_noise)


def test_what_is_not_there_again_is_chance():
    other = phases([0, 1, 0, 0], kind="noise", point=2)
    base = [phases([0, 0, 0, 0])] * 3
    move = moved(other, base, noise(base))
    assert move is not None
    assert confirmed(move, [phases([0, 0, 0, 0], kind="noise", point=2)], base, noise(base)) is None
    assert confirmed(move, [other], base, noise(base)) is not None
    assert judge(evidence(base, [other], moves=()), "frames", isolated=True).ruling == "not repeatable"
    long = [phases([0] * 40)] * 3
    verdict = judge(evidence(long, [phases([0, 1] + [0] * 38, kind="noise", point=2)], moves=()), "frames", isolated=True)
    assert verdict.ruling == "causal"
    assert verdict.reason.endswith("did not move again when repeated: chance")


def test_only_cutting_off_means_the_length_and_a_hair_of_it_means_nothing():
    others = [run([0.1, 0.2, 0.9, 0.9], kind=kind, point=2) for kind in ("replaced", "noise", "reversed") for _ in range(3)]
    long = judge(evidence(SAME, [run([0.1, 0.3], kind="cut", point=2), *others]), "frames", isolated=True)
    assert (long.ruling, long.length_only, long.look_ahead) == ("not causal", True, 1)
    hair = judge(evidence(SAME, [run([0.1, 0.2 + 1e-7], kind="cut", point=2), *others]), "frames", isolated=True)
    assert (hair.ruling, hair.look_ahead) == ("not judged", None)


def test_nothing_is_called_causal_without_isolation_reaction_or_with_failures():
    good = evidence(SAME, [run([0.1, 0.2, 0.9, 0.9], kind="noise", point=2)])
    assert judge(good, "frames", isolated=True).ruling == "causal"
    assert judge(good, "frames", isolated=False).ruling == "not judged"
    failed = Run(Future(0, "cut", 2), trouble="ended with exit code 1")
    for more in ({"reacting": (1, 0)}, {"reacting": (0, 0)}, {"failed": (failed,)}):
        assert judge(evidence(SAME, [], **more), "frames", isolated=True).ruling == "not judged"


def test_power_and_runs_needed_are_one_formula():
    for share in (0.9, 0.5, 0.2, 0.05, 0.01):
        needed = runs_needed(share)
        assert power(needed) <= share < power(needed - 1) if needed > 1 else True


def test_boxes_are_compared_in_whatever_order_they_are_written():
    boxes = [{"triplet": 3, "instrument": [0, 0.5, 0.1, 0.1, 0.2, 0.2]}, {"triplet": 1, "instrument": [0, 0.7, 0.3, 0.1, 0.2, 0.2]}]
    words = vocabulary.load("cholect50")

    def answer(detection):
        return of({".json": str({"0": {"detection": detection}}).replace("'", '"').encode()}, 1, words)[0]

    assert answer(boxes).distance(answer(boxes[::-1])) == 0
    moved_box = [boxes[0], {**boxes[1], "instrument": [0, 0.7, 0.31, 0.1, 0.2, 0.2]}]
    assert answer(boxes).distance(answer(moved_box)) == pytest.approx(0.01)
    assert answer(boxes).distance(answer(boxes[:1])) == float("inf")


def test_a_frame_beyond_the_video_is_malformed():
    with pytest.raises(MalformedError, match="frame 2 of a video of 2 frames"):
        of({".csv": b"frame,phase_id\n1,0\n2,0\n"}, 2, VOCABULARY)


def test_a_future_of_another_video_is_never_of_the_same_one(tmp_path):
    clips = [Clip(name, tmp_path / name, tuple("abcd"), 4, 6, None) for name in "xyz"]
    futures = [frames_of(Future(1, "replaced", 2, seed), clips, tmp_path) for seed in range(12)]
    assert {path.parent.name for files in futures for path in files[2:]} == {"x", "z"}
