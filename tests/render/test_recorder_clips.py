"""Every kind of file that a recorder may write: what the table in the documents says of it is what happens."""

from __future__ import annotations

import numpy as np
import pytest

from recorder_clips import CASES, COPIED, ENCODED, REFUSED, TOUCHED, Case
from scrubin.cli import main
from scrubin.curate.draft import read_header
from scrubin.media.decode import decoded
from scrubin.media.probe import probe
from scrubin.media.structure import structure
from scrubin.stages.render import RenderParams
from scrubin.stages.render.parts import parts
from scrubin.stages.render.plan import Redaction, plan

FEWEST = 25
KEPT_S, HIDDEN_S = (0.5, 1.9), (1.0, 1.2)
# crf 18 on a drawing of 176 x 144 pixels; a neighbouring frame is far from it.
LEAST_DB = 34.0
BLACK = 16
PARAMS = RenderParams("smart", 18, "veryfast", 0.0)


def planes(frame) -> np.ndarray:
    """Brightness of a frame as it is released."""
    plain = frame.reformat(format="yuv420p", dst_color_range="MPEG")
    shown = np.rot90(plain.to_ndarray()[: frame.height], frame.rotation // 90)
    height, width = shown.shape
    return shown[: height - height % 2, : width - width % 2].astype(np.float64)


def psnr(one: np.ndarray, other: np.ndarray) -> float:
    error = float(np.mean((one - other) ** 2))
    return 99.0 if error == 0 else 10 * np.log10(255**2 / error)


def test_the_table_is_long_enough_and_no_kind_stands_twice_in_it():
    assert len({case.kind for case in CASES}) == len(CASES) >= FEWEST
    assert {case.verdict for case in CASES} == {COPIED, ENCODED, REFUSED}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind)
def test_a_kind_of_file_is_copied_encoded_or_refused_as_the_table_says(case: Case, tmp_path, capsys):
    path = case.make(tmp_path)
    target = tmp_path / "out.mkv"
    asked = ["--start", str(KEPT_S[0]), "--end", str(KEPT_S[1]), "--redact", "-".join(map(str, HIDDEN_S))]
    code = main(["render", str(path), str(target), *asked])
    said = capsys.readouterr().err
    if case.verdict == REFUSED:
        assert code == 1
        assert case.why in said
        return
    assert code == 0, said
    probed, groups = probe(path, path.name), structure(path, path.name)
    assert groups.unsure == ("" if case.verdict == COPIED else groups.unsure)
    cut = plan(probed.pts, probed.time_base, probed.end_s, KEPT_S, [Redaction(*HIDDEN_S, None)], (probed.width, probed.height))
    how = parts(cut, groups, PARAMS.mode, probed.rotation_deg)
    assert (how.encoded_count < cut.frame_count) == (case.verdict == COPIED)
    assert how.why.startswith(case.why)
    # What is told of a folder before anything is read; a cut is not known then.
    assert read_header(path, path.name).why_encoded == ("" if case.why == TOUCHED else how.why)
    assert_frames_are_those_of_the_source(case, path, target, cut, how)


def assert_frames_are_those_of_the_source(case, path, target, cut, how) -> None:
    source = [planes(frame) for frame in decoded(path, path.name)]
    released = list(decoded(target, target.name, ignore_edit_list=True))
    assert len(released) == cut.frame_count
    hidden = {frame for item in cut.hidden for frame in range(item.first, item.last + 1)}
    copied = {frame for part in how.parts if part.copied for frame in range(part.first, part.last + 1)}
    assert hidden
    # Both pictures of an interlaced frame stay woven: no filter touched them, and nothing says so to players.
    assert not any(frame.interlaced_frame for frame in released)
    for number, frame in enumerate(released):
        picture, wanted = planes(frame), source[cut.first_source_frame + number]
        if number in hidden:
            assert picture.max() <= BLACK
        elif number in copied:
            assert np.array_equal(picture, wanted), number
        else:
            near = [psnr(picture, one) for one in source]
            assert int(np.argmax(near)) == cut.first_source_frame + number
            assert near[cut.first_source_frame + number] >= LEAST_DB
