"""Masks, points, tracks and marks in exports: those of the tables, once, and null where nobody drew or judged."""

from __future__ import annotations

import json
import tarfile

import pyarrow.parquet as pq
import pytest

import exported_release
from scrubin import cli


def of_huggingface(folder):
    for path in sorted(folder.glob("frames/*.parquet")):
        for row in pq.read_table(path).to_pylist():
            yield (row["id"], row["camera"], row["frame"]), row


def of_webdataset(folder):
    for path in sorted(folder.glob("frames/*.tar")):
        with tarfile.open(path) as tar:
            for member in tar:
                if member.name.endswith(".json"):
                    row = json.loads(tar.extractfile(member).read())
                    yield (row["id"], row["camera"], row["frame"]), row


LAYOUTS = {"huggingface": of_huggingface, "webdataset": of_webdataset}


@pytest.fixture(scope="module", params=sorted(LAYOUTS))
def rows(request, release, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported") / "e"
    assert cli.main(["export", str(release), str(folder), "--to", request.param]) == 0
    return dict(LAYOUTS[request.param](folder))


def test_masks_points_and_tracks_stand_with_their_instance(rows):
    first, second = rows["borunga", "mono", 0]["instances"]
    assert first["mask"] == {"width": 8, "height": 4, "counts": "5360"}
    assert first["points"] == [
        {"point": "hinge", "x": None, "y": None, "visibility": 0},
        {"point": "tip", "x": 0.25, "y": 0.5, "visibility": 2},
    ]
    assert first["tracks"] == [{"kind": "track", "track": 4}, {"kind": "visibility_track", "track": 4}]
    assert (second["mask"], second["points"], second["tracks"]) == (None, None, None)


def test_what_was_drawn_in_the_left_picture_does_not_stand_with_the_right_one(rows):
    (left,), (right,) = (rows["abelo", camera, 0]["instances"] for camera in ("left", "right"))
    assert left["mask"]["counts"] == "5360"
    assert (right["mask"], right["points"]) == (None, None)
    assert left["tracks"] == right["tracks"]


def test_marks_are_those_of_each_annotator_none_where_somebody_looked_and_null_where_nobody(rows):
    judged = rows["borunga", "mono", 1]["marks"]
    assert judged == [{"mark": "C1", "rater": "1", "value": 0.0}, {"mark": "C1", "rater": "2", "value": 1.0}]
    assert rows["borunga", "mono", 0]["marks"] == []
    assert rows["borunga", "mono", 4]["marks"] is None


@pytest.mark.slow
def test_a_mark_in_a_frame_that_nobody_judged_is_refused(tmp_path, capsys):
    tables = exported_release.rows()
    tables["marks"][0]["frame"] = 4
    release = exported_release.write(tmp_path / "release", tables)
    assert cli.main(["export", str(release), str(tmp_path / "out"), "--to", "webdataset"]) == 1
    assert "frame 4 has a row in 'marks', but is not in 'labelled'" in capsys.readouterr().err
