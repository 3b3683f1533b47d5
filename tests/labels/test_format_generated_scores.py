"""Spans, subsets and scores in files made as the data sets describe theirs, independently of our writers."""

import io
import itertools
import json
import random
import re
import zipfile

import pytest

from each import each
from fault_lines import sentences
from label_examples import read_files, write_files
from label_makers import lines, spelled
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.labels.files import detect
from scrubin.labels.parse import sheet_xml, workbook
from scrubin.labels.parse.fields import Where

SEEDS = range(5)
PHASES140 = ["preparation", "gastric_pouch_creation", "omentum_division", "gastrojejunal_anastomosis", "anastomosis_test"]
ASPECTS = ["depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling"]
OSATS = ["RESPECT", "MOTION", "INSTRUMENT", "SUTURE", "FLOW", "KNOWLEDGE", "PERFORMANCE", "FINAL"]
AIX = ["STUDENT", "GROUP", "TIME", "VIDEO", "INVESTIGATOR", "SUTURES", *(f"OSATS_{name}" for name in OSATS), "GLOBA_RATING_SCORE"]


def rewritten(name, collection):
    return read_files(name, {f"out/{file}": data for file, data in write_files(name, collection).files.items()})


@pytest.mark.parametrize("seed", SEEDS)
def test_milliseconds_of_phases_and_steps_come_through(seed):
    rng = random.Random(seed)
    files, expected = {}, {}
    for k in range(rng.randint(1, 6)):
        cuts = sorted(rng.sample(range(1, 5_000_000), 8))
        spans = [(a, b, rng.randrange(5)) for a, b in zip([0, *cuts], cuts, strict=False)]
        document = {"phases": [{"start": a, "end": b, "label_name": PHASES140[i], "label_id": i} for a, b, i in spans]}
        document["phases"].insert(3, {"start": cuts[0], "end": cuts[0] + 9, "label_name": "out_of_body", "label_id": 12})
        if rng.random() < 0.5:
            document["steps"] = [{"label_id": 0, "label_name": "s0_null_step", "start": 0, "end": 77}]
        files[f"labels/BBP{k:02d}.mp4.json"] = spelled(rng, document)
        expected[f"BBP{k:02d}"] = [
            (kind, one["start"], one["end"], one["label_id"]) for kind in ("phase", "step") for one in document.get(f"{kind}s", [])
        ]
    found = read_files("multibypass140", files)
    for collection in (found, rewritten("multibypass140", found)):
        assert {one.recording: list(one.segments.itertuples(index=False, name=None)) for one in collection.recordings} == expected


def test_steps_alone_are_read_and_neither_is_refused():
    step = {"start": 0, "end": 9, "label_name": "s0_null_step", "label_id": 0}
    (labels,) = read_files("multibypass140", {"a.mp4.json": json.dumps({"steps": [step]}).encode()}).recordings
    assert labels.segments["kind"].tolist() == ["step"]
    with pytest.raises(AnnotationError, match=r"a\.mp4\.json: it has neither phases nor steps; give a list of either"):
        read_files("multibypass140", {"a.mp4.json": b'{"phase": []}'})


