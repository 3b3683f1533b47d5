"""Every kind of difference is named as what it is, with count and example, and asks for its step."""

import json
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import version_pairs
from scrubin.base.errors import ReleaseError
from scrubin.base.files import write_json, write_text
from scrubin.data.diff import Step, previous
from scrubin.data.diff.comparison import compare, lines
from scrubin.data.diff.snapshot import Released
from version_pairs import FRAMES, IDS, TASK, edit_rows, edit_table, media


def cell(table, column, value, **at):
    """An edit that puts a value where rows match."""

    def edit(folder):
        def put(rows):
            its = np.logical_and.reduce([rows[name] == wanted for name, wanted in at.items()])
            rows.loc[its, column] = value
            return rows

        edit_rows(folder, table, put)

    return edit


def to_sheet(edit):
    """An edit of the text of the sheet of a scheme."""
    return lambda folder: write_text(folder / "splits/folds.csv", edit((folder / "splits/folds.csv").read_text(encoding="utf-8")))


def said(comparison):
    return [(one.kind, one.what, one.change, one.count) for one in comparison.differences]


def steps(comparison):
    return {(one.what, one.change): one.step for one in comparison.differences}


def to_rows(table, change):
    """An edit that changes the rows of a table."""
    return lambda folder: edit_rows(folder, table, change)


def to_arrays(folder, name, **changed):
    """Write arrays of the recognition of a recording anew, with changes."""
    path = folder / f"groundtruth/cholect50/recognition/{name}.npz"
    with np.load(path) as stored:
        np.savez(path, **{**dict(stored), **changed})


def test_a_release_does_not_differ_from_itself(old):
    comparison = compare(old, old)
    assert comparison.differences == ()
    assert comparison.step is Step.NONE
    assert comparison.verdict.fits


def test_another_number_changes_documents_only(after):
    comparison = after(lambda folder: write_text(folder / "README.md", "version 1.0.1\n"), "1.0.1")
    assert said(comparison) == [("files", "documents", "changed", 1)]
    assert comparison.verdict.sentence == "what changed asks for a patch step: 1.0.1 fits"


def test_equal_rows_in_other_bytes_are_equal(old, after):
    def rewrite(folder):
        for path in (folder / "tables").glob("*.parquet"):
            table = pq.read_table(path)
            table = table.take(np.random.default_rng(0).permutation(len(table)))
            encoded = [
                column.dictionary_encode() if pa.types.is_string(column.type) and column.null_count < len(column) else column
                for column in table.columns
            ]
            fields = [field.with_type(column.type) for field, column in zip(table.schema, encoded, strict=True)]
            table = pa.Table.from_arrays(encoded, schema=pa.schema(fields, metadata=table.schema.metadata))
            pq.write_table(table, path, compression="gzip", row_group_size=3)

    comparison = after(rewrite)
    assert comparison.differences == ()
    tables = [name for name in comparison.old.sha256 if name.startswith("tables/")]
    assert all(comparison.old.sha256[name] != comparison.new.sha256[name] for name in tables)


def test_the_last_digit_of_a_number_counts(after):
    (one,) = after(to_rows("frames", lambda rows: rows.assign(brightness=np.nextafter(rows.brightness, 99)))).differences
    assert (one.kind, one.change, one.count, dict(one.columns)) == ("frames", "changed", FRAMES * len(IDS), {"brightness": 24})
    assert one.examples[0]["changed"]["brightness"][0] == 90.1


def test_a_missing_number_that_is_known_now_is_a_change(after):
    (one,) = after(cell("triplets", "x", 0.5, id="abelo", frame=0)).differences
    assert one.examples == ({"id": "abelo", "frame": 0, "instance": 0, "changed": {"x": [None, 0.5]}},)
    assert one.recordings == {"abelo": 1}


