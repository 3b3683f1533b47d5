"""Label maps as an option of a source: classes by every spelling, counts before and after, and the table in the report."""

import json

import pandas as pd
import pytest

from label_examples import EXAMPLES, read_files, shape
from scrubin.base.errors import AnnotationError, ParamsError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import label_map
from scrubin.labels.files import reader
from scrubin.labels.model import IDS, SOURCE_FRAMES, Labels
from scrubin.stages.annotations import sources
from scrubin.stages.annotations.params import SourceParams

WORDS = vocabulary.load("prostatd")
HEADER = ",".join(label_map.COLUMNS)
FAT = "scissors,dissect,fat,scissors,dissect,fascias"


def parsed(*rows):
    return label_map.parse("m.csv", "\n".join([HEADER, *rows]).encode())


def test_the_published_examples_are_those_of_section_a4():
    # The paper merges "scissors,dissect,lymph node" and "scissors,dissect,fat" into "scissors,dissect,fascia".
    published = label_map.within(label_map.load("prostatd"), WORDS)
    assert len(published.merges) == 2
    for target in ("lymph node", "fat"):
        assert WORDS.triplet_of(",".join(published.merged(("scissors", "dissect", target)))) == WORDS.triplet_of("scissors,dissect,fascia")
    assert published.merged(("scissors", "dissect", "fascia")) == ("scissors", "dissect", "fascia")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ["needle driver,cut,fat,scissors,cut,prostate", "driver,cut,Fat,scissors,cut,bladder"],
            "'needle driver,cut,fat' and 'driver,cut,Fat' are the same class, which is merged twice; keep one of the rows",
        ),
        (
            [FAT, "scissors,dissect,fascia,scissors,dissect,prostate"],
            "'scissors,dissect,fat' is merged into 'scissors,dissect,fascias', which is merged itself; merge both into the last one",
        ),
        (
            ["scissors,dissect,fascia,scissors,dissect,fascias"],
            "is merged into itself, as 'scissors,dissect,fascias' is another spelling of it; remove the row",
        ),
        (["scissors,cut,vesicle,scissors,cut,prostate", "scissors,cut,prostate,scissors,cut,seminal vesicle"], "which is merged itself"),
        (["scissors,dissect,fat,scissors,suck,prostate"], "'scissors,suck,prostate' is no triplet of the vocabulary 'prostatd'"),
    ],
)
def test_no_class_is_merged_twice_in_any_spelling(rows, message):
    with pytest.raises(AnnotationError, match=message):
        label_map.within(parsed(*rows), WORDS)


def test_every_known_spelling_of_a_class_is_merged():
    mapped = label_map.within(parsed("needle driver,cut,fat,scissors,cut,prostate"), WORDS)
    for name in ("needle driver", "Driver", "needle_driver"):
        assert mapped.merged((name, "CUT", "fat")) == ("scissors", "cut", "prostate")
    assert mapped.merged(("grasper", "cut", "fat")) == ("grasper", "cut", "fat")


def test_a_map_that_merges_twice_only_in_the_words_of_the_file_is_refused_there():
    labels = Labels("v1", "yolo", WORDS, SOURCE_FRAMES)
    rows = pd.DataFrame([(*WORDS.triplets[20], 20)], columns=list(IDS), dtype="Int64")
    twice = parsed("scissors,dissect,fascia,scissors,dissect,prostate", "scissors,dissect,fascias,scissors,dissect,bladder")
    with pytest.raises(AnnotationError, match="merged twice, in another spelling"):
        reader.merged(labels, rows, twice)
    chain = parsed("scissors,dissect,fascia,scissors,cut,vesicle", "scissors,cut,seminal vesicle,scissors,dissect,bladder")
    with pytest.raises(AnnotationError, match="'scissors,cut,seminal vesicle' is merged, and others are merged into it"):
        reader.merged(labels, rows, chain)


@pytest.fixture
def raw(tmp_path):
    corners = [[10, 20], [60, 70]]
    shapes = [shape("scissors", "dissect", name, corners) for name in ("lymph node", "fat", "fat", "fascia", "prostate")]
    folder = tmp_path / "annotations" / "labelme" / "case one"
    folder.mkdir(parents=True)
    (folder / "000000.json").write_text(json.dumps({"shapes": shapes, "imageWidth": 100, "imageHeight": 200}))
    return tmp_path


