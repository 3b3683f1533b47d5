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


@pytest.fixture
def check(write, capsys):
    """Check a file of this text, with an exit code that must be; return the lines of what is said, in which it is called FILE."""

    def check(text, *more, code=1):
        path = write("s.csv", text)
        assert cli.main(["splits", "check", path, *more]) == code
        return capsys.readouterr().out.replace(path, "FILE").splitlines()

    return check


SPLIT = "id,task,subset\na,Knot,train\nb,Knot,train\nc,Knot,val\nd,Knot,test\n"


def test_a_sound_file(check):
    assert check(SPLIT, code=0) == [
        "videos: train 2, val 1, test 1",
        "groups: not checked, no column tells them (see --group)",
        "FILE is sound",
    ]


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", catalogue.available())
def test_every_official_split_is_sound_and_recognised(name, check):
    split = catalogue.load(name)
    rows = split.rows if len(split.folds) > 1 else split.rows.drop(columns="fold")
    assert f"equals the official split {name}" in check(rows.to_csv(index=False), code=0)


def test_one_fold_is_recognised(check):
    rows = catalogue.load("cholect50/cv").rows
    said = check(rows[rows.fold == 2].drop(columns="fold").to_csv(index=False), code=0)
    assert "equals the official split cholect50/cv@2" in said


def test_spellings_of_one_public_video_are_one_video(check):
    said = "FILE, line 4: video 'VID1' stands already in line 2 as 'VID01', there 'train', here 'test'; place it once"
    assert said in check("id,subset\nVID01,train\n2,val\nVID1,test\n")


def test_a_participant_in_two_subsets_by_table(write, check):
    table = write("t.csv", "id;participant;strong\na;P1;False\nb;P2;True\nc;P1;False\nd;P3;True\ne;P4;False\n")
    assert check(SPLIT, "--table", table, "--group", "participant", "--pin-train", "strong") == [
        "videos: train 2, val 1, test 1",
        f"groups: participant of {table}, 4 in all",
        "FILE, line 4: video 'c' of participant 'P1' is in 'val', but video 'a' (line 2) of the same participant is in 'train'; "
        "keep a participant in one subset",
        "FILE, line 5: video 'd' is marked in 'strong' and must be in 'train', but is in 'test'; move it",
        f"FILE: video 'e' ({table}, line 6) is not placed; add a row for it",
        "FILE is not sound: 3 faults",
    ]


def test_a_participant_spelt_in_two_ways_is_not_in_two_subsets(check):
    text = "id,subset,participant\na,train,P7\nb,test,p7\nc,test,Jose\u0301\nd,train,Jos\u00e9\ne,test,P8\nf,test,p8\n"
    lines, mend = check(text)[2:], "if they are one, keep them in one subset; if not, use names that differ in more"
    assert [line.partition(", but ")[2] for line in lines[:2]] == [
        f"video 'a' (line 2) of participant 'P7', here 'p7', is in 'train'; {mend}",
        rf"video 'c' (line 4) of participant 'Jose\u0301', here 'Jos\xe9', is in 'test'; {mend}",
    ]
    assert len(lines) == 3


def test_a_cell_that_names_several_people_is_a_fault_of_the_file_that_has_it(write, check):
    text = "id,subset,surgeon\na,train,S1; S3\nb,test,S3\nc,train,A/B team\nd,test,S1; S3\n"
    said = "FILE, line 2: surgeon 'S1; S3' names several: 'S3' stands in line 3, too; write one person, whom subsets keep apart; if it is"
    assert [line.startswith(said) for line in check(text, "--group", "surgeon") if "names several" in line] == [True]
    table = write("t.csv", "id,surgeon\na,S1 + S2\nb,S2 + S3\nc,S4\nd,S5\n")
    said = f"{table}, line 2: surgeon 'S1 + S2' names several: 'S2' stands in line 3, too"
    assert [line for line in check(text, "--table", table, "--group", "surgeon") if line.startswith(said)]