@pytest.mark.parametrize(
    ("table", "column", "value", "at", "kind"),
    [
        ("triplets", "verb", "retract", {"id": "abelo", "frame": 1}, "labels"),
        ("phases", "phase", "packaging", {"id": "abelo", "frame": 1}, "labels"),
        ("spans", "end_frame", 3, {"id": "abelo"}, "labels"),
        ("labelled", "detail", "instrument", {"id": "abelo", "layer": "instances", "frame": 0}, "labels"),
        ("ratings", "score", 4.0, {"id": "abelo"}, "scores"),
        ("skill", "GRS", 0.25, {"id": "abelo"}, "scores"),
        ("errors", "occurred", True, {"id": "cimeto"}, "scores"),
        ("frames", "redacted", True, {"id": "abelo", "frame": 2}, "frames"),
        ("frames", "dropped", True, {"id": "abelo", "frame": 2}, "frames"),
        ("frames", "time_s", 2.04, {"id": "abelo", "frame": 2}, "frames"),
        ("videos", "frame_count", 101, {"id": "abelo"}, "videos"),
    ],
)
def test_a_changed_cell_is_named_with_its_key_and_both_values(after, table, column, value, at, kind):
    comparison = after(cell(table, column, value, **at))
    assert said(comparison) == [(kind, table, "changed", 1)]
    (one,) = comparison.differences
    assert at.items() <= one.examples[0].items()
    assert one.examples[0]["changed"][column][1] == value
    assert one.step is Step.MAJOR


def test_rows_that_are_added_leave_old_data_intact_and_removed_ones_do_not(after):
    def edit(folder):
        edit_rows(folder, "triplets", lambda rows: pd.concat([rows, rows[:2].assign(instance=1)]))
        edit_rows(folder, "phases", lambda rows: rows[3:])

    found = {(one.what, one.change, one.count): one.step for one in after(edit).differences}
    assert found == {("triplets", "added", 2): Step.MINOR, ("phases", "removed", 3): Step.MAJOR}


def test_a_recording_more_is_one_addition_whatever_it_brings(old, tmp_path):
    comparison = compare(old, version_pairs.build(tmp_path / "new", (*IDS, "gastuvo"), "1.1.0"))
    assert said(comparison) == [("recordings", "recordings", "added", 1), ("files", "documents", "changed", 1)]
    one = comparison.differences[0]
    assert (one.examples, one.columns["frames"], one.columns["files"]) == (({"id": "gastuvo"},), FRAMES, 1 + FRAMES + 3)
    assert (comparison.verdict.fits, comparison.verdict.lowest) == (True, "1.1.0")


def test_a_recording_less_is_a_major_step(old, tmp_path):
    comparison = compare(old, version_pairs.build(tmp_path / "new", IDS[1:], "1.1.0"))
    assert said(comparison) == [("recordings", "recordings", "removed", 1), ("files", "documents", "changed", 1)]
    assert (comparison.verdict.fits, comparison.verdict.lowest) == (False, "2.0.0")


def test_a_renamed_recording_is_known_by_its_video_and_nothing_else_differs(after):
    def rename(folder):
        for path in (folder / "tables").glob("*.parquet"):
            edit_rows(folder, path.stem, lambda rows: rows.assign(id=rows.id.replace("abelo", "zumasto")))
        for table in ("videos", "frames"):
            edit_rows(folder, table, lambda rows: rows.assign(path=rows.path.str.replace("abelo", "zumasto")))
        for one in media("abelo"):
            (folder / one).parent.with_name((folder / one).parent.name.replace("abelo", "zumasto")).mkdir(exist_ok=True)
            (folder / one).rename(folder / one.replace("abelo", "zumasto"))
        for path in (folder / "groundtruth").rglob("abelo.*"):
            path.rename(path.with_stem("zumasto"))
        tracks = folder / "groundtruth/cholect50/tracks"
        (tracks / "abelo").rename(tracks / "zumasto")
        for path in (*(folder / "splits").glob("*.csv"), folder / "groundtruth/cholect50/coco.json", tracks / "zumasto/seqinfo.ini"):
            path.write_text(path.read_text(encoding="utf-8").replace("abelo", "zumasto"), encoding="utf-8")

    comparison = after(rename, "2.0.0")
    assert said(comparison) == [("recordings", "recordings", "renamed", 1)]
    assert comparison.differences[0].examples == ({"id": "zumasto", "changed": {"id": ["abelo", "zumasto"]}},)
    assert comparison.step is Step.MAJOR


