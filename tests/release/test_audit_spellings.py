"""Dates in every way of writing, escapes undone; and honest releases whose names only look private."""

import base64
import hashlib
import json
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from scrubin.audit.expected import dates, plan, private_strings, spelling
from scrubin.audit.expected.spelling import fold, folded_words, unescaped
from scrubin.base.tables.public import public_tables
from scrubin.base.vocabulary.vocabulary import load
from scrubin.labels.masks import counts
from scrubin.labels.masks.blackened import Blackened
from scrubin.labels.points import Point
from scrubin.labels.truth import detection, objects
from scrubin.stages import groundtruth
from scrubin.stages.release.audited_project import public_words, subsets
from toy_release import IDS, PARAMS, TASK, recordings

DATES = [
    "2023:04:17 10:11:12",
    "2023-4-17",
    "2023/4/17",
    "2023.4.17",
    "17.4.23",
    "17/4/23",
    "4/17/23",
    "17-Apr-23",
    "2023-Apr-17",
    "2023 April 17",
    "Mon Apr 17 10:00:00 2023",
    "Mon Apr 17 10:00:00 CEST 2023",
    "April 17th, 2023",
    "17th of April 2023",
    "Apr. 17, 2023",
    "17 / 04 / 2023",
    "17 Apr 10:00:00 2023",
    "17\u201104\u20112023",
    "17 \u2013 4 \u2013 2023",
    "17\u00b704\u00b72023",
    "17 avril 2023",
    "17 de abril de 2023",
    "17 aprile 2023",
    "2023\u5e744\u670817\u65e5",
    "2023\ub144 4\uc6d4 17\uc77c",
]


def written(release, name: str, text: str) -> set[str]:
    return release.rules_after(lambda: release.path(name).write_text(text, encoding="utf-8"))


def test_a_date_is_found_in_every_way_of_writing(release):
    texts = {}
    for number, date in enumerate(DATES):
        texts |= {f"n{number}.md": f"made on {date} by hand\n", f"n{number}.csv": f'id;note\nabelo;"{date}"\n'}
        texts[f"n{number}.json"] = json.dumps({"note": date})
    assert release.rules_by_file({name: text.encode() for name, text in texts.items()}) == {name: {"private-string"} for name in texts}


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    "text",
    [
        "17 March 2022",
        "[17,04,2023,10]",
        "|17|04|2023|",
        "17, 4, 2023",
        "17 | 04 | 2023",
        "version 4.17.3",
        "0:04:17",
        "4 of 17, 23 in all",
        "a4dec17" * 4 + "17apr2023" + "a" * 27,
    ],
)
def test_what_is_no_private_date_is_not_found(release, text):
    assert written(release, "notes.md", f"{text}\n") == set()


@pytest.mark.parametrize("text", ["made on 17,04,2023.", "17|04|2023"])
def test_commas_and_bars_are_parts_of_a_date_in_a_text_and_stand_between_numbers_in_a_table(release, text):
    assert written(release, "notes.md", f"{text}\n") == {"private-string"}
    assert dates.written_in(text, structured=True) == set()


def test_single_digits_are_read_as_dates():
    march = {"6.3.23", "6/3/23", "06-Mar-23", "2023-3-6", "Mon Mar  6 10:00:00 2023", "March 6th, 2023", "06 / 03 / 2023", "6. März 2023"}
    for text in march:
        assert any(str(date) == "2023-03-06" for date in dates.written_in(text)), text


# --- escapes

ESCAPED = [
    "Gr\\u00fcnwaldner",
    "Gr\\xfcnwaldner",
    "Gr%C3%BCnwaldner",
    "Gr%FCnwaldner",
    "Gr&uuml;nwaldner",
    "Gr&#252;nwaldner",
    "Gr\\\\u00fcnwaldner",
    "Gr%25C3%25BCnwaldner",
    "Mecht\u00adhild",
    "Mecht\u200bhild",
    "Mecht\ufeffhild",
    "\uff2dechthild",
]


def test_escapes_and_invisible_letters_hide_nothing(release):
    texts = {f"n{number}.md": f"seen with {text} here\n" for number, text in enumerate(ESCAPED)}
    texts |= {f"n{number}.csv": f'id;note\nabelo;"{text}"\n' for number, text in enumerate(ESCAPED)}
    assert release.rules_by_file({name: text.encode() for name, text in texts.items()}) == {name: {"private-string"} for name in texts}


def test_escapes_without_a_name_are_no_fault(release):
    assert written(release, "notes.md", "100 % of \\\\ & \\u12 &amp; %zz C:\\user\n") == set()
    assert unescaped("plain") == "plain"
    assert unescaped("\\ud83d\\ude00") == "\N{GRINNING FACE}"
    assert fold("a\u200bb\u00ad") == "ab"


def test_json_in_a_json_text_is_read(release):
    assert written(release, "more.json", json.dumps({"a": json.dumps({"note": "Grünwaldner"})})) == {"private-string"}
    assert written(release, "more.json", json.dumps({"a": json.dumps([{"patient": 3}])})) == {"private-column"}
    assert written(release, "more.json", json.dumps({"a": "[no JSON"})) == set()