def found(raw, source):
    faults = Faults()
    batches = sources.find(raw, (source,), {"case one"}, faults)
    AnnotationError.raise_any(faults)
    done = [(batch, sources.read(raw, 0.02, batch)) for batch in batches]
    for _, outcome in done:
        if isinstance(outcome, AnnotationError):
            raise outcome
    return done, sources.merges(raw, (source,), done)


def test_the_report_has_what_was_merged_with_its_counts(raw):
    done, reported = found(raw, SourceParams("labelme", "annotations/labelme", "prostatd", "prostatd"))
    assert len(done[0][1].instances.rows) == 5
    (entry,) = reported
    assert entry["source"].startswith("ProstaTD, Chen et al., section A.4")
    assert (entry["map"], entry["instances"], entry["merged_instances"]) == ("prostatd", 5, 3)
    assert entry["merged"] == [
        {"from": "scissors,dissect,fat", "to": "scissors,dissect,fascias", "instances": 2},
        {"from": "scissors,dissect,lymph node", "to": "scissors,dissect,fascias", "instances": 1},
    ]


def test_without_a_map_nothing_is_merged_or_reported(raw):
    with pytest.raises(AnnotationError, match="merge it by a label map"):
        found(raw, SourceParams("labelme", "annotations/labelme", "prostatd"))
    assert sources.merges(raw, (SourceParams("labelme", "annotations/labelme", "prostatd"),), []) == []


def test_formats_that_number_their_triplets_are_merged_too(tmp_path, make):
    folder = tmp_path / "annotations" / "cholect50"
    folder.mkdir(parents=True)
    (folder / "case one.json").write_bytes(make.cholect50({"0": [make.vector(17), make.vector(60)], "1": [make.vector(17)]}))
    words = vocabulary.load("cholect50")
    (tmp_path / "annotations" / "merges.csv").write_text(
        f"# source: made up\n{HEADER}\n{words.triplet_name(17)},{words.triplet_name(12)}\n"
    )
    source = SourceParams("cholect50", "annotations/cholect50", "cholect50", "annotations/merges.csv")
    done, reported = found(tmp_path, source)
    assert done[0][1].instances.rows[list(IDS)].to_numpy().tolist() == [[*words.triplets[number], number] for number in (12, 60, 12)]
    assert (reported[0]["map"], reported[0]["merged_instances"]) == ("annotations/merges.csv", 2)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("prostat", r"label_map 'prostat' must be prostatd, or a CSV file inside 'annotations/'"),
        ("../merges.csv", r"must be prostatd, or a CSV file inside 'annotations/'"),
        ("annotations/none.csv", r"label_map of 'annotations/labelme': .*no such label map"),
        ("annotations/chain.csv", r"label_map of 'annotations/labelme': .*which is merged itself"),
    ],
)
def test_a_map_that_is_not_there_or_faulty_is_an_error_of_params(raw, name, message):
    chain = [FAT, "scissors,dissect,fascia,scissors,dissect,prostate"]
    (raw / "annotations" / "chain.csv").write_text("\n".join([HEADER, *chain]))
    with pytest.raises(ParamsError, match=message):
        found(raw, SourceParams("labelme", "annotations/labelme", "prostatd", name))


def test_a_folder_of_maps_is_no_stray(raw):
    (raw / "annotations" / "maps").mkdir()
    (raw / "annotations" / "maps" / "m.csv").write_text(f"{HEADER}\n{FAT}\nscissors,dissect,lymph node,scissors,dissect,fascias\n")
    done, _ = found(raw, SourceParams("labelme", "annotations/labelme", "prostatd", "annotations/maps/m.csv"))
    assert len(done) == 1


def test_by_hand_a_map_knows_the_spellings_of_the_formats_own_vocabulary():
    (labels,) = read_files("labelme", EXAMPLES["labelme"], label_map=parsed("scissors,dissect,fascia,scissors,dissect,prostate")).recordings
    assert sum(labels.merged.values()) == 2
