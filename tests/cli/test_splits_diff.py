from __future__ import annotations

import json

import pytest

from scrubin import cli
from scrubin.public_splits import catalogue


@pytest.fixture
def rdv(tmp_path):
    """The RDV split as somebody would write it."""
    rows = catalogue.load("cholect50/rdv").rows
    path = tmp_path / "rdv.csv"
    path.write_text("id;split\n" + "".join(f"VID{int(row.video):02};{row.subset}\n" for row in rows.itertuples()))
    return path


def test_an_equal_file_is_equal(rdv, capsys):
    assert cli.main(["splits", "diff", "cholect50/rdv", str(rdv)]) == 0
    assert capsys.readouterr().out == f"{rdv} and cholect50/rdv: equal\n{rdv} is cholect50/rdv\n"


def test_every_difference_is_printed(rdv, capsys):
    rdv.write_text(rdv.read_text().replace("VID50;val", "VID50;test").replace("VID01;train\n", "").replace("VID79;", "VID80;"))
    assert cli.main(["splits", "diff", "cholect50/rdv", str(rdv)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[1:] == [
        "  video 50: val, but test in line 39",
        "  video 80: test, but train in line 31",
        "  video 1: train, but missing",
        "  video 79: train, but missing",
        f"{rdv}, line 49: 'VID80' stands already in line 31, there train, here test; place it once",
        f"{rdv} is not cholect50/rdv",
    ]


def test_the_answer_for_machines(rdv, capsys):
    rdv.write_text(rdv.read_text().replace("VID50;val", "VID50;test") + "VID03;test\n")
    assert cli.main(["splits", "diff", "cholect50/rdv", str(rdv), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["equal"] is False
    assert found["folds"][0]["elsewhere"] == [{"video": "50", "official": "val", "file": "test", "row": 40}]
    assert [(one["row"], one["what"]) for one in found["wrong"]] == [(52, "'VID03' is no video of cholect50")]
    assert found["nearest"] is None


def test_folds_in_another_order_and_numbering(tmp_path, capsys):
    rows = catalogue.load("cholect45/cv").rows
    path = tmp_path / "cv.csv"
    path.write_text("fold,video,subset\n" + "".join(f"{(row.fold + 1) % 5},video{row.video},{row.subset}\n" for row in rows.itertuples()))
    assert cli.main(["splits", "diff", "cholect45/cv", str(path)]) == 0
    out = capsys.readouterr().out
    assert f"fold 2 of {path} and fold 1 of cholect45/cv: equal" in out
    assert cli.main(["splits", "diff", "cholect50/cv", str(path)]) == 1
    assert f"fold 2 of {path} and fold 1 of cholect50/cv: 0 elsewhere, 5 missing" in capsys.readouterr().out


def test_one_fold_of_a_cross_validation(tmp_path, capsys):
    placed = catalogue.load("prostatd/5fold").subset_of(4)
    path = tmp_path / "fold.csv"
    path.write_text("video,subset\n" + "".join(f"{video},{subset}\n" for video, subset in placed.items()))
    assert cli.main(["splits", "diff", "prostatd/5fold", str(path)]) == 1
    out = capsys.readouterr().out
    assert "nearest: the file and fold 4, they are equal; to compare with this fold alone, name prostatd/5fold@4" in out
    assert "fold 1 of prostatd/5fold: 12 elsewhere, 0 missing" in out
    assert cli.main(["splits", "diff", "prostatd/5fold@4", str(path)]) == 0
    assert cli.main(["splits", "diff", "prostatd/5fold@3", str(path)]) == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cholect50/rvd", "'cholect50/rvd' is no official split; did you mean 'cholect50/rdv'?"),
        ("cholect50/rdv@1", "'cholect50/rdv@1': '1' is no fold of 'cholect50/rdv'; it has no folds"),
        ("cholect50/cv@6", "'6' is no fold of 'cholect50/cv'; its folds are 1 to 5"),
        ("cholect50/cv@", "'' is no fold of 'cholect50/cv'; its folds are 1 to 5"),
    ],
)
def test_an_unknown_name_is_one_sentence(rdv, capsys, name, message):
    assert cli.main(["splits", "diff", name, str(rdv)]) == cli.USAGE
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_missing_file_is_one_sentence(tmp_path, capsys):
    assert cli.main(["splits", "diff", "cholect50/rdv", str(tmp_path / "none.csv")]) == 1
    assert capsys.readouterr().err == f"scrubin splits: {tmp_path / 'none.csv'}: there is no such file; name a CSV file\n"
