"""Files of a recording that are put together wrongly are said, each with what is hidden until somebody has looked; sound ones are not."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import clips
from screen_params import SCREEN
from scrubin.base.errors import VideoError
from scrubin.base.tables import io
from scrubin.base.tables.private import PROPOSALS, RECORDINGS
from scrubin.media import source
from scrubin.stages.ingest import joining
from scrubin.stages.ingest.joining import doubtful
from scrubin.stages.ingest.manifest import ClockParams, ManifestRow
from scrubin.stages.review import outcome
from scrubin.stages.screen import screening
from wandering_films import Scene, film

SCENE, OTHER, STILL = Scene(1), Scene(2), Scene(3, 0.2, stands=True)
JUMP, GOES_ON, TWICE = "the picture jumps between", "goes on in", "are frames"


@pytest.fixture(autouse=True)
def _own_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def joined(raw, *parts, **options) -> joining.Joined:
    """Join films of these frames: name, scene, first frame, end."""
    rows = []
    for part, (name, scene, first, end) in enumerate(parts, start=1):
        film(raw / f"videos/{name}.mp4", scene.frames(first, end), **(options if part == len(parts) else {}))
        rows.append(ManifestRow(part, "r", "p", "", "", "T", "mono", f"videos/{name}.mp4", None, None, "", part))
    return joining.read(raw, joining.CameraRecording(tuple(rows)), ClockParams("", "none"))


def test_what_a_file_holds_is_taken_from_the_store_once(tmp_path, monkeypatch):
    taken = []
    probed = joining.stored_probe
    for module in (joining, source):
        monkeypatch.setattr(module, "stored_probe", lambda *file: taken.append(file[1]) or probed(*file))
    assert joined(tmp_path, ("op", SCENE, 0, 60)).media.frame_count == 60
    assert taken == ["videos/op.mp4"]


@pytest.mark.parametrize(("pauses", "places"), [([20], ""), ([20, 25, 28], ", and 2 more pauses behind it")])
def test_a_pause_inside_a_file_is_said(pauses, places, tmp_path):
    pts = [50 * number + 5_000 * sum(number >= pause for pause in pauses) for number in range(30)]
    clips.numbered(tmp_path / "videos/1.mkv", 30, pts=pts)
    row = ManifestRow(1, "r", "p", "", "", "T", "mono", "videos/1.mkv", None, None, "", 1)
    (said,) = joining.read(tmp_path, joining.CameraRecording((row,)), ClockParams("", "none")).doubts
    assert said.startswith(f"'videos/1.mkv' has no frame for 5.05 s behind frame 19 (at 0.95 s){places}: did the recorder pause")


def test_a_recording_is_refused_when_players_crop_one_of_its_files(tmp_path):
    rows = [ManifestRow(part, "r", "p", "", "", "T", "mono", f"videos/{part}.mkv", None, None, "", part) for part in (1, 2)]
    clips.clip(tmp_path / "videos/1.mkv")
    clips.cropped_by_its_header(tmp_path / "videos/2.mkv")
    with pytest.raises(VideoError, match=r"videos/2.mkv: its header says that players show a part of its picture alone"):
        joining.read(tmp_path, joining.CameraRecording(tuple(rows)), ClockParams("", "none"))


def test_whether_players_crop_a_file_is_looked_at_once_for_the_same_bytes(tmp_path, monkeypatch):
    looked, refuse = [], joining.crops.refuse_cropped
    monkeypatch.setattr(joining.crops, "refuse_cropped", lambda path, name, probed: looked.append(name) or refuse(path, name, probed))
    row = ManifestRow(1, "r", "p", "", "", "T", "mono", "videos/1.mkv", None, None, "", 1)

    def read() -> joining.Joined:
        return joining.read(tmp_path, joining.CameraRecording((row,)), ClockParams("", "none"))

    clips.clip(tmp_path / "videos/1.mkv")
    assert read() == read()
    assert len(looked) == 1
    (tmp_path / "videos/1.mkv").unlink()
    clips.cropped_by_its_header(tmp_path / "videos/1.mkv")
    for _ in range(2):  # a refusal is known as well
        with pytest.raises(VideoError, match=r"videos/1.mkv: its header says that players show a part of its picture alone"):
            read()
    assert len(looked) == 2


PLANTED = {
    "order 2, 1, 3": ([("a", SCENE, 60, 120), ("b", SCENE, 0, 60), ("c", SCENE, 120, 180)], GOES_ON, {2: (60, 119), 3: (0, 179)}),
    "a part is missing": ([("a", SCENE, 0, 60), ("b", SCENE, 180, 240)], JUMP, {2: (35, 84)}),
    "a part is missing under a camera that stands": ([("a", STILL, 0, 60), ("b", STILL, 180, 240)], JUMP, {2: (35, 84)}),
    "a part of another recording": (
        [("a", SCENE, 0, 60), ("b", OTHER, 0, 50), ("c", SCENE, 60, 120)],
        "the scene at the end of 'videos/a.mp4' goes on in 'videos/c.mp4', not in 'videos/b.mp4'",
        {2: (60, 109), 3: (85, 134)},
    ),
    "a copy of a part, coded anew and cut": (
        [("a", SCENE, 0, 60), ("b", SCENE, 60, 120), ("c", SCENE, 10, 50)],
        "frames 0 to 39 of 'videos/c.mp4' are frames 10 to 49 of 'videos/a.mp4'",
        {3: (95, 159)},
    ),
    "names without 2": ([("op_1", SCENE, 0, 60), ("op_3", SCENE, 60, 120)], "the names skip from number 1", {2: (35, 84)}),
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("mistake", PLANTED)
def test_a_mistake_is_said_and_hidden_until_somebody_has_looked(mistake, tmp_path):
    parts, said, hidden = PLANTED[mistake]
    read = joined(tmp_path, *parts, crf="23", g="33")
    assert any(said in doubt for doubt in read.doubts), read.doubts
    assert {row["part"]: (row["doubtful_first"], row["doubtful_last"]) for row in read.parts if row["doubt"]} == hidden
    kept = pd.DataFrame([{"recording": "r", "camera": "mono", "task": "T", "status": "kept"}]).reindex(
        columns=io.frame_of(RECORDINGS, []).columns
    )
    (file,) = screening.to_screen(kept, joining.parts_table([read]))
    assert file.doubtful == tuple(hidden.values())


@pytest.mark.slow
@pytest.mark.parametrize(("scene", "count"), [(SCENE, 4), (SCENE, 30), (OTHER, 12)])
def test_the_last_picture_of_a_file_that_the_next_one_repeats_is_said_and_hidden(scene, count, tmp_path):
    film(tmp_path / "videos/a.mp4", scene.frames(0, 60))
    (last,) = scene.frames(59, 60)
    film(tmp_path / "videos/b.mp4", [*[last] * count, *scene.frames(60, 120)], crf="23", g="33")
    rows = tuple(
        ManifestRow(part, "r", "p", "", "", "T", "mono", f"videos/{name}.mp4", None, None, "", part) for part, name in enumerate("ab", 1)
    )
    read = joining.read(tmp_path, joining.CameraRecording(rows), ClockParams("", "none"))
    (doubt,) = read.doubts
    assert doubt.startswith(f"the first {count} frames of 'videos/b.mp4' repeat the last picture of 'videos/a.mp4'")
    assert (read.parts[1]["doubtful_first"], read.parts[1]["doubtful_last"]) == (60, 59 + count)


def test_what_is_in_doubt_is_a_proposal_that_hides_until_a_person_rejects_it(tmp_path):
    read = joined(tmp_path, ("a", SCENE, 0, 40), ("b", OTHER, 0, 40))
    file = screening.FileToScreen("r", "mono", read.source, "T", ((15, 64),))
    rows = screening.screen(tmp_path, file, replace(SCREEN, detectors=("black",)))
    (row,) = [row for row in io.frame_of(PROPOSALS, rows).to_dict("records") if row["source"] == "seam"]
    assert (row["kind"], row["first_frame"], row["last_frame"], row["start_s"], row["end_s"]) == ("other", 15, 64, 0.6, 2.6)
    hidden = outcome.parts(outcome.Proposed(row["kind"], row["source"], (0.6, 2.6)), [], 1)
    assert [part.decision for part in hidden] == ["unreviewed"]


@pytest.mark.slow
@pytest.mark.parametrize(("scene", "doubled"), [(SCENE, 6), (STILL, 0), (Scene(4, 3.0), 0)], ids=["usual", "the camera stands", "fast"])
def test_sound_files_are_in_no_doubt(scene, doubled, tmp_path):
    read = joined(tmp_path, ("op_9", scene, 0, 60), ("op_10", scene, 60, 110), ("op_11", scene, 110 - doubled, 160), crf="23", g="20")
    assert read.doubts == ()
    assert [row["first_frame"] for row in read.parts] == [0, 0, doubled]


@pytest.mark.slow
def test_an_overlap_of_any_length_is_released_once_and_said(tmp_path):
    small = Scene(5, size_px=(64, 48))
    read = joined(tmp_path, ("a", small, 0, 360), ("b", small, 40, 420), crf="23", g="250")
    assert [row["first_frame"] for row in read.parts] == [0, 320]
    assert read.doubts == ("the first 320 frames of 'videos/b.mp4' are the last ones of 'videos/a.mp4' and are released once: is that so?",)
    assert [row["doubtful_first"] for row in read.parts] == [None, None]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["op_001.mp4", "op_003.mp4"], {1: "the names skip from number 1"}),
        (["op_3.mp4", "op_1.mp4"], {1: "the names go back from number 3"}),
        (["op part 2.mp4", "op part 3.mp4"], {0: "is the first file and calls itself number 2"}),
        (["case_002.mp4", "case_003.mp4"], {0: "is the first file and calls itself number 2"}),
        (["case_012.mp4", "case_013.mp4"], {}),
        (["op 1of3.mp4", "op 2of3.mp4"], {1: "is the last file and calls itself number 2 of 3"}),
        (["op_20240131_140502.mp4", "op_20240131_140500.mp4"], {1: "was recorded before"}),
        (["GX010123.MP4", "GX030123.MP4"], {1: "the names skip from number 1"}),
        (["case12.mp4", "case12-3.mp4"], {1: "the names skip from number 1"}),
        (["GX010123.MP4", "GX020123.MP4"], {}),
        (["op_999.mp4", "op_001.mp4", "op_002.mp4"], {}),
        (["100MEDIA/DJI_0999.MP4", "101MEDIA/DJI_0001.MP4"], {}),
        (["case12.mp4", "case12-2.mp4"], {}),
        (["op_20240131_140500.mp4", "op_20240131_141502.mp4"], {}),
        (["opening_1.mp4", "closing_7.mp4"], {}),
    ],
)
def test_what_names_say_against_an_order(names, said):
    told = doubtful([f"videos/{name}" for name in names])
    assert told.keys() == said.keys()
    assert all(said[place] in told[place] for place in said)
