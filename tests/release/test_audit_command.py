"""`scrubin audit`: what it says, by cause, and with which exit code, for a release, a folder and a single file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from scrubin import cli
from scrubin.audit import run
from scrubin.audit.expected import Finding
from scrubin.audit.pictures import decoding
from scrubin.base.files import set_fixed_time, sha256_of
from scrubin.stages.release import audited_project
from toy_release import BLACK, BOX, FRAMES_IN_CLIP, IDS, TASK, write_project

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
        assert found == ["it holds '17.04.2023', which was asked for; take it out", "it holds 'mozart', which was asked for; take it out"]
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


def late(number: int) -> Finding:
    return Finding(f"{number}.mkv", f"frame {number}", "timestamps", f"its time {number} is not after {number + 1}; render it again")


def leak(name: str, file: str) -> Finding:
    return Finding(file, "text", "private-string", f"it holds {name!r}, which tells the participant; take it out")


def test_what_differs_only_in_numbers_and_places_is_one_cause():
    (cause,) = run.by_cause([late(1), late(2)])
    assert str(cause) == "1.mkv, frame 1: [timestamps] its time 1 is not after 2; render it again (2 files, next: 2.mkv, frame 2)"


def test_each_name_that_leaks_is_a_cause_of_its_own_and_several_places_of_a_file_are_counted():
    both = run.by_cause([leak("Li_Wei", "a.txt"), leak("Mechthild", "a.txt"), leak("Li_Wei", "b.txt"), leak("Li_Wei", "a.txt")])
    assert [len(cause.findings) for cause in both] == [3, 1]
    assert str(both[0]).endswith("take it out (3 places in 2 files, next: b.txt, text; a.txt, text)")
    assert run.count_of_causes(both) == "4 findings of 2 causes"


def test_rules_stay_apart_even_when_they_say_the_same():
    assert len(run.by_cause([Finding("a", "", "sei", "strip it"), Finding("a", "", "nal", "strip it")])) == 2


def test_a_table_of_names_does_not_fill_the_screen_and_hides_no_other_rule():
    leaks = [leak(f"person{number}", "a.csv") for number in range(30)] + [leak("person29", "b.csv")]
    lines = run.lines_of_causes(run.by_cause([*leaks, late(1)]))
    assert len(lines) == run.CAUSES_SHOWN + 2
    assert lines[-2] == str(late(1))
    assert lines[-1] == "... and 10 more causes of [private-string]: 11 findings of 10 causes"


def test_one_finding_of_each_cause_is_counted_without_causes():
    assert run.count_of_causes(run.by_cause([late(1)])) == "1 finding"
    assert run.count_of_causes([]) == "0 findings"
