"""What was labelled comes out on its frame, however the recording is trimmed afterwards."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from annotated_tables import tables_of
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.tables import seals
from scrubin.base.vocabulary import vocabulary
from scrubin.labels.files import reader
from scrubin.labels.files.reader import Options
from scrubin.labels.formats.plain import label_files
from scrubin.labels.registry import FORMATS
from scrubin.stages.annotations import label_tables, report

CHOLECT50 = vocabulary.load("cholect50")
FPS, SOURCE_S = 25, 20
FRAMES = FPS * SOURCE_S
TRIPLETS = (("grasper", "retract", "gallbladder"), ("hook", "dissect", "gallbladder"), ("grasper", "grasp", "specimen_bag"))


EDGES = (0, 24, 50, 76, 100, 125, 149, 226, 275, FRAMES)
"""One frame before an extracted one, on it, one behind it; a whole second of some."""
ACTIONS = ((0, 1, 0), (24, 26, 1), (26, 50, 2), (50, 76, 0), (75, 101, 0), (99, FRAMES, 1))
DOCUMENT = {
    "scrubin_labels": 1,
    "vocabulary": "cholect50",
    "frames": FRAMES,
    "phases": [
        {"first": first, "end": end, "label": CHOLECT50.phases[at % len(CHOLECT50.phases)]}
        for at, (first, end) in enumerate(itertools.pairwise(EDGES))
    ],
    "actions": [
        {"first": first, "end": end, **dict(zip(("label", "verb", "target"), TRIPLETS[of], strict=True))} for first, end, of in ACTIONS
    ],
}
"""A labelled operation: every frame has a phase, actions overlap, also two of one triplet."""


PROVENANCE = label_files.Provenance((1, 2), blind=True, settled=1, labels=9, proposed=3, changed=2, refused=4)
MADE_ON = {
    "scrubin_labels": 1,
    "vocabulary": "cholect50",
    "frames": FRAMES,
    "phases": [{"first": 0, "end": FRAMES, "label": "preparation"}],
}


def placed(document):
    files = {"case one.labels.json": label_files.written(document)}
    (labels,) = reader.read_contents(files, FORMATS[label_files.NAME], Options()).collection.recordings
    tables = tables_of(offset_s=Fraction(2), seconds=10, source_s=SOURCE_S, fps=FPS)
    return label_tables.tables([labels], label_tables.released(*tables), (), 1.0, Faults()), tables[0]


def test_the_report_says_who_labelled_a_recording():
    tables, recordings = placed({**MADE_ON, "provenance": PROVENANCE})
    expected = {"annotators": (1, 2), "blind": True, "settled": 1, "labels": 9, "proposed": 3, "changed": 2, "refused": 4}
    assert tables.report["ids"]["mabolu"]["provenance"] == expected
    assert placed({**MADE_ON, "source_sha256": recordings["sha256"].iloc[0]})[0].report["ids"]["mabolu"].get("provenance") is None


def test_the_report_says_of_how_many_boxes_nobody_said_where_they_are():
    keys = [{"track": 1, "frame": frame, "label": "grasper", "box": [0.1, 0.1, 0.2, 0.2]} for frame in (2 * FPS, 4 * FPS)]
    tables, _ = placed({**MADE_ON, "interpolation": "linear", "boxes": keys})
    # Extracted frames are a second apart: two of these three are key frames, and one lies between them.
    assert tables.report["ids"]["mabolu"]["interpolated"] == {"n": 1, "of": 3}
    assert report.beyond_tables(report.document(tables.report, [], None))["interpolated"] == {"mabolu": {"n": 1, "of": 3}}
    assert "interpolated" not in placed(MADE_ON)[0].report["ids"]["mabolu"]
    # What else the report says names the same labels as ever.
    without = {**tables.report, "ids": {"mabolu": {k: v for k, v in tables.report["ids"]["mabolu"].items() if k != "interpolated"}}}
    seal = seals.Seal("0")
    assert report.digest(without, seal) == report.digest(tables.report, seal)


def test_a_point_in_a_box_is_a_place_of_its_own_in_the_report_and_in_the_warning():
    box = [{"track": 1, "frame": frame, "label": "grasper", "box": [0.1, 0.1, 0.2, 0.2]} for frame in (2 * FPS, 3 * FPS, 4 * FPS)]
    point = [{"track": 1, "frame": at, "label": "grasper", "point": "tip", "at": [0.2, 0.2]} for at in (2 * FPS, 4 * FPS)]
    tables, _ = placed({**MADE_ON, "interpolation": "linear", "boxes": box, "points": point})
    # Three extracted frames, each with a box and its tip; in the middle one somebody said the box alone.
    assert tables.report["ids"]["mabolu"]["interpolated"] == {"n": 1, "of": 6}
    every, unsaid = 2 * (2 * FPS + 1), 2 * (2 * FPS + 1) - 5
    assert f"{unsaid:,} of {every:,} places of tracks were said by nobody" in " ".join(tables.report["ids"]["mabolu"]["warnings"])


def test_labels_of_another_file_of_the_recording_are_refused():
    with pytest.raises(AnnotationError, match=r"labelled on another file of the recording, with the SHA-256 abababababab"):
        placed({**MADE_ON, "source_sha256": "ab" * 32})


def test_every_label_is_on_its_frame_after_other_trims():
    files = {"case one.labels.json": label_files.written(DOCUMENT)}
    (labels,) = reader.read_contents(files, FORMATS[label_files.NAME], Options()).collection.recordings
    for offset_s in (0, 3, 9):
        tables = tables_of(offset_s=Fraction(offset_s), seconds=10, source_s=SOURCE_S, fps=FPS)
        known = label_tables.released(*tables)
        made = label_tables.tables([labels], known, (), 1.0, Faults())
        phases = dict(zip(made.phases["frame"].tolist(), made.phases["phase_id"].tolist(), strict=True))
        # The second frame is hidden, so that it has no label.
        for frame in range(10):
            source = (offset_s + frame) * FPS
            said = next(one["label"] for one in DOCUMENT["phases"] if one["first"] <= source < one["end"])
            assert phases.get(frame) == CHOLECT50.phases.index(said), (offset_s, frame)
            rows = made.triplets[made.triplets["frame"] == frame]
            found = sorted(CHOLECT50.triplet_name(int(id_)) for id_ in rows["triplet_id"].dropna())
            active = [one for one in DOCUMENT["actions"] if one["first"] <= source < one["end"]]
            assert found == sorted(f"{one['label']},{one['verb']},{one['target']}" for one in active)