def test_who_is_moved_is_named_with_both_subsets_and_the_sheet_as_well(after):
    def move(folder):
        cell("splits", "subset", "val", scheme="balanced", id="abelo")(folder)
        version_pairs.repeat(folder)

    comparison = after(move)
    assert said(comparison) == [("splits", "balanced", "moved", 1), ("splits", "contents of splits/", "changed", 1)]
    moved = comparison.differences[0]
    assert moved.examples == ({"id": "abelo", "fold": 0, "changed": {"subset": ["test", "val"]}},)
    assert (moved.columns, moved.step) == ({"test to val": 1}, Step.MAJOR)


def test_what_a_release_says_of_who_moved_between_folds_is_in_the_order_of_the_ids(after):
    def others(splits):
        subset = splits.subset.map({"train": "test", "test": "train", "val": "train"})
        return splits.assign(subset=subset.where(splits.scheme == "folds", splits.subset))

    changes = previous.public(after(to_rows("splits", others), "2.0.0"))["changes"]
    moved = [one["id"] for entry in changes for one in entry["moved"]]
    assert len(moved) > len(set(moved)) >= 3
    assert moved == sorted(moved)


def test_schemes_and_folds_come_and_go_as_such(after):
    def rows(splits):
        more = splits[(splits.scheme == "folds") & (splits.fold == 0)].assign(fold=2)
        return pd.concat([splits[splits.scheme == "folds"], more, splits[splits.scheme == "balanced"].assign(scheme="fair")])

    found = {(one.what, one.change, one.unit): one.step for one in after(to_rows("splits", rows)).differences}
    assert found == {
        ("balanced", "removed", "scheme"): Step.MAJOR,
        ("fair", "added", "scheme"): Step.MINOR,
        ("folds", "added", "folds"): Step.MINOR,
    }


def test_who_comes_into_a_split_and_who_leaves_it_is_said(after):
    (one,) = after(to_rows("splits", lambda rows: rows[~((rows.scheme == "balanced") & (rows.id == "elapi"))])).differences
    assert (one.what, one.change, one.examples[0]["id"]) == ("balanced", "removed", "elapi")


@pytest.mark.parametrize(
    ("edit", "what", "change", "step"),
    [
        (lambda of: of.append_column("colour", pa.array(["red"] * len(of))), "phases.colour", "added", Step.MINOR),
        (lambda of: of.drop_columns("phase_id"), "phases.phase_id", "removed", Step.MAJOR),
        (lambda of: of.set_column(4, "phase_id", of["phase_id"].cast(pa.float64())), "phases.phase_id: type", "changed", Step.MAJOR),
    ],
)
def test_columns_come_go_and_change_their_type(after, edit, what, change, step):
    comparison = after(lambda folder: edit_table(folder, "phases", edit))
    assert steps(comparison)[what, change] is step
    assert {one.kind for one in comparison.differences} == {"schema"}


def test_a_unit_is_a_meaning_and_a_description_is_not(after):
    def edit(table):
        said = {"time_s": {b"unit": b"ms"}, "path": {b"description": b"the file"}}
        fields = [field.with_metadata({**field.metadata, **said.get(field.name, {})}) for field in table.schema]
        return table.cast(pa.schema(fields, metadata=table.schema.metadata))

    found = steps(after(lambda folder: edit_table(folder, "frames", edit)))
    assert found == {("frames.time_s: unit", "changed"): Step.MAJOR, ("frames.path: description", "changed"): Step.PATCH}


def test_tables_that_no_declaration_knows_are_compared_by_whole_rows(old, tmp_path):
    def write(folder, depths):
        rows = {"id": ["abelo"] * len(depths), "depth_mm": depths, "corners": [[1, 2]] * len(depths)}
        pq.write_table(pa.table(rows), folder / "tables/depths.parquet")

    first = version_pairs.edited(old, tmp_path / "first", lambda folder: write(folder, [1.0, 1.0, float("nan"), 3.0]), "1.1.0")
    second = version_pairs.edited(old, tmp_path / "second", lambda folder: write(folder, [3.0, 1.0, float("nan"), 4.0]), "1.1.0")
    assert said(compare(old, first)) == [("schema", "depths", "added", 1)]
    assert compare(old, first).step is Step.MINOR
    assert said(compare(first, second)) == [("tables", "depths", "removed", 1), ("tables", "depths", "added", 1)]
    assert compare(first, old).differences[0].step is Step.MAJOR


