"""What a program proposes: predictions in other formats on the frames of the page, taken or not, and counted."""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest

import labelled_study
import review_study
import sampled_release
from labelled_study import NONCES, PAIR, SINGLE, annotator, mine, person, proposing, put, say
from scrubin.base.errors import AnnotationError, ReviewError
from scrubin.base.store import store
from scrubin.curate.label.events import Change, Span
from scrubin.curate.label.proposed.taking import Pick
from scrubin.labels.formats.plain import label_files

FPS = sampled_release.FPS
BY_SECOND = "seconds,phase\n" + "".join(f"{second},{'preparation' if second < 3 else 'clipping-and-cutting'}\n" for second in range(5))
SPANS = "instrument,instance,start_frame,end_frame,verb,target\ngrasper,,7,19,grasp,gallbladder\n"


def shown(bench, who):
    decided = bench.view(who, SINGLE)["decided"]
    return [(one["key"] in decided["taken"], one["key"] in decided["refused"]) for one in bench.proposals(who, SINGLE)]


def test_of_a_film_that_is_another_one_by_now_nothing_is_proposed_and_others_are_proposed_as_before(bench, folder):
    film = folder / "data/release" / bench.recordings[SINGLE].videos["mono"].path
    film.write_bytes(b"another file")
    with store.kept_in(folder / "store of another machine"):
        again = proposing(folder, {f"{id_}.csv": BY_SECOND for id_ in (SINGLE, PAIR)})
    assert [len(again.proposed[id_]) for id_ in (SINGLE, PAIR)] == [0, 1]


def by_frame(frames, *confidence):
    """Predictions of a phase in some frames."""
    header = "frame,phase" + ",confidence" * len(confidence)
    return "\n".join([header, *(",".join([str(frame), "preparation", *confidence]) for frame in frames), ""])


def boxes_of(frames, score=0.9, empty=()):
    """Predictions as COCO JSON: a box in each of some frames, and none in others."""
    file = {"width": 10, "height": 10, "recording": SINGLE}
    images = [{"id": at, "file_name": f"{SINGLE}/{at:06d}.png", "frame": at, **file} for at in sorted({*frames, *empty})]
    box = {"category_id": 1, "bbox": [1, 1, 5, 5], "area": 25, "iscrowd": 0}
    annotations = [{"id": at, "image_id": frame, "score": score, **box} for at, frame in enumerate(frames, start=1)]
    return json.dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "grasper,grasp,gallbladder"}]})


def unlikely_among_likely():
    """The same of 20 frames with an unlikely action in each, of which frame 10 has nothing else."""
    document = json.loads(boxes_of(range(20)))
    document["annotations"] += [one | {"id": 100 + one["id"], "score": 0.1} for one in document["annotations"]]
    document["annotations"][10]["score"] = 0.2
    return json.dumps(document)


NO_PHASE = {label_files.EDITION_KEY: label_files.EDITION, "vocabulary": "cholect50", "frames": 99, "phases": []}
BROKEN_UP = boxes_of([*range(0, 20, 5), *range(25, 40, 5), *range(60, 70, 5)], empty=[20])
CSV, COCO, VIDEO = f"{SINGLE}.csv", "all.json", "format: null, fps: video"
GRASPER, PREPARATION = "actions grasper", "phases preparation"
PROPOSED = {
    "seconds": (CSV, BY_SECOND, "format: null", [(PREPARATION, 0, 3 * FPS), ("phases clipping-and-cutting", 3 * FPS, 5 * FPS)]),
    "spans of frames": (CSV, SPANS, "format: null", [(GRASPER, 7, 19)]),
    "phases of every fifth frame": (CSV, by_frame(range(0, 50, 5)), VIDEO, [(PREPARATION, 0, 50)]),
    "a phase, as the most probable one, however unsure": (CSV, by_frame(range(9), "0.1"), VIDEO, [(PREPARATION, 0, 9)]),
    "predictions without any phase": (f"{SINGLE}{label_files.SUFFIX}", json.dumps(NO_PHASE), "format: null", []),
    "actions of every fifth frame": (COCO, boxes_of(range(0, 50, 5)), VIDEO, [(GRASPER, 0, 50)]),
    "a predicted frame without the action, or none": (COCO, BROKEN_UP, VIDEO, [(GRASPER, 0, 20), (GRASPER, 25, 40), (GRASPER, 60, 70)]),
    "actions of every frame": (COCO, boxes_of([*range(7, 19)], empty=[0, 30]), VIDEO, [(GRASPER, 7, 19)]),
    "an action of one predicted frame": (COCO, boxes_of([9]), VIDEO, [(GRASPER, 9, 10)]),
    "an action that is half likely": (COCO, boxes_of(range(20), 0.5), VIDEO, [(GRASPER, 0, 20)]),
    "an action that is less likely": (COCO, boxes_of(range(20), 0.49), VIDEO, []),
    "unlikely actions beside a likely one": (COCO, unlikely_among_likely(), VIDEO, [(GRASPER, 0, 10), (GRASPER, 11, 20)]),
}


