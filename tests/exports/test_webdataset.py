"""WebDataset: samples whose members stand together, lists of tars by subset, and no class where none is known."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import exported_release
from scrubin import cli
from scrubin.data.export import webdataset
from scrubin.media.released.frame_files import picture


@pytest.fixture(scope="module")
def exported(release, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "wds"
    assert cli.main(["export", str(release), str(folder), "--to", "webdataset"]) == 0
    return folder


def samples(folder: Path, subset: str) -> dict[str, dict[str, bytes]]:
    """The members of a subset by key and suffix; those of one key stand together, and say nothing of who wrote them."""
    of: dict[str, dict[str, bytes]] = {}
    last = ""
    for name in (folder / f"splits/{subset}.txt").read_text().split():
        with tarfile.open(folder / name) as tar:
            for member in tar:
                key, suffix = member.name.split(".")
                assert key == last or key not in of
                last = key
                of.setdefault(key, {})[suffix] = tar.extractfile(member).read()
                assert (member.uid, member.gid, member.uname, member.gname, member.mtime) == (0, 0, "", "", 946684800)
    return of


def test_a_subset_is_a_list_of_tars(exported):
    for (scheme, fold), of_id in exported_release.SUBSETS.items():
        for subset in set(of_id.values()):
            name = f"five_{fold}" if scheme == "five" else scheme
            ids = {json.loads(sample["json"])["id"] for sample in samples(exported, f"{name}/{subset}").values()}
            assert ids == {id_ for id_, own in of_id.items() if own == subset}


def test_pictures_have_the_bytes_of_the_release_and_labels_those_of_the_tables(release, exported):
    every = samples(exported, "all/full")
    shown = [row for row in exported_release.rows()["frames"] if row["path"] and not row["redacted"]]
    wanted = {f"{row['id']}_{row['camera']}_{row['frame']:06d}": picture(release, str(row["path"])) for row in shown}
    assert {key: sample["jpg"] for key, sample in every.items()} == wanted
    row = json.loads(every["borunga_mono_000000"]["json"])
    assert [one["triplet_id"] for one in row["instances"]] == [7, 7]
    assert (row["phase"], row["time_s"], row["task"]) == ("preparation", 0.0, "Cholecystectomy")


def test_there_is_no_class_where_no_phase_is_labelled(exported):
    every = samples(exported, "all/full")
    assert {key: sample["cls"] for key, sample in every.items() if "cls" in sample} == dict.fromkeys(
        ("borunga_mono_000000", "borunga_mono_000001"), b"0"
    )
    unknown = json.loads(every["borunga_mono_000004"]["json"])
    assert (unknown["phase_id"], unknown["instances"]) == (None, None)
    assert json.loads(every["borunga_mono_000001"]["json"])["instances"] == []


def test_scores_stand_in_lines_of_json(exported):
    of = {row["id"]: row for row in map(json.loads, (exported / "recordings.jsonl").read_text().splitlines())}
    assert (of["abelo"]["GRS"], of["abelo"]["efficiency"], of["borunga"]["GRS"]) == (0.1 + 0.2, None, None)


def test_a_tar_that_is_full_is_followed_by_another(release, exported, tmp_path, monkeypatch):
    monkeypatch.setattr(webdataset, "SHARD_BYTES", 4000)
    assert cli.main(["export", str(release), str(tmp_path / "wds"), "--to", "webdataset"]) == 0
    assert len(list((tmp_path / "wds/frames").iterdir())) > len(list((exported / "frames").iterdir()))
    assert samples(tmp_path / "wds", "all/full") == samples(exported, "all/full")


@pytest.mark.cases(1)
@pytest.mark.parametrize("harm", ["a link that leads out", "other bytes", "no picture", "an id that leads out"])
def test_what_the_release_does_not_state_is_never_packed(own, tmp_path, capsys, harm):
    first = next(path for path in sorted(own.rglob("*.jpg")))
    name = first.relative_to(own).as_posix()
    if harm == "other bytes":
        (own / "SHA256SUMS").write_text(f"{'0' * 64}  {name}\n")
    elif harm == "a link that leads out":
        (tmp_path / "secret.txt").write_text("secret")
        first.unlink()
        first.symlink_to(tmp_path / "secret.txt")
    elif harm == "no picture":
        first.write_bytes(b"a text")
    else:
        for table in sorted((own / "tables").glob("*.parquet")):
            data = pq.read_table(table)
            if "id" in data.column_names:
                place = data.column_names.index("id")
                data = data.set_column(place, data.schema.field(place), pc.binary_join_element_wise("../", data["id"], ""))
                pq.write_table(data, table)
    assert cli.main(["export", str(own), str(tmp_path / "out"), "--to", "webdataset"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()