def test_a_video_with_other_bytes_is_said_once(after):
    def encode(folder):
        video = media("abelo")[0]
        write_text(folder / video, "encoded again")
        cell("videos", "sha256", version_pairs.sha256_of(folder / video), id="abelo")(folder)

    assert said(after(encode)) == [("videos", "videos: bytes", "changed", 1)]


def test_a_swapped_file_that_no_table_tells_of_is_said(after):
    comparison = after(lambda folder: [write_text(folder / one, "other") for one in media("abelo")])
    assert said(comparison) == [("videos", "videos/", "changed", 1), ("frames", "frames/", "changed", FRAMES)]
    assert all(one.recordings == {"abelo": one.count} for one in comparison.differences)


def test_what_is_new_in_ground_truth_leaves_the_old_intact(after):
    def grow(folder):
        for path in (folder / "groundtruth/cholect50/recognition").glob("*.npz"):
            to_arrays(folder, path.stem, stamp="other", hidden=np.zeros(FRAMES, dtype=bool))

    comparison = after(grow)
    assert said(comparison) == [("groundtruth", "contents of groundtruth/cholect50/recognition", "added", len(IDS))]
    assert comparison.step is Step.MINOR


def test_another_stamp_is_no_other_ground_truth(after):
    def stamp(folder):
        to_arrays(folder, "abelo", stamp="other")
        coco = folder / "groundtruth/cholect50/coco.json"
        write_json(coco, {**json.loads(coco.read_text(encoding="utf-8")), "info": {"stamp": "other"}})

    assert after(stamp).differences == ()


@pytest.mark.slow
def test_a_list_without_a_frame_stays_as_it_is_when_somebody_joins(tmp_path):
    sides = []
    for version, ids in (("1.0.0", IDS[:-1]), ("1.1.0", IDS)):
        folder = version_pairs.build(tmp_path / version, ids, version)
        empty = {"dict": [], "frame": [], "hidden": [], "id": "abelo", "list": [], "list_9": [], "stamp": version}
        write_json(folder / "groundtruth/cholect50/detection/abelo.json", empty)
        sides.append(version_pairs.seal(folder))
    both_ways = compare(*sides), compare(*reversed(sides))
    assert [of.step for of in both_ways] == [Step.MINOR, Step.MAJOR]
    assert not any("detection" in one.what for of in both_ways for one in of.differences)


def test_a_changed_matrix_of_ground_truth_is_a_major_step(after):
    def change(folder):
        with np.load(folder / "groundtruth/cholect50/recognition/abelo.npz") as stored:
            ivt = stored["ivt"]
        ivt[2, 3] = 1
        to_arrays(folder, "abelo", ivt=ivt)

    comparison = after(change)
    assert said(comparison) == [("groundtruth", "contents of groundtruth/cholect50/recognition", "changed", 1)]
    assert comparison.step is Step.MAJOR


def test_a_licence_is_more_than_documentation_and_a_title_is_not(after):
    def say(folder):
        document = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
        said = {"alternateName": "A better toy", "keywords": ["surgery"], "citeAs": "@misc{toy,\n  title = {Toy}\n}"}
        files = {"recordSet": [{"name": "classes", "data": [{"id": 0}]}], "distribution": [{"name": "a.zip", "sha256": "0"}]}
        write_json(folder / "croissant.json", {**document, "license": "CC0-1.0", **said, **files})

    found = steps(after(say))
    added = dict.fromkeys([(name, "added") for name in ("keywords", "citeAs", "recordSet", "distribution")], Step.PATCH)
    assert found == {("license", "changed"): Step.MINOR, ("alternateName", "changed"): Step.PATCH, **added}