def test_a_key_that_stands_twice_is_refused(release):
    assert written(release, "more.json", '{"a": "Li Wei", "a": "x"}') >= {"unreadable"}


# --- honest releases


def private_of(names: dict[str, list[str]], words: object = ()) -> private_strings.Private:
    """The toy study with other names in some columns."""
    table = recordings().head(0)
    rows = pd.DataFrame({column: pd.Series(values) for column, values in names.items()})
    return private_strings.of_tables([pd.concat([table, rows])], IDS, public_words(public_tables(()), PARAMS, ["cholect50"], [TASK, words]))


def numbered(release, first: int) -> None:
    """Give the frames of the release other numbers, in its tables as well."""
    videos, frames = [], []
    for video in release.plan.videos:
        stills = []
        for still in reversed(video.stills):
            path = Path(still.path)
            name = path.with_name(f"{int(path.stem) + first:06d}.jpg").as_posix()
            shutil.move(release.path(still.path), release.path(name))
            stills.insert(0, replace(still, path=name, file=name))
        videos.append(replace(video, stills=tuple(stills)))
        frames += stills
    release.plan = replace(release.plan, videos=tuple(videos))
    listed = "".join(f"{frame.path}\n" for frame in frames)
    release.path("listed.txt").write_text(listed)
    release.path("tables/frames.parquet").unlink()
    release.path("listed.json").write_text(json.dumps({"images": [{"file_name": frame.path} for frame in frames]}))
    for frame in frames:  # and the labels beside
        label = release.path("groundtruth/cholect50/yolo") / Path(frame.path).with_suffix(".txt")
        label.parent.mkdir(parents=True, exist_ok=True)
        label.write_text("0 0.500000 0.500000 0.250000 0.250000\n")
    folders = sorted({f"cholect50/yolo/{Path(frame.path).parent.as_posix()}" for frame in frames})
    release.path("groundtruth/cholect50/yolo.txt").write_text("".join(f"./{frame.path}\n" for frame in frames))
    release.path("groundtruth/manifest.json").write_text(
        json.dumps({"folders": {name: {"count": 1, "sha256": "0" * 64} for name in folders}})
    )


@pytest.mark.cases(2)
@pytest.mark.parametrize("first", [0, 1, 10_203, 170_422])
def test_recordings_named_by_numbers_do_not_collide_with_frames(release, first):
    names = [f"{first + number:06d}" for number in range(4)]
    release.private = private_of({"path": [f"videos/{name}.mp4" for name in names], "recording": names})
    numbered(release, first)
    release.seal()
    assert release.findings() == []
    assert written(release, "notes.md", f"seen in {names[1]} here\n") == {"private-string"}


def test_numbers_that_count_up_give_no_dates():
    counting = [f"videos/{number:06d}.mp4" for number in range(10_190, 10_330)]
    assert dates.of_names(counting) == frozenset()
    days = [f"videos/{day:02d}0423.mp4" for day in range(1, 31)]
    assert len(dates.of_names(days)) >= 30
    assert dates.of_names([*counting, "videos/170423 left.mp4"]) == dates.dates_in("170423")
    assert dates.of_names(["x_170423_000001", "x_180423_000002"]) == dates.dates_in("170423 180423")


WORDS = ["Mark", "King", "Test", "Train", "Size", "List", "CC", "Frame", "Score", "Padding", "License", "Shape", "Schema", "Area", "Val"]


def ground_truth(folder: Path) -> None:
    """What the ground truth of a study says, as its own stage writes it."""
    words = load("cholect50")
    folder.mkdir()
    found = [detection.BoxedFrames(IDS[0], [0], [[(0, 0, (0.1, 0.1, 0.2, 0.2))]], 0, [False])]
    images = pd.DataFrame(
        {"id": [IDS[0]], "frame": [0], "path": [f"frames/{TASK}/mono/{IDS[0]}/000000.jpg"], "width": [96], "height": [64]}
    )
    stamped = groundtruth.Stamps(
        {name: hashlib.sha256(name.encode()).hexdigest() for name in frozenset[str]().union(*groundtruth.INPUTS.values())}
    )
    subset = groundtruth.Subset("balanced", 0, "train")
    info = {"description": "COCO", "version": words.version, "stamp": stamped.of("coco", words, subset)}
    (folder / "coco.json").write_text(json.dumps({"info": info, **detection.coco(words, found, images)}))
    pixels = objects.Mask(counts.text_of_runs([0, 96 * 64]), 96, 64)
    drawn = objects.Instance(0, 0, (0.1, 0.1, 0.2, 0.2), pixels, (Point("tip", 0.2, 0.2, 2),), {"track": 1})
    seen = objects.Objects(IDS[0], words, {0: (drawn,)}, frozenset(), {0: Blackened([(0, 0, 9, 9)], 96, 64)})
    for kind, coco in (("masks", objects.masks_coco), ("points", objects.points_coco)):
        (folder / f"{kind}.json").write_text(json.dumps({"info": info, **coco(words, [seen], images)}))
    for name, text in objects.track_files(seen, "track", (96, 64)).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / f"{IDS[0]}.json").write_text(json.dumps({**detection.layouts(found[0], words), "stamp": stamped.of("detection", words)}))
    for kind in groundtruth.INPUTS:
        told = {"stamp": stamped.of(kind, words), "files": {"data.yaml": "0" * 64}, "folders": {"frames": {"count": 1, "sha256": "0" * 64}}}
        (folder / f"{kind}{groundtruth.SIDECAR}").write_text(json.dumps(told))
    (folder / groundtruth.LIST).write_text(json.dumps({"recordings": {IDS[0]: {"files": {"data.yaml": "0" * 64}, "folders": {}}}}))
    (folder / "data.yaml").write_text(detection.names(words))
    (folder / "README.md").write_text(groundtruth.readme(), encoding="utf-8")
    facts = {"recognition_frames": 3, "detection_frames_left_out": None, "mask_frames": 1, "point_frames": 1, "track_frames": 1}
    of_ids = {id_: facts | {"mark_frames": 1, "mark_frames_left_out": 1} for id_ in IDS}
    (folder / "manifest.json").write_text(json.dumps(groundtruth.manifest(folder, stamped.inputs, [words], of_ids, Fraction(1))))


