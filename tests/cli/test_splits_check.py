from __future__ import annotations

import json

import pytest

from scrubin import cli
from scrubin.public_splits import catalogue


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return written


SPLIT = "id,task,subset\na,Knot,train\nb,Knot,train\nc,Knot,val\nd,Knot,test\n"


def test_a_sound_file(write, capsys):
    path = write("s.csv", SPLIT)
    assert cli.main(["splits", "check", path]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "videos: train 2, val 1, test 1",
        "groups: not checked, no column tells them (see --group)",
        f"{path} is sound",
    ]


@pytest.mark.cases(6)
@pytest.mark.parametrize("name", catalogue.available())
def test_every_official_split_is_sound_and_recognised(name, write, capsys):
    split = catalogue.load(name)
    rows = split.rows if len(split.folds) > 1 else split.rows.drop(columns="fold")
    path = write("s.csv", rows.to_csv(index=False))
    assert cli.main(["splits", "check", path]) == 0
    assert f"equals the official split {name}\n" in capsys.readouterr().out


def test_one_fold_is_recognised(write, capsys):
    rows = catalogue.load("cholect50/cv").rows
    path = write("s.csv", rows[rows.fold == 2].drop(columns="fold").to_csv(index=False))
    assert cli.main(["splits", "check", path]) == 0
    assert "equals the official split cholect50/cv@2\n" in capsys.readouterr().out


def test_spellings_of_one_public_video_are_one_video(write, capsys):
    path = write("s.csv", "id,subset\nVID01,train\n2,val\nVID1,test\n")
    assert cli.main(["splits", "check", path]) == 1
    assert (
        f"{path}, line 4: video 'VID1' stands already in line 2 as 'VID01', there 'train', here 'test'; place it once"
        in capsys.readouterr().out
    )


def test_a_participant_in_two_subsets_by_table(write, capsys):
    path, table = write("s.csv", SPLIT), write("t.csv", "id;participant;strong\na;P1;False\nb;P2;True\nc;P1;False\nd;P3;True\ne;P4;False\n")
    assert cli.main(["splits", "check", path, "--table", table, "--group", "participant", "--pin-train", "strong"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "videos: train 2, val 1, test 1",
        f"groups: participant of {table}, 4 in all",
        f"{path}, line 4: video 'c' of participant 'P1' is in 'val', but video 'a' (line 2) of the same participant is in 'train'; "
        "keep a participant in one subset",
        f"{path}, line 5: video 'd' is marked in 'strong' and must be in 'train', but is in 'test'; move it",
        f"{path}: video 'e' ({table}, line 6) is not placed; add a row for it",
        f"{path} is not sound: 3 faults",
    ]


def test_a_participant_spelt_in_two_ways_is_not_in_two_subsets(write, capsys):
    path = write("s.csv", "id,subset,participant\na,train,P7\nb,test,p7\nc,test,Jose\u0301\nd,train,Jos\u00e9\ne,test,P8\nf,test,p8\n")
    assert cli.main(["splits", "check", path]) == 1
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.partition(", but ")[2] for line in lines[:2]] == [
        "video 'a' (line 2) of participant 'P7', here 'p7', is in 'train'; if they are one, keep them in one subset; if not, use names "
        "that differ in more",
        r"video 'c' (line 4) of participant 'Jose\u0301', here 'Jos\xe9', is in 'test'; if they are one, keep them in one subset; if not, "
        "use names that differ in more",
    ]
    assert len(lines) == 3


def test_a_cell_that_names_several_people_is_a_fault_of_the_file_that_has_it(write, capsys):
    path = write("s.csv", "id,subset,surgeon\na,train,S1; S3\nb,test,S3\nc,train,A/B team\nd,test,S1; S3\n")
    assert cli.main(["splits", "check", path, "--group", "surgeon"]) == 1
    said = (
        f"{path}, line 2: surgeon 'S1; S3' names several: 'S3' stands in line 3, too; write one person, whom subsets keep apart; if it is"
    )
    lines = capsys.readouterr().out.splitlines()
    assert [line.startswith(said) for line in lines if "names several" in line] == [True]
    table = write("t.csv", "id,surgeon\na,S1 + S2\nb,S2 + S3\nc,S4\nd,S5\n")
    assert cli.main(["splits", "check", path, "--table", table, "--group", "surgeon"]) == 1
    assert f"{table}, line 2: surgeon 'S1 + S2' names several: 'S2' stands in line 3, too" in capsys.readouterr().out


@pytest.mark.parametrize(("one", "other"), [("7", "007"), ("1", "1.0"), ("P1", "P01")])
def test_a_participant_whose_number_was_written_with_other_zeros_is_not_in_two_subsets(write, capsys, one, other):
    path = write("s.csv", f"id,subset,participant\na,train,{one}\nb,test,{other}\nc,train,10\nd,test,100\n")
    assert cli.main(["splits", "check", path, "--group", "participant"]) == 1
    said = capsys.readouterr().out
    assert f"of participant '{one}', here '{other}', is in 'train'; if they are one, keep them in one subset" in said
    assert "is not sound: 1 fault\n" in said