def test_the_version_in_a_citation_and_the_hash_of_a_listed_file_follow(old, tmp_path):
    def cited(title, version):
        stated = {"citeAs": f"title = {{{title}}},\n  version = {{{version}}}", "distribution": [{"name": "a", "sha256": version}]}

        def edit(folder):
            write_json(folder / "croissant.json", {**json.loads((folder / "croissant.json").read_text(encoding="utf-8")), **stated})

        return version_pairs.edited(old, tmp_path / f"{title}{version}", edit, version)

    first = cited("toy", "1.0.1")
    assert compare(first, cited("toy", "1.0.2")).differences == ()
    assert said(compare(first, cited("puppet", "1.0.2"))) == [("metadata", "citeAs", "changed", 1)]


def test_what_ground_truth_states_of_all_its_files_is_compared(old, tmp_path):
    first = {
        "frame_contract": "first",
        "frames_per_second": "1",
        "vocabularies": {"own": {"sha256": "0", "source": "a"}},
        "definitions": {"coco": "a"},
    }
    second = {"frame_contract": "last", "frames_per_second": "2", "vocabularies": {"own": {"sha256": "1", "source": "b"}, "more": {}}}
    pair = [
        version_pairs.edited(old, tmp_path / name, lambda folder, stated=stated: write_json(folder / "groundtruth/manifest.json", stated))
        for name, stated in (("first", first), ("second", {**second, "definitions": {"coco": "b"}, "files": "other"}))
    ]
    assert {name.removeprefix("groundtruth/manifest.json: "): step for (name, _), step in steps(compare(*pair)).items()} == {
        "frame_contract": Step.MAJOR,
        "frames_per_second": Step.MAJOR,
        "source of vocabulary own": Step.PATCH,
        "vocabularies own": Step.MAJOR,
        "vocabularies more": Step.MINOR,
        "definitions coco": Step.PATCH,
    }


def test_a_known_error_more_is_a_patch(after):
    entry = {"id": "E1", "since": "1.0.0", "severity": "note", "what": "a tag is wrong", "advice": "ignore it", "recordings": ["abelo"]}
    comparison = after(lambda folder: write_json(folder / "metadata/errata.yaml", [entry]))
    assert said(comparison) == [("errata", "known errors", "added", 1)]
    assert comparison.step is Step.PATCH


def test_other_files_are_data_unless_they_are_documents(after):
    names = ("metadata/datasheet.md", "archives/a.zip", "calibration/left.txt")
    differences = after(lambda folder: [write_text(folder / name, "x") for name in names]).differences
    assert {one.what: one.step for one in differences} == {
        "archives": Step.PATCH,
        "documents": Step.PATCH,
        "calibration/": Step.MINOR,
    }


def test_another_data_set_is_not_compared(old, tmp_path):
    other = version_pairs.build(tmp_path / "other", ("xaxo", "yoyo"))
    write_json(other / "croissant.json", {"name": "puppet", "version": "1.0.0"})
    with pytest.raises(ReleaseError, match=r"'toy' 1\.0\.0, .* is 'puppet' 1\.0\.0: two data sets without a recording in common"):
        compare(old, version_pairs.seal(other))