def test_people_called_like_the_words_of_a_release_do_not_stop_it(release):
    splits = pd.DataFrame({"scheme": "balanced", "fold": 0, "subset": ["train", "test", "val", "train"], "id": IDS})
    release.private = private_of({"participant": WORDS}, subsets(splits))
    ground_truth(release.path("groundtruth"))
    splits.rename(columns={"subset": "split"})[["id", "split"]].to_csv(release.path("splits.csv"), index=False)
    release.seal()
    assert [str(finding) for finding in release.findings()] == []


def test_every_word_of_the_ground_truth_and_its_keys_is_public(tmp_path):
    public = folded_words(public_words(public_tables(()), PARAMS, ["cholect50"], [TASK, "balanced", "train"]))
    ground_truth(tmp_path / "groundtruth")

    def texts(value: object) -> list[str]:
        if isinstance(value, dict):
            # The audit reads run lengths as masks, not as words.
            return [*value, *(text for key, child in value.items() if key != "counts" for text in texts(child))]
        return [text for child in value for text in texts(child)] if isinstance(value, list) else [value] if isinstance(value, str) else []

    found = {text for path in (tmp_path / "groundtruth").glob("*.json") for text in texts(json.loads(path.read_text())) if "/" not in text}
    hashes = {text for text in found if len(text) == 64}
    files = {path.name for path in (tmp_path / "groundtruth").iterdir()}
    assert folded_words(list(found - hashes - files - set(IDS))) <= public
    assert folded_words((tmp_path / "groundtruth/README.md").read_text()) <= public


def test_a_person_with_another_name_is_still_found(release):
    release.private = private_of({"participant": [*WORDS, "Markward"]})
    assert written(release, "notes.md", "seen with Markward here\n") == {"private-string"}


def test_the_plan_takes_columns_that_stand_in_no_table(release):
    assert written(release, "more.csv", "id;needle_at_wrong_site\nabelo;True\n") == {"private-column"}
    release.plan = replace(release.plan, columns=frozenset({"needle_at_wrong_site"}))
    assert release.rules() == set()
    assert plan.Plan(columns=frozenset({"a"})).public.columns == {"a"}


# --- in another code


def test_a_name_is_found_in_base64_in_hexadecimal_and_letter_by_letter(release):
    name = "Grünwaldner"
    texts = {
        "base64.txt": base64.b64encode(name.encode()).decode(),
        "link.txt": base64.urlsafe_b64encode(f"?? {name} of the clinic".encode()).decode().rstrip("="),
        "hexadecimal.json": json.dumps({"note": name.encode().hex()}),
        "capitals.txt": f"key={name.encode().hex().upper()};",
        "spaced.md": " ".join(name),
        "dotted.csv": f"id,note\nabelo,{'.'.join(name)}\n",
    }
    files = {file: text.encode() for file, text in texts.items()}
    assert release.rules_by_file(files) == {file: {"private-string"} for file in files}


def test_digests_paths_and_bytes_in_base64_say_nothing(release):
    digests = [hashlib.sha256(bytes([number])).hexdigest() for number in range(50)]
    packed = [base64.b64encode(hashlib.sha512(bytes([number])).digest()).decode() for number in range(50)]
    text = "\n".join([*digests, *packed, "videos/PegTransfer/mono/abelo/borunga", "x y w h", "a-b-c-d"])
    assert written(release, "notes.txt", text) == set()


def test_a_date_is_seen_in_a_number_below_0():
    (text,) = spelling.text_of("a table", [-20230417, 1.5], day=False)
    assert "20230417" in text.text
