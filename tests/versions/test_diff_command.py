"""``scrubin diff``: lines, JSON, a page, and an exit code that says whether the number fits."""

import json
import re
import subprocess
import sys

import pytest

import version_pairs
from scrubin.base.files import write_json, write_text
from scrubin.cli import main
from version_pairs import IDS, edit_rows

FOREIGN = ("av", "cv2", "jinja2", "yaml", "tqdm", "scipy", "prefect", "dvc", "torch", "sklearn")


@pytest.fixture(scope="module")
def new(old, tmp_path_factory):
    def edit(folder):
        edit_rows(folder, "phases", lambda rows: rows.assign(phase=rows.phase.where(rows.id != "abelo", "<b>dissection</b>")))
        edit_rows(folder, "splits", lambda rows: rows.assign(subset=rows.subset.where(rows.scheme != "balanced", "val")))

    return version_pairs.edited(old, tmp_path_factory.mktemp("new") / "release", edit, "1.1.0")


def test_lines_name_what_where_and_the_lowest_number(old, new, capsys):
    assert main(["diff", str(old), str(new)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "toy 1.0.0 -> toy 1.1.0"
    assert "  phases: 4 rows changed (phase 4) [major]" in lines
    assert "    abelo, frame 0: phase preparation -> <b>dissection</b>" in lines
    assert lines[-1].endswith("2.0.0 is the lowest number that fits")


def test_everybody_who_is_moved_stands_in_the_json(old, new, capsys):
    assert main(["diff", str(old), str(new), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["step"], document["lowest_version"], document["fits"]) == ("major", "2.0.0", False)
    (moved,) = [one for one in document["differences"] if one["change"] == "moved"]
    assert len(moved["examples"]) == moved["count"] == len(IDS)
    assert str(old) not in json.dumps(document)


def test_the_page_needs_nothing_else_and_shows_text_as_text(old, new, tmp_path, capsys):
    page = tmp_path / "diff.html"
    main(["diff", str(old), str(new), "--html", str(page)])
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;dissection&lt;/b&gt;" in text
    assert not re.findall(r"https?://|<script|<link|<img", text)
    assert text.count("<section") == text.count("</section>")
    capsys.readouterr()


def test_nothing_is_written_into_a_release(old, new, capsys):
    assert main(["diff", str(old), str(new), "--html", str(new / "diff.html")]) == 1
    assert "which is never changed" in capsys.readouterr().err
    assert not (new / "diff.html").exists()


def test_the_same_release_is_good(old, capsys):
    assert main(["diff", str(old), str(old)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "nothing differs"


def test_a_folder_that_is_no_release_is_named(old, tmp_path, capsys):
    assert main(["diff", str(old), str(tmp_path / "nothing")]) == 1
    assert "it is no release" in capsys.readouterr().err


@pytest.mark.slow
def test_a_downloader_needs_numpy_pandas_and_pyarrow_only(old, new, tmp_path):
    blocked = "".join(f"sys.modules[{name!r}] = None\n" for name in FOREIGN)
    code = f"import sys\n{blocked}from scrubin.cli import main\nsys.exit(main(sys.argv[1:]))"
    entry = {"id": "E1", "since": "1.0.0", "severity": "note", "what": "a", "advice": "b"}
    copy = version_pairs.edited(new, tmp_path / "copy", lambda folder: write_json(folder / "metadata/errata.yaml", [entry]), "2.0.0")
    ran = subprocess.run([sys.executable, "-c", code, "diff", old, copy, "--json"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["counts"]["errata"] == 1


def test_what_the_page_needs_is_named(old, new, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert main(["diff", str(old), str(new), "--html", str(tmp_path / "x.html")]) == 2
    assert "pip install 'scrubin[evaluate]'" in capsys.readouterr().err


def test_the_answer_is_the_same_each_time(old, new, capsys):
    answers = set()
    for _ in range(2):
        main(["diff", str(old), str(new), "--json"])
        answers.add(capsys.readouterr().out)
    assert len(answers) == 1


def test_a_release_of_before_without_newer_files_is_compared(old, tmp_path, capsys):
    new = version_pairs.edited(old, tmp_path / "new", lambda folder: write_text(folder / "metadata/facts.json", "{}"), "1.0.1")
    assert main(["diff", str(old), str(new)]) == 0
    assert "documents: 1 file added [patch]" in capsys.readouterr().out
