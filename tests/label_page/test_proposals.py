"""What a program proposes: predictions in other formats on the frames of the page, taken or not, and counted."""

from __future__ import annotations

import json

import pytest

import labelled_study
import sampled_release
from labelled_study import person, put
from scrubin.base.errors import AnnotationError, ReviewError
from scrubin.base.store import store
from scrubin.curate.label import progress, written
from scrubin.curate.label.events import Change, Span
from scrubin.curate.label.proposed.taking import Pick
from scrubin.labels.formats.plain import label_files

SINGLE, PAIR = sampled_release.IDS["single"], sampled_release.IDS["pair"]
FPS, FRAMES = sampled_release.FPS, sampled_release.SINGLE_FRAMES
NONCES = (f"nonce-{number:06d}" for number in range(10**6))
BY_SECOND = "seconds,phase\n" + "".join(f"{second},{'preparation' if second < 3 else 'clipping-and-cutting'}\n" for second in range(5))
SPANS = "instrument,instance,start_frame,end_frame,verb,target\ngrasper,,7,19,grasp,gallbladder\n"


def proposing(folder, files, name="predictions", more=""):
    """Open the study with predictions."""
    for file, text in files.items():
        (folder / name).mkdir(exist_ok=True)
        (folder / name / file).write_text(text, encoding="utf-8")
    params = folder / "params.yaml"
    text = params.read_text(encoding="utf-8").replace("proposals: null", f"proposals: {{path: {name}, format: null{more}}}")
    params.write_text(text, encoding="utf-8")
    return labelled_study.opened(folder)


def annotator(bench, folder):
    return person(folder, bench.standing().assigned["single"][0])


def mine(bench, who):
    return bench.standing().of(bench.recordings[SINGLE].about, who.number)


def shown(bench, who):
    decided = bench.view(who, SINGLE)["decided"]
    keys = ("layer", "first", "end", "label")
    return [
        (*(one[key] for key in keys), *(one["key"] in decided[name] for name in ("taken", "refused")))
        for one in bench.proposals(who, SINGLE)
    ]


def test_of_a_film_that_is_another_one_by_now_nothing_is_proposed_and_others_are_proposed_as_before(bench, folder):
    film = folder / "data/release" / bench.recordings[SINGLE].videos["mono"].path
    film.write_bytes(b"another file")
    with store.kept_in(folder / "store of another machine"):
        again = proposing(folder, {f"{id_}.csv": BY_SECOND for id_ in (SINGLE, PAIR)})
    assert [len(again.proposed[id_]) for id_ in (SINGLE, PAIR)] == [0, 1]


def test_seconds_of_predictions_are_frames_of_the_page(bench, folder):
    again = proposing(folder, {f"{SINGLE}.csv": BY_SECOND})
    assert shown(again, annotator(bench, folder)) == [
        ("phases", 0, 3 * FPS, "preparation", False, False),
        ("phases", 3 * FPS, 5 * FPS, "clipping-and-cutting", False, False),
    ]


def boxes_of(frames, score=0.9, empty=()):
    """Predictions as COCO JSON: a box in each of some frames, and none in others."""
    file = {"width": 10, "height": 10, "recording": SINGLE}
    images = [{"id": at, "file_name": f"{SINGLE}/{at:06d}.png", "frame": at, **file} for at in sorted({*frames, *empty})]
    box = {"category_id": 1, "bbox": [1, 1, 5, 5], "area": 25, "iscrowd": 0}
    annotations = [{"id": at, "image_id": frame, "score": score, **box} for at, frame in enumerate(frames, start=1)]
    return json.dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "grasper,grasp,gallbladder"}]})


def actions_of(folder, text):
    again = proposing(folder, {"all.json": text}, more=", fps: video")
    return [(one.said.first, one.said.end) for one in again.proposed[SINGLE].values()]


def test_actions_of_predictions_of_every_fifth_frame_are_one_span_as_phases_of_these_frames_are(bench, folder):
    every_fifth = range(0, 50, 5)
    assert actions_of(folder, boxes_of(every_fifth)) == [(0, 50)]