@pytest.mark.parametrize("what", PROPOSED)
def test_predictions_are_spans_of_frames_of_the_page(folder, what):
    name, text, options, expected = PROPOSED[what]
    found = proposing(folder, {name: text}, options).proposed[SINGLE].values()
    assert [(f"{one.layer} {one.said.label}", one.said.first, one.said.end) for one in found] == expected


def test_a_rate_by_hand_is_of_frames_and_leaves_seconds_of_other_files_where_they_are(folder):
    again = proposing(folder, {CSV: BY_SECOND, f"{PAIR}.csv": by_frame(range(40))}, VIDEO)
    assert [(one.said.first, one.said.end) for one in again.proposed[SINGLE].values()] == [(0, 3 * FPS), (3 * FPS, 5 * FPS)]
    assert [(one.said.first, one.said.end) for one in again.proposed[PAIR].values()] == [(0, 40)]


def test_a_rate_by_hand_that_no_file_takes_is_an_error(folder):
    with pytest.raises(ReviewError, match=r"'label.proposals.fps': files of phase-tables tell how they count; leave it out"):
        proposing(folder, {CSV: BY_SECOND}, 'format: null, fps: "25"')
    seconds = "instrument,instance,start_s,end_s,verb,target\ngrasper,,1,2,grasp,gallbladder\n"
    (folder / f"predictions/{SINGLE}.csv").write_text(seconds, encoding="utf-8")
    with pytest.raises(ReviewError, match=r"'label.proposals.fps': files of spans tell how they count; leave it out"):
        labelled_study.opened(folder)


def test_a_timeline_of_label_studio_alone_needs_a_rate(folder):
    results = [{"type": "timelinelabels", "value": {"ranges": [{"start": 1, "end": 48}], "timelinelabels": ["preparation"]}}]
    task = {"data": {"video": f"{SINGLE}.mp4"}, "annotations": [{"result": results}]}
    with pytest.raises(
        ReviewError, match=r"'label.proposals.fps': no file of label-studio states the rate.*; say it\. .* 24 where that says"
    ):
        proposing(folder, {"all.json": json.dumps([task])}, "format: null")


def test_a_rate_by_hand_that_a_file_contradicts_is_an_error(folder):
    document = {
        label_files.EDITION_KEY: label_files.EDITION,
        "frames": 99,
        "fps": "30",
        "phases": [{"first": 0, "end": 9, "label": "preparation"}],
    }
    with pytest.raises(ReviewError, match=f"'label.proposals.fps': the file of {SINGLE} states 30 frames per second; leave it out"):
        proposing(folder, {f"{SINGLE}{label_files.SUFFIX}": json.dumps(document)}, 'format: null, fps: "25"')


@pytest.mark.parametrize(
    ("settings", "refused"), [("format: null", True), ('format: null, fps: "1"', True), ('format: null, fps: "25"', False)]
)
def test_a_rate_that_is_said_or_taken_and_seconds_beside_frames_contradict_is_an_error(folder, settings, refused):
    table = "frame,seconds,phase\n" + "".join(f"{frame},{frame / 25:.2f},preparation\n" for frame in range(90))
    told = f"'label.proposals.fps': the seconds beside the frames of {SINGLE} say about 25 per second; say"
    with pytest.raises(ReviewError, match=told) if refused else nullcontext():
        assert proposing(folder, {CSV: table}, settings).proposed[SINGLE]


def test_what_is_taken_is_a_label_that_says_where_it_comes_from_and_what_is_not_is_remembered(folder):
    again = proposing(folder, {CSV: BY_SECOND})
    who = annotator(again)
    first, second = again.proposals(who, SINGLE)
    say(again, who, Change("phases", "a", Span(0, 50, "preparation"), first["key"]))
    again.refuse(who, SINGLE, [Pick(second["key"])], next(NONCES), refused=True)
    assert shown(again, who) == [(True, False), (False, True)]
    again.undo(who, SINGLE, next(NONCES))
    assert shown(again, who) == [(True, False), (False, False)]
    again.undo(who, SINGLE, next(NONCES))
    assert shown(again, who) == [(False, False)] * 2
    again.refuse(who, SINGLE, [Pick(second["key"])], next(NONCES), refused=True)
    again.refuse(who, SINGLE, [Pick(second["key"])], next(NONCES), refused=False)
    assert shown(again, who) == [(False, False)] * 2
    with pytest.raises(ReviewError, match="there is no such proposal any more"):
        again.refuse(who, SINGLE, [Pick("guessed")], next(NONCES), refused=True)