@pytest.mark.parametrize(("one", "other"), [("Op_12", "op_12"), ("op-12", "op\u201212"), ("7", "007"), ("v 1", "v\u200b 1")])
def test_a_video_that_is_spelt_otherwise_is_not_in_two_subsets(write, capsys, one, other):
    path = write("s.csv", f"id,subset\n{one},train\n{other},test\nc,train\n")
    assert cli.main(["splits", "check", path]) == 1
    assert f"line 3: video {other!a} in 'test' differs from {one!a} in 'train' (line 2) in case, spaces" in capsys.readouterr().out
    assert cli.main(["splits", "check", write("t.csv", f"id,subset\n{one},train\n{other},train\nc,test\n")]) == 0


def test_who_is_surely_in_two_subsets_is_said_so_also_when_another_is_spelt_alike(write, capsys):
    path = write("s.csv", "id,subset,participant\na,train,p7\nb,test,P7\nc,train,P7\n")
    assert cli.main(["splits", "check", path]) == 1
    assert (
        "line 4: video 'c' of participant 'P7' is in 'train', but video 'b' (line 3) of the same participant is in 'test'; keep"
        in capsys.readouterr().out
    )


def test_the_file_itself_may_tell_the_groups(write, capsys):
    path = write("s.csv", "id,subset,site\na,train,X\nb,test,X\n")
    assert cli.main(["splits", "check", path]) == 0
    assert cli.main(["splits", "check", path, "--group", "site"]) == 1
    assert "of the same site is in 'train'; keep a site in one subset" in capsys.readouterr().out
    assert cli.main(["splits", "check", path, "--group", "sites"]) == 1
    assert "there is no column 'sites'; did you mean 'site'?" in capsys.readouterr().err


def test_the_answer_for_machines(write, capsys):
    path = write("s.csv", SPLIT + "a,Knot,test\n")
    assert cli.main(["splits", "check", path, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["sound"] is False
    assert [(finding["row"], finding["rule"]) for finding in found["findings"]] == [(6, "video-repeated")]
    assert found["sizes"] == [{"scheme": None, "fold": None, "counts": {"train": 2, "val": 1, "test": 2}}]


def test_operations_of_several_public_datasets_on_two_sides(write, capsys):
    path = write("s.csv", "dataset,id,subset\ncholec80,68,train\ncholec80,1,train\nCholecT50,VID68,test\nendoscapes,2,val\nours,68,test\n")
    assert cli.main(["splits", "check", path]) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if line.startswith(path)] == [
        f"{path}, line 2: cholec80 68 is in 'train', but cholect50 68 (line 4) in 'test' is the same operation; keep both in one subset",
        f"{path}, line 5: endoscapes 2 is in 'val', but cholect50 68 (line 4) in 'test' is the same operation; keep both in one subset",
        f"{path}, line 5: endoscapes 2 is in 'val', but cholec80 68 (line 2) in 'train' is the same operation; keep both in one subset",
        f"{path} is not sound: 3 faults",
    ]
    path = write("s.csv", "id,subset\nvideo68,train\nVID70,train\nVID68,test\n")
    assert cli.main(["splits", "check", path]) == 1


def test_sets_of_m2cai_that_must_meet(write, capsys):
    rows = "".join(f"m2cai16-tool/{number},train\n" for number in range(11, 16))
    path = write("s.csv", f"id,subset\n{rows}cholec80/61,test\n")
    assert cli.main(["splits", "check", path]) == 1
    assert "at least 1 of the operations of m2cai16-tool 11" in capsys.readouterr().out


def test_repeats(write, capsys):
    rows = "".join(f"{fold},{video},{'test' if i % 2 == fold % 2 else 'train'}\n" for fold in range(4) for i, video in enumerate("abcd"))
    path = write("s.csv", f"fold,id,subset\n{rows}")
    assert cli.main(["splits", "check", path]) == 0
    assert cli.main(["splits", "check", path, "--repeats", "1"]) == 1
    assert "is in 'test' of 2 of 4 folds (0, 2), not of 1" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.main(["splits", "check", path, "--repeats", "0"])


def test_a_dataset_column_and_a_table_do_not_go_together(write, capsys):
    path, table = write("s.csv", "dataset,id,subset\nours,1,train\nours,2,test\n"), write("t.csv", "id,participant\n1,P\n2,Q\n")
    assert cli.main(["splits", "check", path, "--table", table]) == 1
    assert "put the groups into this file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", ["", "\n\n", "id,subset\n", "a\n", "\x00\x00", 'id,subset\n"a,train\n', "id;subset\na;b;c\n", "id,subset\n,\n"]
)
def test_rubbish_is_one_sentence_and_no_traceback(write, capsys, content):
    path = write("s.csv", content)
    assert cli.main(["splits", "check", path]) == 1
    said = capsys.readouterr()
    assert path in said.err or "not sound" in said.out
    assert "Traceback" not in said.err
