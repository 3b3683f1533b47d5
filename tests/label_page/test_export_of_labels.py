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
from labelled_study import FIRST, person, put, rate
from scrubin import cli
from scrubin.base.errors import AnnotationError, ReviewError
from scrubin.base.vocabulary import vocabulary
from scrubin.curate.label import progress, written
from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options
from scrubin.labels.formats.plain import label_files
from scrubin.labels.model import SOURCE_FRAMES, Clock, phase_of
from scrubin.labels.registry import FORMATS
from scrubin.labels.suspects import at_path
from scrubin.ratings.rater_files import read_folder

SINGLE, PAIR = sampled_release.IDS["single"], sampled_release.IDS["pair"]
CHOLECT50 = vocabulary.load("cholect50")
NONCES = (f"nonce-{number:06d}" for number in range(10**6))


def finish(bench, folder, name, id_, changes, other=None):
    """Let both who label a recording say the same, or the second something else, and be done."""
    for number, said in zip(bench.standing().assigned[name], (changes, other or changes), strict=True):
        bench.label(person(folder, number), id_, said, next(NONCES))
        bench.say_done(person(folder, number), id_, next(NONCES), done=True)


@pytest.fixture
def labelled(bench, folder):
    changes = [
        put("a", 0, 30, "preparation"),
        put("b", 40, 320, "clipping-and-cutting"),
        put("x", 5, 50, "grasper", "actions", verb="grasp", target="gallbladder"),
        put("q", 10, 12, "smoke", "quality"),
        rate(depth_perception=3, efficiency=4, errors={"object_dropped": True}),
    ]
    finish(bench, folder, "single", SINGLE, changes)
    return bench


def read(folder, name="single"):
    file = f"{name}{label_files.SUFFIX}"
    contents = {file: (folder / "data/raw" / written.LABELS_FOLDER / file).read_bytes()}
    (recording,) = reader.read_contents(contents, FORMATS[label_files.NAME], Options()).collection.recordings
    return recording


def test_every_label_comes_out_on_its_source_frames(labelled, folder):
    _, waiting = progress.export(labelled)
    assert list(waiting) == [PAIR]
    labels = read(folder)
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


def test_a_file_states_the_rate_of_its_source_so_that_nobody_has_to_say_it(labelled, folder, capsys):
    progress.export(labelled)
    path = folder / "data/raw" / written.LABELS_FOLDER / f"single{label_files.SUFFIX}"
    assert json.loads(path.read_text(encoding="utf-8"))["fps"] == str(sampled_release.FPS)
    labels = read(folder)
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
    found = at_path.suspects(path, None, Options()).suspects
    assert [(one.first, one.time_s) for one in found] == [(at, pytest.approx(at / sampled_release.FPS)) for at in (100, 103)]
    # Files of before state no rate, and are read as they were.
    del document["fps"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert read(folder).clock == SOURCE_FRAMES


@pytest.mark.parametrize("option", ["--fps", "--predictions-fps"])
def test_a_score_with_another_rate_than_the_file_states_is_refused(labelled, folder, capsys, option):
    progress.export(labelled)
    path = str(folder / "data/raw" / written.LABELS_FOLDER / f"single{label_files.SUFFIX}")
    scored = ["score", "phases", "--ground-truth", path, "--predictions", path]
    assert cli.main([*scored, option, str(sampled_release.FPS)]) == 0
    assert cli.main([*scored, option, "30"]) != 0
    said = capsys.readouterr().err
    assert f"the file of single states {sampled_release.FPS} frames per second, not 30; leave --fps or --predictions-fps out" in said


def test_a_source_of_varying_rate_has_none_to_state(labelled, folder):
    one = labelled.recordings[SINGLE]
    varying = replace(labelled.settlement(one), pictures=replace(one.pictures, fps=None))
    data = written.label_file(varying, "cholect50", label_files.Provenance((1,), blind=True, settled=0, labels=1, proposed=0))
    assert "fps" not in json.loads(data)


def test_a_recording_waits_until_all_are_done_and_what_differs_is_settled(bench, folder):
    finish(bench, folder, "single", SINGLE, [put("a", 0, 30, "preparation")], [put("a", 0, 30, "clipping-and-cutting")])
    done, waiting = progress.export(bench)
    numbers = ", ".join(map(str, bench.standing().assigned["pair"]))
    assert (done.changed, waiting) == ((), {PAIR: f"annotators {numbers} are not done", SINGLE: "an adjudicator settles 1 place"})
    document = progress.document(bench)
    assert document["open"] == {SINGLE: [["phases", FIRST, FIRST + 30]]}
    labelled_study.settle(bench, person(folder, 4), SINGLE, "phases", (0, 30), [labelled_study.Span(0, 30, "preparation")], next(NONCES))
    done, waiting = progress.export(bench)
    assert len(done.changed) == 1
    assert label_files.provenance_of(read(folder)).settled == 1


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
    finish(bench, folder, "single", SINGLE, [rate(failed=True, errors={"object_dropped": True})])
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
    finish(labelled, folder, "pair", PAIR, [put("a", 0, 30, "preparation"), rate(depth_perception=3, efficiency=4)])
    monkeypatch.setattr("os.pathconf", lambda *_: len(".part-pair.labels.json"))
    done, waiting = progress.export(labelled)
    assert waiting == {
        SINGLE: "its labels are not written, because its name is too long for a file: 'single.labels.json...' has 18 bytes, and this disk "
        "takes 16; give it a shorter name by 'scrubin rename', run 'make repro', then export again"
    }
    assert [path for path in done.changed if path.startswith(written.LABELS_FOLDER)] == [f"{written.LABELS_FOLDER}/pair.labels.json"]
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


def test_what_was_exported_of_a_recording_stays_while_its_film_is_another_one(labelled, folder):
    progress.export(labelled)
    files = {path: path.read_bytes() for path in (folder / "data/raw").rglob("*") if path.is_file()}
    one = labelled.recordings[SINGLE]

    def refuse():
        raise ReviewError("its film is another one")

    closed = replace(one, pictures=replace(one.pictures, read_s=refuse))
    for _ in range(2):
        done, waiting = progress.export(labelled_study.opened(folder, recordings={**labelled.recordings, SINGLE: closed}))
        assert (done.changed, done.removed, waiting[SINGLE]) == ((), (), "its film is another one")
        assert {path: path.read_bytes() for path in files} == files
    again = progress.export(labelled)[0]
    assert (again.changed, again.removed) == ((), ())


def test_of_a_recording_whose_film_is_another_one_no_ratings_go_out_in_which_people_differ(labelled, folder):
    progress.export(labelled)
    one = labelled.recordings[SINGLE]
    ratings, labels = (folder / "data/raw" / name for name in (written.RATINGS_FOLDER, written.LABELS_FOLDER))
    rated = {path.name: path.read_text(encoding="utf-8") for path in ratings.rglob("*.csv")}
    assert any("single" in text for text in rated.values())
    who = person(folder, labelled.standing().assigned["single"][0])
    labelled.label(who, SINGLE, [rate(depth_perception=1, efficiency=1)], next(NONCES))

    def refuse():
        raise ReviewError("its film is another one")

    closed = replace(one, pictures=replace(one.pictures, read_s=refuse))
    bench = labelled_study.opened(folder, recordings={**labelled.recordings, SINGLE: closed})
    waiting = progress.export(bench)[1][SINGLE]
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