def test_a_data_set_with_a_new_name_is_compared(after):
    def call(folder):
        write_json(folder / "croissant.json", {"name": "puppet", "license": "CC-BY-4.0", "alternateName": "A toy"})

    assert said(after(call)) == [("metadata", "name", "changed", 1)]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "SHA256SUMS").unlink(), "it is no release, SHA256SUMS is missing"),
        (lambda folder: (folder / "croissant.json").write_text("{"), "its metadata cannot be read"),
        (lambda folder: (folder / "croissant.json").write_text("[]"), "does not say the name and version"),
        (lambda folder: (folder / "SHA256SUMS").write_text("x\n"), "SHA256SUMS, line 1: expected a SHA-256"),
        (lambda folder: (folder / "tables/phases.parquet").unlink(), "phases.parquet: it is missing, but SHA256SUMS lists it"),
        (lambda folder: (folder / "tables/phases.parquet").write_bytes(b"PAR1"), "phases.parquet: its bytes are not those"),
        (lambda folder: sorted(folder.glob("splits/*.csv"))[0].write_text("id,subset\n"), ".csv: its bytes are not those"),
        (lambda folder: sorted(folder.glob("groundtruth/**/*.npz"))[0].write_bytes(b"PK"), ".npz: its bytes are not those"),
        (lambda folder: (folder / "splits/folds.csv").unlink(), r"folds\.csv: it is missing, but SHA256SUMS lists it"),
        (
            lambda folder: (folder / "groundtruth/cholect50/phases/abelo.csv").unlink(),
            r"abelo\.csv: it is missing, but SHA256SUMS",
        ),
        (lambda folder: (folder / "tables/extra.csv").write_text("id\n"), r"tables/extra\.csv: SHA256SUMS does not list it; take it out"),
        (
            lambda folder: ((folder / "tables/phases.parquet").write_bytes(b"PAR1"), version_pairs.seal(folder)),
            "phases.parquet: it cannot be read as a table",
        ),
        (
            lambda folder: ((folder / "splits/folds.csv").write_text("a,b\n1\n"), version_pairs.seal(folder)),
            r"folds\.csv: it cannot be read .*line 2: expected 2 cells as in line 1, but got 1",
        ),
        (
            lambda folder: (to_sheet(lambda text: text.replace("train\n", "train,test\n"))(folder), version_pairs.seal(folder)),
            r"folds\.csv: it cannot be read .*line \d+: expected 3 cells as in line 1, but got 4",
        ),
        (
            lambda folder: (to_sheet(lambda text: text.replace("fold,id,", "id,id,"))(folder), version_pairs.seal(folder)),
            r"folds\.csv: it cannot be read .*line 1: two columns are called 'id'",
        ),
    ],
)
def test_a_damaged_copy_is_named_and_who_knows_more(old, tmp_path, damage, message):
    shutil.copytree(old, tmp_path / "new")
    damage(tmp_path / "new")
    with pytest.raises(ReleaseError, match=message) as error:
        compare(old, tmp_path / "new")
    assert "scrubin verify" in str(error.value)


def test_only_tables_and_what_differs_must_be_there(old, tmp_path):
    shutil.copytree(old, tmp_path / "new")
    shutil.rmtree(tmp_path / "new/videos")
    shutil.rmtree(tmp_path / f"new/frames/{TASK}")
    shutil.rmtree(tmp_path / "new/splits")
    shutil.rmtree(tmp_path / "new/groundtruth/cholect50/phases")
    # Pictures beside YOLO's labels, and what a system leaves, are no part of any release.
    for stray in ("groundtruth/cholect50/yolo/labels.cache", "tables/.DS_Store"):
        write_text(tmp_path / "new" / stray, "x")
    assert compare(old, tmp_path / "new").differences == ()


@pytest.mark.parametrize(
    ("folder", "edit", "kind", "step"),
    [
        ("splits", to_sheet(lambda text: text.replace("train", "val")), "splits", Step.MAJOR),
        ("groundtruth", lambda of: to_arrays(of, "abelo", stamp="other"), "groundtruth", Step.MAJOR),
        ("metadata", lambda of: write_json(of / "metadata/errata.yaml", []), "errata", Step.PATCH),
        ("calibration", lambda of: write_text(of / "calibration/rig_1.yaml", "other"), "calibrations", Step.MAJOR),
    ],
)
@pytest.mark.parametrize("part", [0, 1], ids=["old", "new"])
def test_what_one_copy_lacks_is_compared_by_its_hash_and_counts_as_the_largest_change(old, tmp_path, folder, edit, kind, step, part):
    def more(folder):
        write_text(folder / "calibration/rig_1.yaml", "one")
        write_json(folder / "metadata/errata.yaml", [{"id": "E1", "since": "1.0.0", "severity": "note", "what": "a", "advice": "b"}])

    first = version_pairs.edited(old, tmp_path / "first", more)
    same, other = (version_pairs.edited(first, tmp_path / name, does) for name, does in (("same", lambda _: None), ("other", edit)))
    for new in (same, other):
        shutil.rmtree((first, new)[part] / folder, ignore_errors=True)
    assert compare(first, same).differences == ()
    comparison = compare(first, other)
    (one,) = comparison.differences
    assert (one.kind, one.change, one.step) == (kind, "changed", step)
    assert one.what.startswith("unseen contents of ")
    assert "not looked at, because one copy lacks" in list(lines(comparison))[-2]