@pytest.mark.parametrize(("one", "other"), [("7", "007"), ("1", "1.0"), ("P1", "P01")])
def test_a_participant_whose_number_was_written_with_other_zeros_is_not_in_two_subsets(check, one, other):
    text = f"id,subset,participant\na,train,{one}\nb,test,{other}\nc,train,10\nd,test,100\n"
    *_, said, last = check(text, "--group", "participant")
    assert f"of participant '{one}', here '{other}', is in 'train'; if they are one, keep them in one subset" in said
    assert last == "FILE is not sound: 1 fault"


@pytest.mark.parametrize(("one", "other"), [("Op_12", "op_12"), ("op-12", "op\u201212"), ("7", "007"), ("v 1", "v\u200b 1")])
def test_a_video_that_is_spelt_otherwise_is_not_in_two_subsets(check, one, other):
    said = f"FILE, line 3: video {other!a} in 'test' differs from {one!a} in 'train' (line 2) in case, spaces"
    assert [line for line in check(f"id,subset\n{one},train\n{other},test\nc,train\n") if line.startswith(said)]
    check(f"id,subset\n{one},train\n{other},train\nc,test\n", code=0)


def test_who_is_surely_in_two_subsets_is_said_so_also_when_another_is_spelt_alike(check):
    said = "line 4: video 'c' of participant 'P7' is in 'train', but video 'b' (line 3) of the same participant is in 'test'; keep"
    assert [line for line in check("id,subset,participant\na,train,p7\nb,test,P7\nc,train,P7\n") if said in line]


def test_the_file_itself_may_tell_the_groups(write, check, capsys):
    text = "id,subset,site\na,train,X\nb,test,X\n"
    check(text, code=0)
    assert [line for line in check(text, "--group", "site") if "of the same site is in 'train'; keep a site in one subset" in line]
    assert cli.main(["splits", "check", write("s.csv", text), "--group", "sites"]) == 1
    assert "there is no column 'sites'; did you mean 'site'?" in capsys.readouterr().err


def test_the_answer_for_machines(check):
    found = json.loads("\n".join(check(SPLIT + "a,Knot,test\n", "--json")))
    assert found["sound"] is False
    assert [(finding["row"], finding["rule"]) for finding in found["findings"]] == [(6, "video-repeated")]
    assert found["sizes"] == [{"scheme": None, "fold": None, "counts": {"train": 2, "val": 1, "test": 2}}]


def test_operations_of_several_public_datasets_on_two_sides(check):
    text = "dataset,id,subset\ncholec80,68,train\ncholec80,1,train\nCholecT50,VID68,test\nendoscapes,2,val\nours,68,test\n"
    assert [line for line in check(text) if line.startswith("FILE")] == [
        "FILE, line 2: cholec80 68 is in 'train', but cholect50 68 (line 4) in 'test' is the same operation; keep both in one subset",
        "FILE, line 5: endoscapes 2 is in 'val', but cholect50 68 (line 4) in 'test' is the same operation; keep both in one subset",
        "FILE, line 5: endoscapes 2 is in 'val', but cholec80 68 (line 2) in 'train' is the same operation; keep both in one subset",
        "FILE is not sound: 3 faults",
    ]
    check("id,subset\nvideo68,train\nVID70,train\nVID68,test\n")


def test_sets_of_m2cai_that_must_meet(check):
    rows = "".join(f"m2cai16-tool/{number},train\n" for number in range(11, 16))
    said = "at least 1 of the operations of m2cai16-tool 11"
    assert [line for line in check(f"id,subset\n{rows}cholec80/61,test\n") if said in line]


def test_repeats(check):
    rows = "".join(f"{fold},{video},{'test' if i % 2 == fold % 2 else 'train'}\n" for fold in range(4) for i, video in enumerate("abcd"))
    text = f"fold,id,subset\n{rows}"
    check(text, code=0)
    assert [line for line in check(text, "--repeats", "1") if "is in 'test' of 2 of 4 folds (0, 2), not of 1" in line]
    with pytest.raises(SystemExit):
        check(text, "--repeats", "0")


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
