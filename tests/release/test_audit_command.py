"""`scrubin audit`: what it says and with which exit code, for a release, a folder and a single file."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

import clips
from scrubin import cli
from scrubin.audit.pictures import decoding
from scrubin.base.files import set_fixed_time, sha256_of
from scrubin.stages.release import audited_project
from toy_release import BARE, BLACK, BOX, FRAMES_IN_CLIP, IDS, TASK, pictures_of, write_project

FRAME = f"frames/{TASK}/mono/{IDS[0]}/000000.jpg"


@pytest.fixture
def audited(release, tmp_path, capsys, monkeypatch):
    """Run the command on the release, in the working folder of its project; return exit code and JSON."""
    monkeypatch.chdir(write_project(release, tmp_path / "project"))

    def run(*arguments: object, path: object = release.folder) -> tuple[int, dict]:
        code = cli.main(["audit", str(path), "--json", *map(str, arguments)])
        return code, json.loads(capsys.readouterr().out)

    return run


def rules(told: dict) -> set[str]:
    return {finding["rule"] for finding in told["findings"]}


def test_a_clean_release_gives_0_and_says_what_was_read(audited):
    code, told = audited()
    assert (code, told["clean"], told["findings"], told["not_checked"]) == (0, True, [], [])
    assert told["frames_decoded"] == len(IDS) * FRAMES_IN_CLIP
    assert told["frames_compared"] == 2 * len(IDS)
    assert told["files"]["videos"]["count"] == len(IDS)
    assert told["files"]["pictures"]["count"] == 2 * len(IDS)
    assert told["private_strings"] > 100
    assert told["reidentification"]["unique_to_the_frame"] == 0
    assert told["reidentification"]["tasks"][TASK]["smallest_group_in_a_log"] == len(IDS)


@pytest.mark.slow
def test_a_second_run_decodes_nothing_and_a_fresh_one_does(audited, monkeypatch):
    calls, watch = [], decoding.examine
    monkeypatch.setattr(decoding, "examine", lambda *given: calls.append(given[0]) or watch(*given))
    # All videos of the toy have the same bytes, and so have their frames.
    first = audited()
    assert len(calls) == 1
    assert audited() == first
    assert len(calls) == 1
    assert audited("--fresh") == first
    assert len(calls) == 1 + len(IDS)


@pytest.mark.slow
def test_the_table_is_for_people(release, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(write_project(release, tmp_path / "project"))
    assert cli.main(["audit", str(release.folder)]) == 0
    text = capsys.readouterr().out
    assert text.endswith("clean: no finding\n")
    assert f"videos{' ' * 28}{len(IDS)}" in text
    assert "0 of 4 recordings have a number of frames that no other of their task has" in text
    release.path("notes.txt").write_text("Grünwaldner was here\n")
    assert cli.main(["audit", str(release.folder)]) == 1
    text = capsys.readouterr().out
    assert "notes.txt, text: [private-string] it holds 'Grünwaldner', which tells the participant" in text
    assert text.endswith("findings: it may not be released\n")


@pytest.mark.slow
def test_a_plain_copy_has_one_finding_with_a_count_and_its_first_places(release, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(write_project(release, tmp_path / "project"))
    files = sorted(path for path in release.folder.rglob("*") if path.suffix in (".jpg", ".mkv"))
    for path in files:
        os.utime(path, (1_681_732_800, 1_681_732_800))
    assert cli.main(["audit", str(release.folder), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert len(told["findings"]) == len(files) == 12
    (cause,) = told["causes"]
    assert (cause["rule"], cause["count"], cause["files"], len(cause["first"])) == ("file-time", 12, 12, 3)
    assert cli.main(["audit", str(release.folder)]) == 1
    *_, line, state = capsys.readouterr().out.splitlines()
    assert line.startswith(f"1. {FRAME}: [file-time] its time is not 2000-01-01")
    assert line.endswith(f"run the release stage again (12 files, next: {told['findings'][1]['file']}; {told['findings'][2]['file']}; ...)")
    assert state == "12 findings of 1 cause: it may not be released"


def put(release, name: str, data: bytes) -> None:
    release.path(name).parent.mkdir(parents=True, exist_ok=True)
    release.path(name).write_bytes(data)


def jpeg(picture: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()


def with_sei(release) -> None:
    message = "h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+hello"
    release.replace_video(
        lambda source, target: clips.ffmpeg("-i", source, "-c:v", "copy", "-bsf:v", message, *BARE[:4], *BARE[6:8], target)
    )


def unredacted(release) -> None:
    """The same moments of the same scene, with nothing hidden."""

    def render(source: Path, target: Path) -> None:
        shown = clips.clip(source.with_name("shown.mkv"), seconds=1.0, fps="20", size="96x64", more=BARE)
        clips.ffmpeg("-i", shown, "-c", "copy", *BARE, target)
        shown.unlink()

    release.replace_video(render)


def longer(release) -> None:
    def render(source: Path, target: Path) -> None:
        clips.ffmpeg("-stream_loop", "1", "-i", source, "-c", "copy", *BARE, target)

    release.replace_video(render)


PLANTED = {
    "a frame of another moment": (lambda r: put(r, FRAME, jpeg(pictures_of(r.video)[1])), {"frame-picture"}),
    "an unredacted video": (unredacted, {"not-black", "frame-picture", "frame-count"}),
    "a video with more frames than were kept": (longer, {"frame-count"}),
    "an SEI message": (with_sei, {"sei"}),
    "a name in a text": (lambda r: put(r, "notes.txt", b"Li_Wei\n"), {"private-string"}),
    "a name in a file name": (lambda r: put(r, "Mechthild.csv", b"id;x\n"), {"private-string"}),
    "a date in a table": (lambda r: put(r, "notes.csv", b"id;x\nabelo;17.04.2023\n"), {"private-string"}),
    "a private column": (lambda r: put(r, "notes.csv", b"participant;x\n1;2\n"), {"private-column"}),
    "bytes behind a video": (lambda r: r.video.write_bytes(r.video.read_bytes() + b"hello"), {"container"}),
    "a video that no table names": (lambda r: put(r, "videos/more.mkv", r.video.read_bytes()), {"layout"}),
    "a video that is gone": (lambda r: r.video.unlink(), {"layout"}),
    "a picture with a comment": (
        lambda r: put(r, FRAME, b"\xff\xd8\xff\xfe\0\7hello" + r.path(FRAME).read_bytes()[2:]),
        {"image-metadata"},
    ),
    "a folder that holds nothing": (lambda r: r.path("more").mkdir(), {"layout"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_each_planted_fault_gives_1_and_is_named(release, tmp_path, monkeypatch, capsys, plant):
    change, expected = plant
    change(release)
    if release.video.exists():
        shutil.rmtree(release.path("archives"), ignore_errors=True)
        release.seal()
        monkeypatch.chdir(write_project(release, tmp_path / "project"))
    else:
        monkeypatch.chdir(project_of_clean(release, tmp_path))
    assert cli.main(["audit", str(release.folder), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert rules(told) - {"checksum"} <= expected
    assert expected & rules(told)


def project_of_clean(release, tmp_path: Path) -> Path:
    """The project of a release from which the first video was taken."""
    other = release.path(release.plan.videos[1].path)
    shutil.copy2(other, release.video)
    folder = write_project(release, tmp_path / "project")
    release.video.unlink()
    return folder


def test_a_file_time_that_tells_is_found(release, audited):
    os.utime(release.video, (1_681_732_800, 1_681_732_800))
    code, told = audited()
    assert (code, rules(told)) == (1, {"file-time"})


def test_the_stage_and_the_command_load_the_same(release, tmp_path):
    study = audited_project.load(write_project(release, tmp_path / "project"))
    assert study.plan.videos == release.plan.videos
    assert {needle.text for needle in study.private.needles} >= {"Grünwaldner_Mechthild", "2023-04-17", "Li_Wei"}
    assert study.kept_s == dict.fromkeys(IDS, 1.0)


class TestWithoutProject:
    @pytest.fixture(autouse=True)
    def elsewhere(self, tmp_path, monkeypatch):
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")

    def told(self, capsys, *arguments: object) -> tuple[int, dict]:
        code = cli.main(["audit", *map(str, arguments), "--json"])
        return code, json.loads(capsys.readouterr().out)

    def test_a_folder_is_clean_but_it_says_what_was_not_checked(self, release, capsys):
        code, told = self.told(capsys, release.folder)
        assert (code, told["clean"]) == (0, True)
        said = " ".join(told["not_checked"])
        assert all(word in said for word in ("blackness", "counts", "private strings", "extracted frames", "order"))
        assert cli.main(["audit", str(release.folder)]) == 0
        text = capsys.readouterr().out
        assert "NOT checked - blackness" in text
        assert text.endswith("clean: no finding in what was checked\n")

    def test_ids_of_its_own_videos_are_no_private_column_and_other_names_are(self, release, capsys):
        put(release, "groundtruth/x/manifest.json", json.dumps({"images": [{"recording": IDS[0]}, {"recording": IDS[1]}]}).encode())
        code, told = self.told(capsys, release.folder)
        assert "private-column" not in rules(told)
        assert any(what.startswith("ids: ") for what in told["not_checked"])
        put(release, "groundtruth/x/manifest.json", json.dumps({"images": [{"recording": IDS[0]}, {"recording": "case 7"}]}).encode())
        code, told = self.told(capsys, release.folder)
        assert (code, "private-column" in rules(told)) == (1, True)
        put(release, "groundtruth/x/manifest.json", json.dumps({"images": [{"surgeon": "Dr. No"}]}).encode())
        assert "private-column" in rules(self.told(capsys, release.folder)[1])

    def test_a_folder_of_videos_alone_needs_no_checksums(self, release, capsys):
        assert self.told(capsys, release.path("videos"))[0] == 0

    def test_a_needle_is_found_and_a_short_one_is_refused(self, release, capsys):
        release.path("notes.txt").write_text("Mozart wrote on 17.04.2023\n")
        set_fixed_time(release.path("notes.txt"), sha256_of(release.path("notes.txt")))
        code, told = self.told(capsys, release.folder, "--needle", "mozart", "--needle", "2023-04-17")
        found = [finding["message"] for finding in told["findings"] if finding["rule"] == "private-string"]
        assert code == 1
        assert found == [
            "it holds '17.04.2023', which was asked for; take it out",
            "it holds 'mozart', which was asked for; take it out",
        ]
        assert not any("private strings" in what for what in told["not_checked"])
        assert cli.main(["audit", str(release.folder), "--needle", "17"]) == 1
        assert "'17' occurs everywhere" in capsys.readouterr().err

    def test_a_word_that_is_public_is_searched_when_it_is_asked_for(self, release, capsys):
        code, told = self.told(capsys, release.folder, "--needle", "matroska")
        assert (code, rules(told)) == (1, {"private-string"})

    def plan(self, tmp_path: Path, **changes: object) -> Path:
        hidden = [{"first": BLACK[0], "last": BLACK[1], "box_xywh": None}, {"first": 0, "last": FRAMES_IN_CLIP - 1, "box_xywh": BOX}]
        path = tmp_path / "plan.json"
        path.write_text(json.dumps({"frame_count": FRAMES_IN_CLIP, "hidden": hidden, "width": 96, "height": 64} | changes))
        return path

    def test_a_single_video_is_held_to_its_plan(self, release, tmp_path, capsys):
        code, told = self.told(capsys, release.video, "--plan", self.plan(tmp_path))
        assert (code, told["frames_decoded"]) == (0, FRAMES_IN_CLIP)
        assert [what.split(":")[0] for what in told["not_checked"]] == ["private strings"]
        for changes, rule in (
            ({"frame_count": FRAMES_IN_CLIP - 1}, "frame-count"),
            ({"hidden": [{"first": 9, "last": 10, "box_xywh": None}]}, "not-black"),
            ({"hidden": [{"first": 0, "last": 1, "box_xywh": [0, 0, 64, 64]}]}, "not-black"),
            ({"width": 98}, "size"),
        ):
            code, told = self.told(capsys, release.video, "--plan", self.plan(tmp_path, **changes))
            assert (code, rules(told)) == (1, {rule})

    def test_a_single_video_without_a_plan_says_so(self, release, capsys):
        code, told = self.told(capsys, release.video)
        assert (code, told["frames_decoded"]) == (0, FRAMES_IN_CLIP)
        assert [what.split(":")[0] for what in told["not_checked"]] == ["blackness", "counts", "private strings"]

    def test_a_single_video_of_a_known_project_is_held_to_its_tables(self, release, tmp_path, capsys):
        folder = write_project(release, tmp_path / "project")
        assert self.told(capsys, release.video, "--project", folder)[1]["not_checked"] == []
        hidden = release.tables["hidden"].assign(last_frame=lambda rows: rows.last_frame.where(rows.x.notna(), BLACK[1] + 1))
        release.tables["hidden"] = hidden
        folder = write_project(release, tmp_path / "project")
        code, told = self.told(capsys, release.video, "--project", folder)
        assert (code, rules(told)) == (1, {"not-black"})

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"frame_count": 1, "hidden": [{"first": 0}]}', '{"frame_count": "x", "hidden": []}'])
    def test_a_plan_that_is_none_is_named(self, release, tmp_path, capsys, text):
        (tmp_path / "plan.json").write_text(text)
        assert cli.main(["audit", str(release.video), "--plan", str(tmp_path / "plan.json")]) == 1
        assert "it is no plan as 'scrubin render --plan' prints it" in capsys.readouterr().err

    def test_wrong_arguments_are_named(self, release, tmp_path, capsys):
        for arguments, said in (
            ([tmp_path / "nothing"], "there is no such file or folder"),
            ([release.folder, "--plan", self.plan(tmp_path)], "--plan is for one video"),
            ([release.folder, "--project", tmp_path], "this is no project"),
        ):
            assert cli.main(["audit", *map(str, arguments)]) == 1
            assert said in capsys.readouterr().err