def test_the_form_of_a_sheet_is_a_patch(after):
    def turned(text):
        return "".join(f"{';'.join(reversed(line.split(',')))}\n" for line in text.splitlines())

    for edit in (turned, lambda text: text.replace(",", ";"), lambda text: turned(text).replace(";", ",")):
        comparison = after(to_sheet(edit))
        assert said(comparison) == [("splits", "form of splits/", "changed", 1)]
        assert comparison.step is Step.PATCH


@pytest.mark.parametrize("column", ["fold", "subset"])
def test_a_placement_without_a_fold_or_subset_is_one_change(after, column):
    def without(table):
        values = [None, *table[column].to_pylist()[1:]]
        return table.set_column(
            table.column_names.index(column), pa.field(column, table[column].type), pa.array(values, table[column].type)
        )

    differences = after(lambda folder: edit_table(folder, "splits", without)).differences
    changes = [one for one in differences if one.kind == "splits" and one.unit == "placements"]
    assert [(one.count, one.step) for one in changes] == [(1, Step.MAJOR)]


def test_a_row_of_nobody_is_refused_with_its_place(after):
    with pytest.raises(ReleaseError, match=r"tables/videos\.parquet, row 1: 'id' is missing"):
        after(lambda folder: edit_table(folder, "videos", lambda of: of.set_column(0, "id", pa.array([None, *IDS[1:]], pa.string()))))


@pytest.mark.parametrize(("version", "fits"), [("1.9.0", False), ("2.0.0", True)])
def test_a_second_subset_in_a_fold_is_no_addition(after, version, fits):
    def place_again(rows):
        own = rows[(rows["id"] == "abelo") & (rows["scheme"] == "balanced")]
        return pd.concat([rows, own.assign(subset="val" if own["subset"].iloc[0] != "val" else "test")])

    comparison = after(to_rows("splits", place_again), version)
    (twice,) = [one for one in comparison.differences if one.what == "balanced"]
    assert (twice.kind, twice.change, twice.step, twice.count, twice.unit) == ("splits", "repeated", Step.MAJOR, 1, "placements")
    assert twice.recordings == {"abelo": 1}
    assert comparison.verdict.fits is fits


@pytest.mark.parametrize("column", ["phase_id", None])
def test_a_second_row_of_a_key_is_named_as_such_whether_it_says_something_else_or_not(after, column):
    def repeat_rows(rows):
        more = rows[rows["id"] == "abelo"]
        return pd.concat([rows, more if column is None else more.assign(**{column: more[column] + 1})])

    comparison = after(to_rows("phases", repeat_rows), "1.9.0")
    (twice,) = [one for one in comparison.differences if one.what == "phases"]
    assert (twice.kind, twice.change, twice.step) == ("labels", "repeated", Step.MAJOR)
    assert twice.examples[0] == {"id": "abelo", "frame": 0}
    assert not comparison.verdict.fits


def test_what_was_there_twice_already_is_no_difference(old, tmp_path):
    repeat_rows = to_rows("phases", lambda rows: pd.concat([rows, rows[rows["id"] == "abelo"]]))
    before = version_pairs.edited(old, tmp_path / "before", repeat_rows)
    both = version_pairs.edited(before, tmp_path / "both", lambda folder: write_text(folder / "README.md", "version 1.0.2\n"), "1.0.2")
    assert compare(before, both).step is Step.PATCH


NOTE = {"version": "2.0.0", "recordings": 1, "reason": "consent"}


def noting(*rows):
    """An edit that writes what a release notes of who withdrew."""
    return lambda folder: write_json(folder / "metadata/withdrawn.json", {"withdrawn": list(rows)})


