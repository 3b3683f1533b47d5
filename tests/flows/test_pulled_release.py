"""A run says whether a release that it did not make itself is sound, and reads it for that once."""

import repro
from scrubin.base.file_lists import checksums_text
from scrubin.base.files import sha256_of, write_text
from scrubin.base.layout import RELEASE

README = "A study\n"


def test_a_damaged_release_that_was_pulled_is_no_good_run_until_one_is_made(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_text(RELEASE / "README.md", README)
    write_text(RELEASE / "SHA256SUMS", checksums_text({"README.md": sha256_of(RELEASE / "README.md")}))
    assert repro._fix_times(repro._last_release())
    assert capsys.readouterr().err == ""
    write_text(RELEASE / "README.md", "A stuby\n")
    assert not repro._fix_times(repro._last_release())
    said = capsys.readouterr().err
    assert said.startswith("data/release/README.md: its bytes are not those of SHA256SUMS")
    assert "a file of the release is damaged: '.venv/bin/scrubin verify --fix'" in said
    before = repro._last_release()
    write_text(RELEASE / "README.md", README)
    write_text(repro.RELEASED, "{}\n")  # as the stage does when its audit has read every file
    assert repro._fix_times(before)