OTHERWISE = {
    "fps": ("format: null", "format: null, fps: video"),
    "layers": ("[phases, actions, quality, ratings]", "[actions, phases, boxes]"),
    "every_s": ("  edge_s:", "  every_s: 2\n  edge_s:"),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_read_in_another_way_is_proposed_anew_so_that_no_decision_lands_on_something_else(folder, name):
    text = "frame,phase\n" + "".join(f"{frame},{'preparation' if frame % 2 else 'clipping-and-cutting'}\n" for frame in range(9))
    again = proposing(folder, {CSV: text})
    before = set(again.proposed[SINGLE])
    assert set(labelled_study.opened(folder).proposed[SINGLE]) == before
    review_study.change_params(folder, *OTHERWISE[name])
    after = labelled_study.opened(folder).proposed[SINGLE]
    assert after
    assert not before & set(after)


def test_a_proposed_span_is_taken_once_until_its_label_is_gone(folder):
    again = proposing(folder, {CSV: SPANS})
    who = annotator(again)
    ((key, one),) = again.proposed[SINGLE].items()
    say(again, who, Change("actions", "a", one.said, key))
    with pytest.raises(ReviewError, match="actions: 'grasper' is taken already; change the label that it became"):
        say(again, who, Change("actions", "b", one.said, key))
    say(again, who, Change("actions", "a", None), Change("actions", "b", one.said, key))
    say(again, who, Change("actions", "b", None))
    say(again, who, Change("actions", "a", one.said, key))
    assert list(mine(again, who).items["actions"]) == ["a"]
    with pytest.raises(ReviewError, match="taken already"):
        say(again, who, *[Change("actions", name, one.said, key) for name in ("a", "b")])


def test_an_export_says_how_much_a_program_had_a_hand_in(folder):
    again = proposing(folder, {CSV: BY_SECOND})
    for number in again.standing().assigned["single"]:
        who = person(folder, number)
        first, second = again.proposals(who, SINGLE)
        taken = Change("phases", "a", Span(0, 60, "preparation"), first["key"])
        say(again, who, taken, put("b", 60, 100, "clipping-and-cutting"))
        again.refuse(who, SINGLE, [Pick(second["key"])], next(NONCES), refused=True)
        again.say_done(who, SINGLE, next(NONCES), done=True)
    made = json.loads(labelled_study.exported(again))["provenance"]
    assert (made["labels"], made["proposed"], made["changed"], made["refused"]) == (4, 2, 0, 2)


def test_what_was_taken_and_then_stretched_is_still_of_a_program_but_changed(folder):
    again = proposing(folder, {CSV: BY_SECOND})
    who = annotator(again)
    first = again.proposals(who, SINGLE)[0]
    say(again, who, Change("phases", "a", Span(0, 60, "preparation"), first["key"]))
    assert not mine(again, who).changed
    say(again, who, put("a", 0, 50, "preparation"))
    assert (mine(again, who).proposals, mine(again, who).changed) == ({("phases", "a"): first["key"]}, {("phases", "a")})
    say(again, who, put("a", 0, 60, "preparation"))
    assert not mine(again, who).changed
    again.undo(who, SINGLE, next(NONCES))
    assert mine(again, who).changed


def test_whether_a_label_was_changed_is_known_when_the_predictions_are_gone(folder):
    again = proposing(folder, {CSV: BY_SECOND})
    who = annotator(again)
    first = again.proposals(who, SINGLE)[0]
    say(again, who, Change("phases", "a", Span(0, 60, "preparation"), first["key"]))
    later = labelled_study.opened(folder, proposed={})
    say(later, who, put("a", 0, 60, "preparation"))
    assert not mine(later, who).changed
    say(later, who, put("a", 1, 60, "preparation"))
    assert mine(later, who).changed


def test_a_ledger_of_an_earlier_version_is_read(bench, folder):
    who = annotator(bench)
    about = bench.recordings[SINGLE].about
    line = {"about": vars(about), "proposal": "a:0", "refused": True}
    bench.ledger.append("refused", line, by=str(who.number), session="s", nonce=next(NONCES))
    assert mine(bench, who).refused == {"a:0"}


def test_predictions_that_cannot_be_used_are_named_when_the_study_is_opened(folder):
    with pytest.raises(ReviewError, match="predictions: 'nobody' is no recording that is labelled"):
        proposing(folder, {"nobody.csv": BY_SECOND})
    (folder / "predictions/nobody.csv").unlink()
    (folder / f"predictions/{SINGLE}.csv").write_text(BY_SECOND.replace("preparation", "preparatoin"), encoding="utf-8")
    with pytest.raises(AnnotationError, match="preparatoin"):
        labelled_study.opened(folder)