@pytest.fixture
def noted(old, tmp_path):
    """Two versions, 2.0.0 with a note of who withdrew and 2.0.1 with these notes."""

    def noted(*notes):
        before = version_pairs.edited(old, tmp_path / "before", noting(NOTE), "2.0.0")
        return before, version_pairs.edited(old, tmp_path / "after", noting(*notes), "2.0.1")

    return noted


def test_who_withdrew_and_may_be_back_is_said_aloud_and_is_no_minor_step(old, tmp_path):
    without = version_pairs.build(tmp_path / "without", IDS[1:], "2.0.0")
    version_pairs.edited(without, without, noting(NOTE), "2.0.0")
    back = version_pairs.edited(old, tmp_path / "back", noting(), "2.1.0")
    comparison = compare(without, back)
    assert ("recordings", "notes of who withdrew", "removed", 1) in said(comparison)
    assert ("recordings", "perhaps of somebody who withdrew", "added", 1) in said(comparison)
    assert (comparison.step, comparison.verdict.fits, comparison.verdict.lowest) == (Step.MAJOR, False, "3.0.0")
    text = list(lines(comparison))
    assert text[-2].startswith(
        "WITHDRAWN: 2.0.0 says that 1 were withdrawn, 2.1.0 does not say so any more, and 1 that 2.0.0 does not hold"
    )
    assert "    version 2.0.0, reason consent: withdrawn 1 -> missing" in text
    assert f"    {IDS[0]}" in text
    public = json.dumps([one for one in previous.public(comparison)["changes"] if "withdrew" in one["what"]])
    assert IDS[0] not in public


@pytest.mark.parametrize("notes", [(NOTE,), (NOTE, {**NOTE, "version": "2.1.0"}), ({**NOTE, "recordings": 2},)])
def test_notes_that_are_repeated_or_more_are_no_warning(noted, notes):
    comparison = compare(*noted(*notes))
    assert not [one for one in comparison.differences if "withdrew" in one.what]
    assert not [line for line in lines(comparison) if "WITHDRAWN" in line]


def test_a_note_that_says_nothing_is_none(old, tmp_path):
    """Whoever wrote it by hand: other types are no counts."""
    odd = version_pairs.edited(old, tmp_path / "odd", noting("x", {"version": 2, "recordings": "1"}, {**NOTE, "recordings": 0}), "1.0.1")
    assert not [one for one in compare(odd, old).differences if "withdrew" in one.what]


@pytest.mark.parametrize("part", [0, 1], ids=["old", "new"])
def test_a_copy_without_metadata_is_compared_but_for_notes_of_who_withdrew(noted, part):
    """As somebody has it who took tables alone; what was lost on the way is no difference of the releases."""
    pair = noted()
    partial = pair[part] / "metadata/withdrawn.json"
    partial.unlink()
    text = list(lines(compare(*pair)))
    assert f"notes of who withdrew are not compared: {partial} is not here" in text
    assert not [line for line in text if "WITHDRAWN" in line]


def test_notes_with_other_bytes_than_the_release_lists_are_still_an_error(old, noted):
    before, _ = noted()
    write_json(before / "metadata/withdrawn.json", {"withdrawn": []})
    with pytest.raises(ReleaseError, match=r"withdrawn\.json: its bytes are not those"):
        compare(before, old)


def test_the_release_before_must_have_its_notes_of_who_withdrew(noted):
    before, after = noted(NOTE)
    (before / "metadata/withdrawn.json").unlink()
    with pytest.raises(ReleaseError, match=r"'release\.previous': .*withdrawn\.json: it is missing"):
        previous.changes(str(before), Released.open(after))


def test_notes_that_a_renamed_data_set_lacks_may_be_lost_by_the_name(noted):
    before, after = noted()
    (told,) = [line for line in lines(compare(before, after)) if "WITHDRAWN" in line]
    assert "renamed" not in told
    document = json.loads((after / "croissant.json").read_text())
    write_json(after / "croissant.json", {**document, "name": "another"})
    version_pairs.seal(after)
    (told,) = [line for line in lines(compare(before, after)) if "WITHDRAWN" in line]
    assert "did not know of them, or the data set was renamed without release.previous; publish nothing" in told