def test_phases_of_every_fifth_frame_are_one_span(bench, folder):
    text = "frame,phase\n" + "".join(f"{frame},preparation\n" for frame in range(0, 50, 5))
    again = proposing(folder, {f"{SINGLE}.csv": text}, more=", fps: video")
    assert [(one.said.first, one.said.end) for one in again.proposed[SINGLE].values()] == [(0, 50)]


def test_an_action_ends_where_a_predicted_frame_lacks_it_or_no_frame_is_predicted(bench, folder):
    frames = [*range(0, 20, 5), *range(25, 40, 5), *range(60, 70, 5)]
    assert actions_of(folder, boxes_of(frames, empty=[20])) == [(0, 20), (25, 40), (60, 70)]


def test_actions_of_every_frame_and_of_a_single_one_have_these_frames(bench, folder):
    assert actions_of(folder, boxes_of([*range(7, 19)], empty=[0, 30])) == [(7, 19)]


def test_an_action_of_one_predicted_frame_is_that_frame(bench, folder):
    assert actions_of(folder, boxes_of([9])) == [(9, 10)]


@pytest.mark.parametrize(("score", "found"), [(0.2, []), (0.49, []), (0.5, [(0, 20)]), (0.9, [(0, 20)])])
def test_an_action_with_a_score_below_one_half_is_not_proposed(bench, folder, score, found):
    assert actions_of(folder, boxes_of(range(20), score)) == found


def test_an_unlikely_action_does_not_break_a_likely_one(bench, folder):
    document = json.loads(boxes_of(range(20)))
    document["annotations"] += [one | {"id": 100 + one["id"], "score": 0.1} for one in document["annotations"]]
    for one in document["annotations"]:
        one["score"] = 0.2 if one["id"] == 11 else one["score"]
    assert actions_of(folder, json.dumps(document)) == [(0, 10), (11, 20)]


def test_a_phase_is_proposed_however_sure_the_program_is_as_it_is_the_most_probable_one(bench, folder):
    text = "frame,phase,confidence\n" + "".join(f"{frame},preparation,0.1\n" for frame in range(9))
    again = proposing(folder, {f"{SINGLE}.csv": text}, more=", fps: video")
    assert [(one.layer, one.said.first, one.said.end) for one in again.proposed[SINGLE].values()] == [("phases", 0, 9)]


def test_predictions_without_any_phase_propose_nothing(bench, folder):
    document = {label_files.EDITION_KEY: label_files.EDITION, "vocabulary": "cholect50", "frames": 99, "phases": []}
    assert proposing(folder, {f"{SINGLE}{label_files.SUFFIX}": json.dumps(document)}).proposed[SINGLE] == {}


def test_spans_of_frames_are_those_of_the_released_video(bench, folder):
    again = proposing(folder, {f"{SINGLE}.csv": SPANS})
    assert shown(again, annotator(bench, folder)) == [("actions", 7, 19, "grasper", False, False)]


def test_a_rate_by_hand_is_of_frames_and_leaves_seconds_of_other_files_where_they_are(bench, folder):
    by_frame = "frame,phase\n" + "".join(f"{frame},preparation\n" for frame in range(40))
    again = proposing(folder, {f"{SINGLE}.csv": BY_SECOND, f"{PAIR}.csv": by_frame}, more=", fps: video")
    assert [(one.said.first, one.said.end) for one in again.proposed[SINGLE].values()] == [(0, 3 * FPS), (3 * FPS, 5 * FPS)]
    assert [(one.said.first, one.said.end) for one in again.proposed[PAIR].values()] == [(0, 40)]


