"""What is exported: labels on their frames for the stage annotations, sheets as if typed by hand; nobody else's file is touched."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import labelled_study
import sampled_release
from labelled_study import FIRST, NONCES, PAIR, SINGLE, done, person, put, rate, read
from labelled_tracks import keyed
from scrubin import cli
from scrubin.base.errors import AnnotationError, ReviewError
from scrubin.base.vocabulary import vocabulary
from scrubin.curate.label import progress, written
from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options
from scrubin.labels.formats.plain import label_files
from scrubin.labels.model import SOURCE_FRAMES, Clock, phase_of
from scrubin.labels.registry import FORMATS
from scrubin.labels.suspects import ranking
from scrubin.ratings.rater_files import read_folder

CHOLECT50 = vocabulary.load("cholect50")


@pytest.fixture
def labelled(bench):
    changes = [
        put("a", 0, 30, "preparation"),
        put("b", 40, 320, "clipping-and-cutting"),
        put("x", 5, 50, "grasper", "actions", verb="grasp", target="gallbladder"),
        put("q", 10, 12, "smoke", "quality"),
        rate(depth_perception=3, efficiency=4, errors={"object_dropped": True}),
    ]
    done(bench, changes, changes)
    return bench


@pytest.fixture
def exported(labelled, folder):
    """The file of the single recording."""
    progress.export(labelled)
    return folder / "data/raw" / written.LABELS_FOLDER / f"single{label_files.SUFFIX}"


def test_every_label_comes_out_on_its_source_frames(labelled):
    _, waiting = progress.export(labelled)
    assert list(waiting) == [PAIR]
    labels = read(labelled_study.exported(labelled))
    phases = phase_of(labels.phases)
    ids = [CHOLECT50.phases.index(name) for name in ("preparation", "clipping-and-cutting")]
    assert phases == {FIRST + frame: ids[0] if frame < 30 else ids[1] for frame in (*range(30), *range(40, 320))}
    (span,) = labels.spans.to_dict("records")
    assert (span["start"], span["end"]) == (FIRST + 5, FIRST + 50)
    assert CHOLECT50.triplet_name(int(span["triplet_id"])) == "grasper,grasp,gallbladder"
    smoke = labels.marks.rows
    assert smoke.loc[smoke["value"] == 1, "position"].tolist() == [FIRST + 10, FIRST + 11]
    assert len(smoke) == FIRST + sampled_release.SINGLE_FRAMES
    said = label_files.provenance_of(labels)
    assert (len(said.annotators), said.blind, said.settled, said.proposed) == (2, True, 0, 0)
    assert said.annotators == labelled.standing().assigned["single"]


def test_a_file_states_the_rate_of_its_source_so_that_nobody_has_to_say_it(exported, folder, capsys):
    path = exported
    assert json.loads(path.read_text(encoding="utf-8"))["fps"] == str(sampled_release.FPS)
    labels = read(path.read_bytes())
    assert (labels.clock, labels.counts_time) == (Clock(Fraction(1, sampled_release.FPS)), True)
    # A stage knows the source: there frames stay frames, whatever their times.
    assert _read_text(path.read_text(encoding="utf-8")).clock == SOURCE_FRAMES
    # Another rate by hand would shift every label.
    assert cli.main(["convert", str(path), "--to", "tables", "--out", str(folder / "out"), "--fps", "30"]) != 0
    assert f"the file of single states {sampled_release.FPS} frames per second; leave --fps out" in capsys.readouterr().err
    assert cli.main(["convert", str(path), "--to", "tables", "--out", str(folder / "out")]) == 0
    # What is suspect is at the right time.
    document = json.loads(path.read_text(encoding="utf-8"))
    document["phases"] = spans((0, 100, "preparation"), (100, 103, "clipping-and-cutting"), (103, 300, "preparation"))
    path.write_text(json.dumps(document), encoding="utf-8")
    found = ranking.at_path(path, None, Options()).suspects
    assert [(one.first, one.time_s) for one in found] == [(at, pytest.approx(at / sampled_release.FPS)) for at in (100, 103)]
    # Files of before state no rate, and are read as they were.
    del document["fps"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert read(path.read_bytes()).clock == SOURCE_FRAMES


@pytest.mark.parametrize("option", ["--fps", "--predictions-fps"])
def test_a_score_with_another_rate_than_the_file_states_is_refused(exported, capsys, option):
    scored = ["score", "phases", "--ground-truth", str(exported), "--predictions", str(exported)]
    assert cli.main([*scored, option, str(sampled_release.FPS)]) == 0
    assert cli.main([*scored, option, "30"]) != 0
    said = capsys.readouterr().err
    assert f"the file of single states {sampled_release.FPS} frames per second, not 30; leave --fps or --predictions-fps out" in said


def test_a_source_of_varying_rate_has_none_to_state(labelled):
    one = labelled.recordings[SINGLE]
    varying = replace(labelled.settlement(one), pictures=replace(one.pictures, fps=None))
    data = written.label_file(varying, "cholect50", label_files.Provenance((1,), blind=True, settled=0, labels=1, proposed=0))
    assert "fps" not in json.loads(data)


def test_a_recording_waits_until_all_are_done_and_what_differs_is_settled(bench, folder):
    done(bench, [put("a", 0, 30, "preparation")], [put("a", 0, 30, "clipping-and-cutting")])
    files, waiting = progress.export(bench)
    numbers = ", ".join(map(str, bench.standing().assigned["pair"]))
    assert (files.changed, waiting) == ((), {PAIR: f"annotators {numbers} are not done", SINGLE: "an adjudicator settles 1 place"})
    document = progress.document(bench)
    assert document["open"] == {SINGLE: [["phases", FIRST, FIRST + 30]]}
    labelled_study.settle(bench, person(folder, 4), "phases", (0, 30), [labelled_study.Span(0, 30, "preparation")])
    assert len(progress.export(bench)[0].changed) == 1
    assert label_files.provenance_of(read(labelled_study.exported(bench))).settled == 1


def test_sheets_read_as_those_that_somebody_typed(labelled, folder):
    progress.export(labelled)
    raters = labelled.standing().assigned["single"]
    sheets = read_folder(folder / "data/raw/ratings", ["Task"])
    assert {(sheet.rater, sheet.marks_errors) for sheet in sheets} == {(str(number), marks) for number in raters for marks in (False, True)}
    typed = f"id;rater;depth_perception;efficiency;GRS\nsingle;{raters[0]};3;4;7\n"
    assert (folder / f"data/raw/ratings/Task_rater{raters[0]}.csv").read_text(encoding="utf-8") == typed
    marked = f"data/raw/ratings/Task_rater{raters[0]}_errors.csv"
    assert (folder / marked).read_text(encoding="utf-8") == "id;object_dropped\nsingle;True\n"


def test_a_failed_recording_is_one_without_scores(bench, folder):
    done(bench, *[[rate(failed=True, errors={"object_dropped": True})]] * 2)
    progress.export(bench)
    rater = bench.standing().assigned["single"][0]
    lines = (folder / f"data/raw/ratings/Task_rater{rater}.csv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(lines, delimiter=";"))
    assert rows == [{"id": "single", "rater": str(rater), "depth_perception": "", "efficiency": "", "GRS": ""}]


def test_the_same_labels_write_the_same_bytes_and_changed_ones_replace_only_what_was_exported(labelled, folder):
    first, _ = progress.export(labelled)
    again, _ = progress.export(labelled_study.opened(folder))
    assert again.changed == ()
    assert again.same == len(first.changed)
    one = person(folder, labelled.standing().assigned["single"][0])
    labelled.say_done(one, SINGLE, next(NONCES), done=False)
    gone, _ = progress.export(labelled)
    assert set(gone.removed) == set(first.changed)
    assert not (folder / "data/raw" / written.LABELS_FOLDER / "single.labels.json").exists()


def test_a_recording_whose_name_is_too_long_for_a_file_waits_with_the_mend_and_others_are_written(labelled, folder, monkeypatch):
    done(labelled, *[[put("a", 0, 30, "preparation"), rate(depth_perception=3, efficiency=4)]] * 2, name="pair")
    monkeypatch.setattr("os.pathconf", lambda *_: len(".part-pair.labels.json"))
    files, waiting = progress.export(labelled)
    assert waiting == {
        SINGLE: "its labels are not written, because its name is too long for a file: 'single.labels.json...' has 18 bytes, and this disk "
        "takes 16; give it a shorter name by 'scrubin rename', run 'make repro', then export again"
    }
    assert [path for path in files.changed if path.startswith(written.LABELS_FOLDER)] == [f"{written.LABELS_FOLDER}/pair.labels.json"]
    with (folder / f"data/raw/ratings/Task_rater{labelled.standing().assigned['single'][0]}.csv").open(encoding="utf-8") as sheet:
        assert "single" in [row["id"] for row in csv.DictReader(sheet, delimiter=";")]


def test_a_file_that_somebody_typed_is_never_touched(labelled, folder):
    path = folder / "data/raw/ratings" / f"Task_rater{labelled.standing().assigned['single'][0]}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("id;rater;depth_perception;efficiency;GRS\nsingle;1;1;1;2\n", encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(ReviewError, match=r"Task_rater\d.csv.*it was not exported as it stands, but typed or changed by hand"):
        progress.export(labelled)
    assert path.read_bytes() == before
    assert not (folder / "data/raw" / written.LABELS_FOLDER).exists()


def with_another_film(bench):
    """Open the study anew, with a single recording whose film cannot be read any more."""
    one = bench.recordings[SINGLE]

    def refuse():
        raise ReviewError("its film is another one")

    closed = replace(one, pictures=replace(one.pictures, read_s=refuse))
    return labelled_study.opened(bench.folder, recordings={**bench.recordings, SINGLE: closed})


def test_what_was_exported_of_a_recording_stays_while_its_film_is_another_one(labelled, folder):
    progress.export(labelled)
    files = {path: path.read_bytes() for path in (folder / "data/raw").rglob("*") if path.is_file()}
    for _ in range(2):
        done, waiting = progress.export(with_another_film(labelled))
        assert (done.changed, done.removed, waiting[SINGLE]) == ((), (), "its film is another one")
        assert {path: path.read_bytes() for path in files} == files
    again = progress.export(labelled)[0]
    assert (again.changed, again.removed) == ((), ())


def test_of_a_recording_whose_film_is_another_one_no_ratings_go_out_in_which_people_differ(labelled, folder):
    progress.export(labelled)
    ratings, labels = (folder / "data/raw" / name for name in (written.RATINGS_FOLDER, written.LABELS_FOLDER))
    rated = {path.name: path.read_text(encoding="utf-8") for path in ratings.rglob("*.csv")}
    assert any("single" in text for text in rated.values())
    who = person(folder, labelled.standing().assigned["single"][0])
    labelled_study.say(labelled, who, rate(depth_perception=1, efficiency=1))
    waiting = progress.export(with_another_film(labelled))[1][SINGLE]
    assert waiting.startswith("its film is another one; an adjudicator rates it, as ratings differ: ")
    assert (labels / f"single{label_files.SUFFIX}").is_file()
    assert not any("single" in path.read_text(encoding="utf-8") for path in ratings.rglob("*.csv"))


def test_progress_tells_numbers_and_no_names(labelled, folder):
    document = progress.document(labelled)
    assert document["recordings"] == {"all": 2, "assigned": 2, "several": 2, "finished": 1, "complete": 1}
    text = json.dumps(document) + "\n".join(progress.lines(document))
    assert not any(name in text for name in (*labelled_study.NAMES, "Dora"))
    assert document["agreement"]["phases"]["all"]["kappa"]["value"] == 1.0
    assert "agreement on phases, 1 recordings: kappa 1.00, f1 at 10 1.00" in text


def test_progress_says_why_an_agreement_of_ratings_is_undefined(labelled):
    (said,) = (line for line in progress.lines(progress.document(labelled)) if "efficiency" in line)
    few = "1 recording that all of 2 raters scored are too few: it takes 2 recordings, 2 raters and 5 scores"
    assert said == f"agreement on efficiency, 1 recording: ICC(2,1) is undefined ({few}), alpha is undefined (all scores are equal)"


def spans(*rows):
    return [dict(zip(("first", "end", "label", "verb", "target"), row, strict=False)) for row in rows]


BOX, NEAR = (0.1, 0.1, 0.2, 0.2), (0.12, 0.1, 0.2, 0.2)


def sets(*items, **more):
    """Return what a file says of sampled frames."""
    return {"phases": None, "triplets": list(items), **more}


def one_set(*triplets):
    return sets({"frame": 0, "triplets": list(triplets)})


def tracked(*rows, layer="boxes", **more):
    return {"phases": None, **keyed(*rows, layer=layer), **more}


DAMAGES = {
    "frames": ("'frames' is", {"frames": 0}),
    "edition": ("'scrubin_labels' is 2, this version reads 1", {"scrubin_labels": 2}),
    "overlap": ("frames 25 to 30 are in two spans", {"phases": spans((0, 30, "preparation"), (25, 40, "preparation"))}),
    "order": ("it ends at frame 5, but starts at 9", {"phases": spans((9, 5, "preparation"))}),
    "beyond": ("'end' is 999", {"phases": spans((9, 999, "preparation"))}),
    "name": ("'preparatoin' is no phase", {"phases": spans((0, 5, "preparatoin"))}),
    "nameless": ("'label' is null", {"steps": spans((0, 5))}),
    "half": ("there is no target", {"actions": spans((0, 5, "grasper", "grasp"))}),
    "triplet": ("is no triplet of 'cholect50'", {"actions": spans((0, 5, "clipper", "clip", "liver"))}),
    "nobody": ("expected annotators by number", {"provenance": {"annotators": ["Ada"], "blind": True}}),
    "rate": ("'fps' is 25, expected frames per second as a text", {"fps": 25}),
    "no rate": ("""'fps' is "0", expected""", {"fps": "0"}),
    "more": ("'proposed' is 3", {"provenance": {"annotators": [1], "blind": True, "settled": 0, "labels": 2, "proposed": 3}}),
    "changed": (
        "'changed' is 3",
        {"provenance": {"annotators": [1], "blind": True, "settled": 0, "labels": 9, "proposed": 2, "changed": 3}},
    ),
    "nothing": ("it has none of phases, steps, actions, quality, boxes, points and triplets", {"phases": None}),
    "label of a track": ("'grapser' is no instrument", tracked((1, 0, "grapser", *BOX))),
    "key frame twice": ("it has two key frames at frame 3", tracked((1, 3, "grasper", *BOX), (1, 3, "grasper", *NEAR))),
    "class of a track": ("its key frames are of several instruments", tracked((1, 0, "grasper", *BOX), (1, 3, "hook", *BOX))),
    "pixels": ("it looks like pixels", tracked((1, 0, "grasper", 10, 10, 50, 50))),
    "key frame": ("'frame' is 500", tracked((1, 500, "grasper", *BOX))),
    "cubic": ("'interpolation' is \"cubic\"", tracked((1, 0, "grasper", *BOX), interpolation="cubic")),
    "shown": ("expected two frames in 0..500", tracked((1, 0, "grasper", *BOX), shown=[9, 3])),
    "point": ("it lies outside of the image", tracked((1, 0, "grasper", 0.5, 1.5), layer="points")),
    "set beyond": ("triplets 0: 'frame' is 500, expected a whole number in 0..499", sets({"frame": 500, "triplets": []}, frames=500)),
    "set twice": ("frame 0 is there twice", sets(*[{"frame": 0, "triplets": []}] * 2)),
    "set without": ("triplets", sets({"frame": 0})),
    "triplet twice": ("frame 0 has one triplet twice", one_set({"label": "grasper"}, {"label": "Grasper"})),
    "half of a triplet": ("there is no target", one_set({"label": "grasper", "verb": "grasp"})),
    "triplet of a number": ("expected label, verb and target as names", one_set({"label": 3})),
    "triplet of a set": ("is no triplet of 'cholect50'", one_set({"label": "hook", "verb": "clip", "target": "cystic_duct"})),
    "instrument of a set": ("'spoon' is no instrument", one_set({"label": "spoon"})),
    "set and action": ("it has 'triplets', which says what is in view in sampled frames, and 'actions'", sets(actions=[])),
}


def test_a_damaged_file_is_refused_with_its_place():
    for name, (says, change) in DAMAGES.items():
        document = {"scrubin_labels": 1, "vocabulary": "cholect50", "camera": "mono", "source_sha256": "0", "frames": 100}
        document |= {"phases": [{"first": 0, "end": 30, "label": "preparation"}], **change}
        text = json.dumps({key: value for key, value in document.items() if value is not None})
        with pytest.raises(AnnotationError) as refused:
            _read_text(text)
        assert says in str(refused.value), name


def _read_text(text):
    files = reader.batches({"r.labels.json": text.encode()}, FORMATS[label_files.NAME], Options(), reader.Faults())
    return FORMATS[label_files.NAME].read(files[0])


def test_an_empty_list_was_labelled_and_has_nothing():
    text = json.dumps({"scrubin_labels": 1, "vocabulary": "cholect50", "frames": 5, "phases": [], "quality": []})
    labels = _read_text(text)
    assert labels.phases.positions.tolist() == []
    assert np.array_equal(labels.marks.positions, np.arange(5))