@pytest.mark.cases(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_endoscapes_criteria_boxes_and_lists_come_through(seed):
    rng = random.Random(seed)
    names = ["cystic_plate", "calot_triangle", "cystic_artery", "cystic_duct", "gallbladder", "tool"]
    files, expected = {}, {}
    videos = rng.sample(range(1, 202), 6)
    for subset, of in {"train": videos[:3], "val": videos[3:4], "test": videos[4:]}.items():
        images, annotations = [], []
        for video in of:
            for frame in sorted(rng.sample(range(25, 40_000, 25), rng.randint(1, 4))):
                ds = [rng.choice([0.0, 1 / 3, 2 / 3, 1.0]) for _ in range(3)]
                images.append({"id": len(images), "file_name": f"{video}_{frame}.jpg", "width": 854, "height": 480, "ds": ds})
                boxes = [
                    [rng.randint(0, 400), rng.randint(0, 200), rng.randint(1, 400), rng.randint(1, 200)] for _ in range(rng.randint(0, 3))
                ]
                classes = [rng.randrange(6) for _ in boxes]
                for k, (bbox, one) in enumerate(zip(boxes, classes, strict=True)):
                    ids = {"id": 100 * len(images) + k, "image_id": images[-1]["id"], "category_id": one + 1}
                    annotations.append({**ids, "bbox": bbox, "area": bbox[2] * bbox[3], "iscrowd": 0, "segmentation": []})
                expected[str(video), frame] = (ds, sorted(classes))
        categories = [{"id": i + 1, "name": name, "supercategory": name} for i, name in enumerate(names)]
        files[f"endoscapes/{subset}/annotation_coco.json"] = spelled(
            rng, {"images": images, "annotations": annotations, "categories": categories}
        )
        files[f"endoscapes/{subset}_vids.txt"] = lines(rng, [f"{video:.18e}" for video in of])
    found = read_files("endoscapes", files)
    assert found.faults == ()
    for collection in (found, rewritten("endoscapes", found)):
        said = {}
        for labels in collection.recordings:
            rows, criteria = labels.instances.rows, labels.marks.rows
            for frame in labels.frames["position"]:
                classes = sorted(rows.loc[rows["position"] == frame, "instrument_id"].tolist())
                said[labels.recording, frame] = (criteria.loc[criteria["position"] == frame, "value"].tolist(), classes)
        assert said == expected


def test_a_listed_video_without_images_is_told():
    image = {"id": 0, "file_name": "7_25.jpg", "width": 10, "height": 10}
    document = {"images": [image], "annotations": [], "categories": [{"id": 1, "name": "tool"}]}
    files = {"e/val/annotation_coco.json": json.dumps(document).encode(), "e/val_vids.txt": b"7.0e+00\n8.0e+00\n"}
    assert sentences(read_files("endoscapes", files).faults) == ("val_vids.txt: 1 videos have no labelled image: 8",)


@pytest.mark.parametrize("seed", SEEDS)
def test_irregular_tabs_of_jigsaws_are_read(seed):
    rng = random.Random(seed)
    files, expected, spans = {}, {}, {}
    for task in rng.sample(["Knot_Tying", "Suturing", "Needle_Passing"], 2):
        rows = []
        for k in range(1, rng.randint(2, 6)):
            items = [rng.randint(1, 5) for _ in range(6)]
            cells = [f"{task}_B{k:03d}", rng.choice("NIE"), str(sum(items)), *map(str, items)]
            rows.append("".join(cell + rng.choice(["\t", "\t\t", " \t"]) for cell in cells[:-1]) + cells[-1] + rng.choice(["", "\t"]))
            expected[cells[0]] = (task, cells[1], [sum(items), *items])
            starts = sorted(rng.sample(range(1, 3000), 4))
            spans[cells[0]] = [(a, b - 1, rng.randint(1, 15)) for a, b in itertools.pairwise(starts)]
            files[f"{task}/transcriptions/{cells[0]}.txt"] = lines(rng, [f"{a} {b} G{g} " for a, b, g in spans[cells[0]]])
        files[f"{task}/meta_file_{task}.txt"] = lines(rng, [*rows, ""])
    found = read_files("jigsaws", files)
    for collection in (found, rewritten("jigsaws", found)):
        ratings, levels = collection.scores.ratings, collection.scores.facts.set_index("id")
        said = {id_: (of["task"].iloc[0], levels.loc[id_, "skill_level"], of["score"].tolist()) for id_, of in ratings.groupby("id")}
        assert said == expected
        rows = {one.recording: one.segments for one in collection.recordings}
        assert {id_: [(a, b - 1, g + 1) for _, a, b, g in of.itertuples(index=False)] for id_, of in rows.items()} == spans


@pytest.mark.cases(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_sheets_of_lasana_come_through_and_an_id_may_stand_in_two_tasks(seed):
    rng = random.Random(seed)
    files, expected = {}, {}
    for task in ("PegTransfer", "CircleCutting", "BalloonResection", "SutureAndKnot")[: rng.randint(2, 4)]:
        ids = ["same", *(f"id{rng.randrange(10**6)}" for _ in range(5))]
        for rater in range(4):
            rows = []
            for id_ in ids:
                failed = rng.random() < 0.2
                points = [None] * 5 if failed else [rng.choice([*range(1, 6), 2.5]) for _ in ASPECTS] + [rng.randint(4, 20)]
                expected[task, id_, str(rater)] = points
                rows.append(";".join([id_, str(rater), *("" if one is None else f"{one:g}" for one in points)]))
            files[f"Annotation/{task}_rater{rater}.csv"] = lines(rng, [";".join(["id", "rater", *ASPECTS, "GRS"]), *rows])
        files[f"Annotation/{task}_split.csv"] = lines(rng, ["id;split", *(f"{id_};{rng.choice(['train', 'val', 'test'])}" for id_ in ids)])
    found = read_files("lasana", files)
    for collection in (found, rewritten("lasana", found)):
        said = {}
        for key, of in collection.scores.ratings.groupby(["task", "id", "rater"]):
            points = of.set_index("aspect")["score"].astype(object)
            said[key] = [None if points[name] != points[name] else points[name] for name in (*ASPECTS, "GRS")]
        assert said == expected


def as_excel(rows, *, prefix="", sheets=1):
    """Return a workbook as Excel saves it: shared texts, styles, empty cells left out, the sheet not the first file."""
    texts, body = [], []
    for number, row in enumerate(rows, start=1):
        cells = ""
        for i, value in enumerate(row):
            place = f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i]}{number}"
            if isinstance(value, str) and value:
                texts.append(value)
                cells += f'<c r="{place}" s="1" t="s"><v>{len(texts) - 1}</v></c>'
            elif isinstance(value, (int, float)):
                cells += f'<c r="{place}"><v>{value}</v></c>'
        body.append(f'<row r="{number}" spans="1:15">{cells}</row>')
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    listed = "".join(f'<sheet name="T{i}" sheetId="{9 - i}" r:id="rId{9 - i}"/>' for i in range(sheets))
    shared = "".join(f"<si><r><t>{text[:1]}</t></r><r><t>{text[1:]}</t></r></si>" for text in texts)
    parts = {
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData/></worksheet>",
        "xl/worksheets/sheet5.xml": f"<worksheet {main}><sheetData>{''.join(body)}</sheetData></worksheet>",
        "xl/sharedStrings.xml": f"<sst {main}>{shared}</sst>",
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{office}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId9" Type="{office}/worksheet" Target="{prefix}worksheets/sheet5.xml"/>'
        f'<Relationship Id="rId8" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    }
    return zipped(parts)


def zipped(parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return buffer.getvalue()


TIMES = ["initial_minute", "initial_second", "final_minute", "final_second"]
CRITERIA = ["video", *TIMES, "two_structures", "cystic_plate", "hepatocystic_triangle"]
ROW = ["S", "G", "T", "V", "R", 1, *[3] * 8, 24]
BROKEN = '<c r="A1"><v>1e400</v></c>'
RELATIONS_OF_ONE = (
    f'<Relationships xmlns="{sheet_xml.RELATIONS[1:-1]}"><Relationship Id="r0" Type="worksheet" Target="/xl/s0.xml"/></Relationships>'
)
STRICT_BOOK = f'<workbook xmlns="{sheet_xml.STRICT[1:-1]}"/>'
FORMULAS = [f"=Raw!{column}4" for column in "ABCDEFGHIJKLMNO"]


def as_people_do(*sheets, hidden=()):
    """Return a workbook of sheets by name, as openpyxl makes it, which stores no value of a formula."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    states = [(name, "hidden" if name in hidden else "visible") for name, *_ in sheets]
    listed = "".join(f'<sheet name="{name}" sheetId="{i}" state="{state}" r:id="r{i}"/>' for i, (name, state) in enumerate(states))
    targets = "".join(f'<Relationship Id="r{i}" Type="{office}/worksheet" Target="/xl/s{i}.xml"/>' for i in range(len(sheets)))
    parts = {
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{office}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{sheet_xml.RELATIONS[1:-1]}">{targets}</Relationships>',
    }
    for i, (_, rows, *merged) in enumerate(sheets):
        body = "".join(
            f'<row r="{r}">{"".join(map(a_cell, row, itertools.repeat(r), itertools.count()))}</row>' for r, row in enumerate(rows, 1)
        )
        cells = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
        parts[f"xl/s{i}.xml"] = f"<worksheet {main}><sheetData>{body}</sheetData><mergeCells>{cells}</mergeCells></worksheet>"
        for corner, *others in (one.split(":") for one in merged):
            first, last = (sheet_xml.CELL.fullmatch(one) for one in (corner, *others))
            for r in range(int(first[2]), int(last[2]) + 1):
                for letter in range(ord(first[1]), ord(last[1]) + 1):
                    place = f"{chr(letter)}{r}"
                    if place != corner:  # programs empty what they merge
                        parts[f"xl/s{i}.xml"] = re.sub(rf'<c r="{place}".*?</c>', f'<c r="{place}" s="1"/>', parts[f"xl/s{i}.xml"])
    return {"OSATS.xlsx": zipped(parts)}


def a_cell(value, row, column):
    place = f"{chr(ord('A') + column)}{row}"
    if value is None:
        return f'<c r="{place}" s="1"></c>'
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{value:d}</v></c>'
    if isinstance(value, str) and value.startswith("="):
        return f'<c r="{place}"><f>{value[1:]}</f><v></v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>' if isinstance(value, str) else f'<c r="{place}"><v>{value}</v></c>'


def refused(files):
    return "\n".join(errors_of("aixsuture", files))


WRONG = [*ROW[:6], "x", *ROW[7:]]
TWO = [AIX, ROW, [*ROW[:4], "Q", *ROW[5:]]]
MERGED = "and only that has the value; split the cells, and fill in each"
NAMELESS = "has values and no name; name each column, also where cells are merged, or remove it"
REFUSED = [
    (
        "row 2: GLOBA_RATING_SCORE is a formula without a stored value; open the workbook in a spreadsheet program and save it",
        [("One", [AIX, [*ROW[:-1], "=SUM(G2:N2)"]])],
    ),
    (f"row 3: OSATS_RESPECT is merged with G2, {MERGED}", [("One", TWO, "G2:G3")]),
    (f"row 2: OSATS_MOTION is merged with G2, {MERGED}", [("One", TWO, "G2:H2")]),
    (f"row 3: INVESTIGATOR is merged with E2, {MERGED}", [("One", TWO, "E2:E3")]),
    ("sheet 'Ratings', row 2: OSATS_RESPECT is 'x'; give points, or leave it empty", [("Notes", [["of May"]]), ("Ratings", [AIX, WRONG])]),
    ("row 2: OSATS_RESPECT is 'TRUE'; give points, or leave it empty", [("One", [AIX, [*ROW[:6], True, *ROW[7:]]])]),
    ("row 2: GLOBA_RATING_SCORE is '1,234': a decimal separator, or one of thousands?", [("One", [AIX, [*ROW[:-1], "1,234"]])]),
    ("row 3: VIDEO or INVESTIGATOR is empty; name both", [("One", [AIX, ROW, ["Rated in May", *[None] * 14]], "A3:O5")]),
    ("row 3: video 'V' was already rated by 'R'; keep one of the rows", [("One", [AIX, ROW, ROW])]),
    ("row 1: column VIDEO, NOTE stands twice; rename or remove one", [("One", [[*AIX, "VIDEO", "NOTE", "NOTE"], ROW])]),
    ("row 1: column OSATS_... missing; expected STUDENT", [("One", [[*AIX[:6], AIX[-1]], ROW[:7]])]),
    ("sheet 'Ratings', row 1: column STUDENT missing", [("Notes", [["of May"]]), ("Ratings", [AIX[1:], ROW[1:]])]),
    (f"row 1: column H {NAMELESS}", [("One", [[*AIX[:7], None, *AIX[7:]], [*ROW[:7], 4, *ROW[7:]]])]),
    (f"row 1: column P {NAMELESS}", [("One", [[*AIX, None], [*ROW, 4]], "O1:P1")]),
    (f"row 1: column P {NAMELESS}", [("One", [[*AIX, "=A1"], [*ROW, 4]])]),
    (f"row 1: column H {NAMELESS}", [("One", [[*AIX[:7], "=A1", *AIX[7:]], [*ROW[:7], 4, *ROW[7:]]])]),
]


@each("told, sheets", REFUSED, say=lambda told, sheets: told)
def test_what_a_sheet_of_ratings_cannot_say_is_one_fault_with_its_place_and_mend(told, sheets):
    said = refused(as_people_do(*sheets))
    assert f"OSATS.xlsx, {told}" in said
    assert "\n" not in said


def test_a_footnote_over_columns_of_points_is_one_fault():
    said = refused(as_people_do(("One", [AIX, ROW, ["Note:", "Rated in May", *[None] * 13]], "B3:O3")))
    assert said.startswith("OSATS.xlsx, row 3: VIDEO, INVESTIGATOR, OSATS_")
    assert said.count("only that has the value") == 1


@each("rows", [TWO[::2], [AIX, FORMULAS]])
@each("hidden", [(), ("One",), ("Two",)])
def test_a_second_sheet_of_ratings_is_an_error_whether_it_is_hidden_or_the_first(rows, hidden):
    said = refused(as_people_do(("One", [AIX, ROW]), ("Two", rows), hidden=hidden))
    assert said == "OSATS.xlsx, sheet 'Two': it has the columns of sheet 'One', too; put all rows into one of them, and remove the other"


def test_of_a_workbook_without_a_cell_and_of_a_strict_one_it_is_said_as_such():
    assert "OSATS.xlsx: no sheet has a cell" in refused(as_people_do(("Empty", [])))
    said = refused(with_other(STRICT_BOOK, "xl/workbook.xml"))
    assert said == "OSATS.xlsx: it is saved as Strict Open XML; save it as Excel workbook (.xlsx)"


def test_a_merged_fact_is_told():
    found = read_files("aixsuture", as_people_do(("One", TWO, "A2:A3")))
    assert "row 3: STUDENT is merged with A2" in "".join(sentences(found.faults, "warning"))


def test_columns_without_a_name_are_gaps():
    assert scores_of(as_people_do(("One", [[None, None, *one[:3], None, *one[3:]] for one in (AIX, ROW)]))) == [24, *[3] * 8]
    (data,) = as_people_do(("One", [[None, None, *one] for one in (CRITERIA, [1, 0, 0, 0, 0, 1, 1, 1])])).values()
    assert len(read_files("cholec80cvs", {"a.xlsx": data}).recordings) == 1


def scores_of(files, video="V", rater="R"):
    ratings = read_files("aixsuture", files).scores.ratings
    of_row = ratings[(ratings["id"] == video) & (ratings["rater"] == rater)]
    return [None if value != value else value for value in of_row["score"].astype(object)]


def test_the_only_sheet_with_the_columns_is_read_wherever_it_stands_and_others_with_cells_are_named():
    found = read_files("aixsuture", as_people_do(("Notes", [["of May"]]), ("Ratings", [AIX, ROW]), ("Empty", []), ("Template", [AIX])))
    assert found.scores.ratings["score"].tolist() == [24, *[3] * 8]
    assert sentences(found.faults, "warning") == (
        "OSATS.xlsx, sheet 'Notes': it is not read, and has cells; put into one sheet what belongs to it",
        "OSATS.xlsx, sheet 'Template': it is not read, and has cells; put into one sheet what belongs to it",
    )


def test_merged_cells_and_formulas_that_hide_nothing_say_nothing():
    blank = [*ROW[:6], None, *ROW[7:]]
    rows = [[*AIX, "NOTE"], [*blank, "=A1"], [*blank[:4], "Q", *blank[5:], "late"]]
    found = read_files("aixsuture", as_people_do(("One", rows, "G2:G3", "P2:P3", "A5:C9")))
    assert sentences(found.faults, "warning") == ("OSATS.xlsx: not kept: column 'NOTE'",)
    assert scores_of(as_people_do(("One", rows)))[1] is None
    (wide,) = as_people_do(("One", rows, "O2:Z9")).values()  # what is merged may be as wide as a sheet can be
    assert max(column for _, column in workbook.chosen(Where(Faults(), "a"), wide, "aixsuture").unsaid) == len(AIX)


@pytest.mark.parametrize(("one", "other"), [("a1", "A1"), ("v1", "v01")])
def test_recordings_that_the_manifest_tells_apart_are_two(one, other):
    files = as_people_do(("One", [AIX, [*ROW[:3], one, *ROW[4:]], [*ROW[:3], other, *ROW[4:]]]))
    assert scores_of(files, one) == scores_of(files, other) == [24, *[3] * 8]


NAMES_ONLY = [*FORMULAS[:6], *[None] * 8, FORMULAS[-1]]


@pytest.mark.parametrize(
    ("prefilled", "says"),
    [
        ([*[None] * 14, "=SUM(G3:N3)"], ""),
        ([*[None] * 3, "=A3"], "row 3: 2 rows from here on with formulas without a stored value for names, and no points: not read"),
        ([*[None] * 4, "=E2", *[None] * 9, "=SUM(G3:N3)"], "row 3: 2 rows"),
        (NAMES_ONLY, "row 3: 2 rows"),
    ],
)
def test_columns_that_are_prefilled_below_the_data_are_no_rows_and_those_of_names_are_named(prefilled, says):
    files = as_people_do(("One", [AIX, ROW, prefilled, prefilled]), ("Two", [AIX, prefilled]))
    assert scores_of(files)[0] == 24
    told = "\n".join(sentences(read_files("aixsuture", files).faults, "warning"))
    assert says in told
    assert told.count("stored value") == bool(says)


def test_a_prefilled_video_of_criteria_is_no_row():
    (data,) = as_people_do(("One", [CRITERIA, [1, 0, 0, 0, 0, 1, 1, 1], ["=A2"]])).values()
    found = read_files("cholec80cvs", {"a.xlsx": data})
    assert [labels.marks.positions.tolist() for labels in found.recordings] == [[0]]
    assert "a.xlsx, row 3: row with formulas" in "".join(sentences(found.faults, "warning"))


@pytest.mark.parametrize("rows", [[ROW, FORMULAS, [*ROW[:3], "W", *ROW[4:]]], [ROW, FORMULAS], [ROW, [*[None] * 6, "=A1"]]])
def test_a_row_whose_points_are_formulas_without_a_value_is_one_fault(rows):
    said = refused(as_people_do(("One", [AIX, *rows])))
    assert re.fullmatch(
        r"OSATS\.xlsx, row 3: (STUDENT, .*, VIDEO|OSATS_).* (is a formula|are formulas) without a stored value; open .*", said
    )


POINTS = ["3/5.0", "3.0/5.0", "3 of 5", "3 out of 5", "3 (of 5)", "4/5 (2nd)", "3 (2 errors)"]
SCALES = ["1-5", "1=poor", "1 = poor, 5 = good", "1:5", "1/2/3/4/5", "1;2;3", "1|2|3", "1 to 5", "1..5", "1…5", "1~5", "1→5", "1—5", "1−5"]


@pytest.mark.parametrize(
    "title",
    [
        [["Ratings of May"]],
        [["Site", "North"], [], ["", *[None] * 5, "items"]],
        [["VIDEO"]],
        [[f"Line {i}"] for i in range(9)],
        [["Study", "X", "Date", "2024", "Rater", "A"]],
        [[*["of whom"] * 6, *["items"] * 8, "sum"]],
        [["points", *[None] * 5, *[5] * 8, 40]],
        [[*[None] * 3, "Item no.", None, None, *range(1, 9)]],
        [[*[None] * 3, "max. points", None, None, *[5] * 8, 40]],
        [["Study", None, None, "Videos of 2023", "by Rater", *[None] * 9, 2024]],
        [[*[None] * 3, "n videos", None, None, *["=AVERAGE(G3:G9)"] * 8]],
        *([["Scale", "group", "pre/post", "file name", "rater", "number", *[scale] * 8, "sum"]] for scale in SCALES),
    ],
)
def test_what_stands_above_the_header_is_passed_over_and_named(title, tmp_path):
    files = as_people_do(("One", [*title, AIX, ROW]))
    assert scores_of(files) == [24, *[3] * 8]
    (told,) = sentences(read_files("aixsuture", files).faults, "warning")
    count, top = sum(map(bool, title)), len(title) + 1
    which = "it stands" if count == 1 else f"{count} rows from here on stand"
    assert told == f"OSATS.xlsx, row 1: {which} above the header (row {top}): not read; put what belongs to the table below its header"
    (tmp_path / "OSATS.xlsx").write_bytes(*files.values())
    assert detect.detected(tmp_path / "OSATS.xlsx").name == "aixsuture"


OTHER = [*ROW[:3], "W", *ROW[4:]]


@pytest.mark.parametrize(
    ("name", "rows", "wrong"),
    [
        ("aixsuture", [ROW, OTHER, AIX, [*ROW[:3], "X", *ROW[4:]]], [1, 2]),
        ("aixsuture", [[f"{one} " * 2 for one in AIX], ROW, OTHER, [], AIX, [*ROW[:3], "X", *ROW[4:]]], [1, 2, 3]),
        ("aixsuture", [["VIDEO", "INVESTIGATOR", "SCORE"], AIX, ROW], [1]),
        ("cholec80cvs", [[1, 0, 0, 0, 0, 1, 1, 1], CRITERIA, [2, 0, 0, 0, 0, 1, 1, 1]], [1]),
        # With a few cells, of names and points, in a header of many: sorted there, as the header was.
        ("aixsuture", [[*[None] * 3, "W", "R", None, "3,5"], AIX, ROW], [1]),
        ("aixsuture", [[*[None] * 3, "=D4", "R", *[None] * 8, "=G4"], AIX, ROW], [1]),
        # Without a name, or without a number as points.
        ("aixsuture", [[*ROW[:4], None, *ROW[5:]], [*ROW[:3], None, None, *ROW[5:]], AIX, ROW], [1, 2]),
        ("aixsuture", [[*ROW[:6], *["3 points"] * 8], [*ROW[:6], *["-"] * 9], AIX, ROW], [1, 2]),
        ("aixsuture", [[*ROW[:6], *["3/5"] * 8], [*ROW[:6], *["3*", "4 / 5 (late)"] * 4], AIX, ROW], [1, 2]),
        *(("aixsuture", [[*ROW[:6], *[points] * 8], AIX, ROW], [1]) for points in POINTS),
        ("cholec80cvs", [[None, 0, 0, 0, 0, 1, 1, 1], ["video01", 0, 0, 0, 0, 1, 1, 1], CRITERIA, [2, 0, 0, 0, 0, 1, 1, 1]], [1, 2]),
        ("aixsuture", [OTHER, [*AIX, *(f"REMARK {i}" for i in range(40))], ROW], [1]),
    ],
)
def test_rows_of_data_and_another_header_above_the_header_are_errors(name, rows, wrong):
    (data,) = as_people_do(("One", rows)).values()
    said = errors_of(name, {"a.xlsx": data})
    top = next(i for i, row in enumerate(rows, 1) if {"VIDEO", "video"} & set(row) and len(row) > 3)
    what = f"it stands above the header (row {top}), and is like a row of the table; put rows below their header, and remove others"
    assert said == [f"a.xlsx, row {row}: {what}" for row in wrong]


def errors_of(name, files):
    try:
        return list(sentences(read_files(name, files).faults, "error"))
    except AnnotationError as error:
        return [fault.sentence for fault in error.faults]


def test_a_title_too_long_for_the_header_to_be_found_is_told_where_it_must_stand(tmp_path):
    (tmp_path / "OSATS.xlsx").write_bytes(*as_people_do(("One", [*[["a line"]] * 10, AIX, ROW])).values())
    with pytest.raises(AnnotationError, match=r"no row of OSATS\.xlsx is the header of one, in one of the first 10 rows with a value"):
        detect.detected(tmp_path / "OSATS.xlsx")
    assert "GLOBA_RATING_SCORE in one of the first 10 rows with a value" in refused({"a.xlsx": (tmp_path / "OSATS.xlsx").read_bytes()})


def test_rows_that_say_no_number_are_counted_from_the_first():
    rows = broken_at("", AIX, WRONG).replace("<row>", '<row r="4">', 1)
    said = refused(with_other(f"{rows}</sheetData></worksheet>", "xl/s0.xml", (("Ratings", []),)))
    assert said.startswith("OSATS.xlsx, row 5: OSATS_RESPECT is 'x'")


def test_a_cell_that_says_no_place_stands_behind_the_one_before_it():
    points = [1, 2, 3, 4, 5, 1, 2, 3]
    rows = broken_at("", AIX, [*ROW[:5], None, *points, 21])
    said = re.sub('<c r="[H-O]2"', "<c", re.sub('<c r="F2".*?(?=<c r="G2")', "", rows))
    assert "F2" not in said
    assert scores_of(with_other(f"{said}</sheetData></worksheet>", "xl/s0.xml", (("Ratings", []),))) == [21, *points]


def test_a_long_number_above_the_header_takes_no_time():
    digits = "1" * 1000
    assert not errors_of("aixsuture", as_people_do(("Ratings", [[*ROW[:6], *[f"{digits}/{digits}="] * 8], AIX, ROW])))


def test_a_workbook_of_strict_open_xml_beside_labels_is_no_sheet_of_raters(tmp_path):
    (tmp_path / "a.csv").write_text("frame,phase\n0,Preparation\n")
    (tmp_path / "notes.xlsx").write_bytes(*with_other(STRICT_BOOK, "xl/workbook.xml").values())
    assert detect.detected(tmp_path).name == "phase-tables"


def test_a_truth_value_of_a_fact_is_the_number_that_is_stored_and_a_word_stays_one():
    rows = [AIX, ["S", True, "FALSE", *ROW[3:]], ["S", False, "T", "W", *ROW[4:]]]
    facts = read_files("aixsuture", as_people_do(("One", rows))).scores.facts
    assert facts[["group", "time"]].to_numpy().tolist() == [["1", "FALSE"], ["0", "T"]]


def with_other(part, name="xl/s1.xml", sheets=(("Ratings", [AIX, ROW]), ("Own", [["x"]]))):
    """Return a workbook of which one part is these bytes; None: it has none."""
    (data,) = as_people_do(*sheets).values()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {one: archive.read(one) for one in archive.namelist()} | {name: part}
    return {"OSATS.xlsx": zipped({one: data for one, data in parts.items() if data is not None})}


def broken_at(cell, *rows):
    """Return the sheet that has a cell behind rows, and no end."""
    cells = ("".join(map(a_cell, row, itertools.repeat(i), itertools.count())) for i, row in enumerate(rows, 1))
    return f'<worksheet xmlns="{sheet_xml.MAIN[1:-1]}"><sheetData>{"".join(f"<row>{one}</row>" for one in cells)}<row>{cell}</row>'


@each(
    "name, part",
    [
        ("xl/s1.xml", None),
        ("xl/s1.xml", f"<worksheet>{' ' * sheet_xml.LARGEST_BYTES}</worksheet>"),
        ("xl/_rels/workbook.xml.rels", RELATIONS_OF_ONE),
        *(
            ("xl/s1.xml", f"{broken_at(cell)}</sheetData></worksheet>")
            for cell in ('<c r="ALM1"><v>1</v></c>', '<c r="A1"><v>1e400</v></c>', '<c r="A1"><v>abc</v></c>', "<c")
        ),
    ],
    say=lambda name, part: (part or name)[-60:],
)
def test_what_is_wrong_on_a_sheet_that_nobody_reads_is_a_warning(name, part):
    found = read_files("aixsuture", with_other(part, name))
    assert found.scores.ratings["score"].tolist() == [24, *[3] * 8]
    assert "sheet 'Own': it cannot be read; put into one sheet what belongs to it" in "".join(sentences(found.faults, "warning"))


@pytest.mark.parametrize(
    ("part", "name", "sheets"),
    [
        (broken_at(BROKEN, AIX), "xl/s1.xml", (("Template", [AIX]), ("Ratings", []))),
        (broken_at(BROKEN), "xl/s0.xml", (("Ratings", []), ("Notes", [["of May"]]))),
        (broken_at(BROKEN), "xl/s0.xml", (("Ratings", []),)),
    ],
)
def test_a_fault_in_the_sheet_of_ratings_is_one_of_the_workbook(part, name, sheets, tmp_path):
    files = with_other(part, name, sheets)
    assert refused(files).startswith("OSATS.xlsx: not a workbook that can be read; save it as Excel workbook (.xlsx)")
    (tmp_path / "OSATS.xlsx").write_bytes(*files.values())
    assert detect.detected(tmp_path / "OSATS.xlsx").name == "aixsuture"


def test_of_a_sheet_that_is_not_chosen_only_the_first_rows_are_read(monkeypatch):
    files = as_people_do(("Long", [["a", "b"]] * 500), ("Ratings", [AIX, ROW]))
    rows_read = []
    value = sheet_xml._value
    monkeypatch.setattr(sheet_xml, "_value", lambda cell, texts: rows_read.append(cell.attrib["r"]) or value(cell, texts))
    assert scores_of(files)[0] == 24
    assert not {"A11", "A500"} & set(rows_read)


@pytest.mark.parametrize(
    ("name", "sheets"),
    [
        ("aixsuture", (("Notes", [["two_structures"]]), ("Ratings", [AIX, ROW]))),
        ("cholec80cvs", (("Notes", [["VIDEO", "TIME"]]), ("Criteria", [CRITERIA, [1, 0, 0, 0, 9, 1, 1, 1]]))),
        # With a fault, which its reader names.
        ("aixsuture", (("Notes", [["of May"]]), ("Ratings", [AIX[1:], ROW[1:]]))),
        ("cholec80cvs", (("Notes", [["VIDEO", "TIME"]]), ("Criteria", [CRITERIA[:-1], [1, 0, 0, 0, 9, 1, 1]]))),
        ("aixsuture", (("Criteria", [CRITERIA[:-1]]), ("Ratings", [AIX, ROW]))),
        ("aixsuture", (("Ratings", [[*AIX[3:5], *AIX[6:]], [*ROW[3:5], *ROW[6:]]]),)),
        ("aixsuture", (("Ratings", [[AIX[3], *AIX[6:-1]]]),)),
        ("cholec80cvs", (("Criteria", [[CRITERIA[0], *CRITERIA[6:]]]),)),
    ],
)
def test_the_sheet_with_most_columns_decides_what_a_workbook_is_and_words_on_others_do_not(tmp_path, name, sheets):
    path = tmp_path / "table.xlsx"
    path.write_bytes(*as_people_do(*sheets).values())
    assert detect.detected(path).name == name


def test_a_workbook_with_a_whole_sheet_of_each_of_two_formats_could_be_either_and_an_empty_one_of_another_decides_nothing(tmp_path):
    path, row = tmp_path / "table.xlsx", [1, 0, 0, 0, 9, 1, 1, 1]
    path.write_bytes(*as_people_do(("Criteria", [CRITERIA, row]), ("Ratings", [AIX, ROW])).values())
    with pytest.raises(AnnotationError, match="could be aixsuture or cholec80cvs; name the format"):
        detect.detected(path)
    path.write_bytes(*as_people_do(("Criteria", [CRITERIA, row]), ("Template", [AIX])).values())
    assert detect.detected(path).name == "cholec80cvs"


def test_values_of_every_nameless_column_of_criteria_are_one_error():
    rows = [[*CRITERIA[:6], None, CRITERIA[6], None, CRITERIA[7]], [1, 0, 0, 0, 0, 1, 2, 1, "=A2", 1]]
    (data,) = as_people_do(("One", rows, "F1:G1")).values()
    (said,) = errors_of("cholec80cvs", {"a.xlsx": data})
    assert said.startswith("a.xlsx, row 1: columns G, I have values and no name; name each column")


def test_values_without_a_name_before_and_behind_all_columns_are_told():
    files = as_people_do(("One", [[None, *AIX], [0, *ROW, "a remark"]]))
    assert scores_of(files) == [24, *[3] * 8]
    (said,) = sentences(read_files("aixsuture", files).faults, "warning")
    assert said.startswith("OSATS.xlsx, row 1: columns A, Q have values and no name: not read; name each column")


def test_of_two_workbooks_both_are_named():
    (data,) = as_people_do(("One", [AIX, ROW])).values()
    assert refused({"OSATS.xlsx": data, "Book1.xlsx": data}) == "OSATS.xlsx: there is also Book1.xlsx; name the one with the ratings"


@pytest.mark.parametrize("words", [["VIDEO", "TIME", "room"], ["video", "two_structures"], []])
def test_a_workbook_with_few_words_of_a_format_or_without_a_cell_is_of_none(tmp_path, words):
    (tmp_path / "table.xlsx").write_bytes(*as_people_do(("One", [words, ["v", "9:30"][: len(words)]]), ("Two", [words])).values())
    why = r"no row of table\.xlsx is the header of one" if words else r"no sheet of table\.xlsx has a cell"
    with pytest.raises(AnnotationError, match=rf"looks like no format of labels \({why}"):
        detect.detected(tmp_path / "table.xlsx")


def test_texts_of_cells_are_read_as_in_every_table_decimal_commas_and_missing_values():
    rows = [AIX, [*ROW[:6], "3,5", "n/a", "NA", "-", *ROW[10:-1], "24,5"], [*ROW[:3], "W", *ROW[4:6], 3.125, *ROW[7:-1], "1,234"]]
    assert scores_of(as_people_do(("One", rows)))[:5] == [24.5, 3.5, None, None, None]


@pytest.mark.parametrize(
    ("column", "name", "like_it", "in_what"),
    [
        ("VIDEO", "v-1", ("v-1\u200b", "v\u20131"), "dashes, apostrophes, blanks or what"),
        ("INVESTIGATOR", "Meyer", ("mEYER", "Meyer\u200b"), "case, spaces"),
    ],
)
def test_names_that_differ_in_spelling_only_are_an_error_and_a_blank_behind_one_is_none(column, name, like_it, in_what):
    at = AIX.index(column)

    def rows(other):
        return as_people_do(("One", [AIX, [*ROW[:at], name, *ROW[at + 1 :]], ["S2", *ROW[1:at], other, *ROW[at + 1 : -1], None]]))

    for other in like_it:
        assert f"row 3: {column} {other!a} differs from '{name}' in {in_what}" in refused(rows(other))
    assert "was already rated by" in refused(rows(f"{name} "))
    assert read_files("aixsuture", rows(f"{name}er")).scores
    assert f"row 3: {column} is 'a\\nb', which holds a line break; write the name on one line" in refused(rows("a\nb"))
    assert f"row 3: {column} is '#REF!', an error or a formula of a spreadsheet" in refused(rows("#REF!"))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_workbook_saved_by_excel_is_read(seed):
    rng = random.Random(seed)
    rows, expected = [AIX], {}
    for k in range(rng.randint(1, 8)):
        for rater in ("A", "B", "C")[: rng.randint(1, 3)]:
            points = [rng.choice([1, 2, 3, 4, 5, 4.5, None]) for _ in OSATS]
            total = rng.choice([None, rng.randint(5, 40)])
            rows.append([f"S{k}", "HMD", "PRE", f"A{k}B", rater, rng.choice([3, None]), *points, total])
            expected[f"A{k}B", rater] = [total, *points]
    data = as_excel(rows, prefix=rng.choice(["", "/xl/"]), sheets=rng.randint(1, 2))
    found = read_files("aixsuture", {"OSATS.xlsx": data})
    for collection in (found, rewritten("aixsuture", found)):
        said = {}
        for key, of in collection.scores.ratings.groupby(["id", "rater"]):
            points = of.set_index("aspect")["score"].astype(object)
            said[key] = [None if points[name] != points[name] else points[name] for name in ("GRS", *OSATS)]
        assert said == expected


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 no zip",
        as_excel([AIX])[:400],
        sheet_xml.workbook([["a"]])[:-30],
    ],
    ids=["no zip", "cut off", "no end"],
)
def test_what_is_no_workbook_is_refused_and_its_reader_says_why(data, tmp_path):
    with pytest.raises(AnnotationError, match=r"OSATS\.xlsx.*(save it as Excel workbook|column|header|first sheet)"):
        read_files("aixsuture", {"OSATS.xlsx": data})
    (tmp_path / "OSATS.xlsx").write_bytes(data[:200])
    assert detect.detected(tmp_path / "OSATS.xlsx").name == "aixsuture"


def test_a_number_beyond_any_float_and_columns_that_are_not_kept_are_told():
    found = read_files("aixsuture", {"OSATS.xlsx": as_excel([[*AIX, "NOTE"], [*ROW, "late"]])})
    assert sentences(found.faults, "warning") == ("OSATS.xlsx: not kept: column 'NOTE'",)
    assert "OSATS.xlsx: not a workbook that can be read" in refused({"OSATS.xlsx": as_excel([AIX, [*ROW[:-1], float("inf")]])})


def test_decimal_commas_of_a_rater_are_read_where_no_comma_separates_cells():
    ratings = read_files("lasana", {"r/PegTransfer_rater0.csv": b"id;depth_perception;efficiency\na;1,0;2\nb;2,5;4\n"}).scores.ratings
    assert sorted(ratings["score"]) == [1.0, 2.0, 2.5, 4.0]


def test_a_recording_of_a_split_that_nobody_rated_keeps_its_subset():
    sheets = {"Peg_rater0.csv": b"id;rater;a\nx;0;3\n", "Peg_split.csv": b"id;split\nx;train\ny;test\n"}
    facts = read_files("lasana", sheets).scores.facts
    assert facts[["id", "subset"]].to_numpy().tolist() == [["x", "train"], ["y", "test"]]


@pytest.mark.parametrize(
    ("items", "total", "told"),
    [
        ([3] * 8, 25, "GLOBA_RATING_SCORE is 25, and its items add up to 24; correct one of them"),
        ([9, *[3] * 7], 30, f"{AIX[6]} is 9, not 1 to 5; correct it"),
        ([3] * 8, 24, None),
        ([None, *[3] * 7], 25, None),
    ],
)
def test_points_of_aixsuture_that_cannot_be_are_told(items, total, told):
    found = read_files("aixsuture", {"OSATS.xlsx": as_excel([AIX, ["S", "G", "T", "V", "R", 1, *items, total]])})
    assert sentences(found.faults, "warning") == (() if told is None else (f"OSATS.xlsx, row 2: {told}",))