def test_a_rate_by_hand_that_no_file_takes_is_an_error(bench, folder):
    with pytest.raises(ReviewError, match=r"'label.proposals.fps': files of phase-tables tell how they count; leave it out"):
        proposing(folder, {f"{SINGLE}.csv": BY_SECOND}, more=', fps: "25"')
    seconds = "instrument,instance,start_s,end_s,verb,target\ngrasper,,1,2,grasp,gallbladder\n"
    (folder / f"predictions/{SINGLE}.csv").write_text(seconds, encoding="utf-8")
    with pytest.raises(ReviewError, match=r"'label.proposals.fps': files of spans tell how they count; leave it out"):
        labelled_study.opened(folder)


def test_a_rate_by_hand_that_a_file_contradicts_is_an_error(bench, folder):
    document = {
        label_files.EDITION_KEY: label_files.EDITION,
        "frames": 99,
        "fps": "30",
        "phases": [{"first": 0, "end": 9, "label": "preparation"}],
    }
    with pytest.raises(ReviewError, match=f"'label.proposals.fps': the file of {SINGLE} states 30 frames per second; leave it out"):
        proposing(folder, {f"{SINGLE}{label_files.SUFFIX}": json.dumps(document)}, more=', fps: "25"')


def test_what_is_taken_is_a_label_that_says_where_it_comes_from_and_what_is_not_is_remembered(bench, folder):
    again = proposing(folder, {f"{SINGLE}.csv": BY_SECOND})
    who = annotator(bench, folder)
    first, second = again.proposals(who, SINGLE)
    again.label(who, SINGLE, [Change("phases", "a", Span(0, 50, "preparation"), first["key"])], next(NONCES))
    again.refuse(who, SINGLE, [Pick(second["key"])], next(NONCES), refused=True)
    assert [(one[4], one[5]) for one in shown(again, who)] == [(True, False), (False, True)]
    again.undo(who, SINGLE, next(NONCES))
    assert [(one[4], one[5]) for one in shown(again, who)] == [(True, False), (False, False)]
    again.undo(who, SINGLE, next(NONCES))
    assert [one[4] for one in shown(again, who)] == [False, False]
    again.refuse(who, SINGLE, [Pick(second["key"])], next(NONCES), refused=True)
    again.refuse(who, SINGLE, [Pick(second["key"])], next(NONCES), refused=False)
    assert [one[5] for one in shown(again, who)] == [False, False]
    with pytest.raises(ReviewError, match="there is no such proposal any more"):
        again.refuse(who, SINGLE, [Pick("guessed")], next(NONCES), refused=True)


OTHERWISE = {
    "fps": ("format: null", "format: null, fps: video"),
    "layers": ("[phases, actions, quality, ratings]", "[actions, phases, boxes]"),
    "every_s": ("  edge_s:", "  every_s: 2\n  edge_s:"),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_read_in_another_way_is_proposed_anew_so_that_no_decision_lands_on_something_else(bench, folder, name):
    by_frame = "frame,phase\n" + "".join(f"{frame},{'preparation' if frame % 2 else 'clipping-and-cutting'}\n" for frame in range(9))
    again = proposing(folder, {f"{SINGLE}.csv": by_frame})
    before = set(again.proposed[SINGLE])
    assert set(labelled_study.opened(folder).proposed[SINGLE]) == before
    params = folder / "params.yaml"
    params.write_text(params.read_text(encoding="utf-8").replace(*OTHERWISE[name]), encoding="utf-8")
    after = labelled_study.opened(folder).proposed[SINGLE]
    assert after
    assert not before & set(after)


def test_a_proposed_span_is_taken_once_until_its_label_is_gone(bench, folder):
    again = proposing(folder, {f"{SINGLE}.csv": SPANS})
    who = annotator(bench, folder)
    ((key, one),) = again.proposed[SINGLE].items()
    again.label(who, SINGLE, [Change("actions", "a", one.said, key)], next(NONCES))
    with pytest.raises(ReviewError, match="actions: 'grasper' is taken already; change the label that it became"):
        again.label(who, SINGLE, [Change("actions", "b", one.said, key)], next(NONCES))
    again.label(who, SINGLE, [Change("actions", "a", None), Change("actions", "b", one.said, key)], next(NONCES))
    again.label(who, SINGLE, [Change("actions", "b", None)], next(NONCES))
    again.label(who, SINGLE, [Change("actions", "a", one.said, key)], next(NONCES))
    assert list(mine(again, who).items["actions"]) == ["a"]
    with pytest.raises(ReviewError, match="taken already"):
        again.label(who, SINGLE, [Change("actions", name, one.said, key) for name in ("a", "b")], next(NONCES))


def test_an_export_says_how_much_a_program_had_a_hand_in(bench, folder):
    again = proposing(folder, {f"{SINGLE}.csv": BY_SECOND})
    for number in again.standing().assigned["single"]:
        who = person(folder, number)
        first, second = again.proposals(who, SINGLE)
        taken = Change("phases", "a", Span(0, 60, "preparation"), first["key"])
        again.label(who, SINGLE, [taken, put("b", 60, 100, "clipping-and-cutting")], next(NONCES))
        again.refuse(who, SINGLE, [Pick(second["key"])], next(NONCES), refused=True)
        again.say_done(who, SINGLE, next(NONCES), done=True)
    progress.export(again)
    document = json.loads((folder / "data/raw" / written.LABELS_FOLDER / "single.labels.json").read_text(encoding="utf-8"))
    made = document["provenance"]
    assert (made["labels"], made["proposed"], made["changed"], made["refused"]) == (4, 2, 0, 2)


def test_what_was_taken_and_then_stretched_is_still_of_a_program_but_changed(bench, folder):
    again = proposing(folder, {f"{SINGLE}.csv": BY_SECOND})
    who = annotator(bench, folder)
    first = again.proposals(who, SINGLE)[0]
    again.label(who, SINGLE, [Change("phases", "a", Span(0, 60, "preparation"), first["key"])], next(NONCES))
    assert not mine(again, who).changed
    again.label(who, SINGLE, [put("a", 0, 50, "preparation")], next(NONCES))
    assert (mine(again, who).proposals, mine(again, who).changed) == ({("phases", "a"): first["key"]}, {("phases", "a")})
    again.label(who, SINGLE, [put("a", 0, 60, "preparation")], next(NONCES))
    assert not mine(again, who).changed
    again.undo(who, SINGLE, next(NONCES))
    assert mine(again, who).changed


def test_whether_a_label_was_changed_is_known_when_the_predictions_are_gone(bench, folder):
    again = proposing(folder, {f"{SINGLE}.csv": BY_SECOND})
    who = annotator(bench, folder)
    first = again.proposals(who, SINGLE)[0]
    again.label(who, SINGLE, [Change("phases", "a", Span(0, 60, "preparation"), first["key"])], next(NONCES))
    later = labelled_study.opened(folder, proposed={})
    later.label(who, SINGLE, [put("a", 0, 60, "preparation")], next(NONCES))
    assert not mine(later, who).changed
    later.label(who, SINGLE, [put("a", 1, 60, "preparation")], next(NONCES))
    assert mine(later, who).changed


def test_a_ledger_of_an_earlier_version_is_read(bench, folder):
    who = annotator(bench, folder)
    about = bench.recordings[SINGLE].about
    line = {"about": vars(about), "proposal": "a:0", "refused": True}
    bench.ledger.append("refused", line, by=str(who.number), session="s", nonce=next(NONCES))
    assert mine(bench, who).refused == {"a:0"}


def test_predictions_that_cannot_be_used_are_named_when_the_study_is_opened(bench, folder):
    with pytest.raises(ReviewError, match="predictions: 'nobody' is no recording that is labelled"):
        proposing(folder, {"nobody.csv": BY_SECOND})
    (folder / "predictions/nobody.csv").unlink()
    (folder / f"predictions/{SINGLE}.csv").write_text(BY_SECOND.replace("preparation", "preparatoin"), encoding="utf-8")
    with pytest.raises(AnnotationError, match="preparatoin"):
        labelled_study.opened(folder)
