from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

import clips
from scrubin import cli
from scrubin.media.probe import probe
from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig_file import read
from scrubin.stages.stereo import drawing
from scrubin.stages.stereo.check import _of_rig


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    """A folder per camera with pictures of a ChArUco board, drawn small, and the rig."""
    folder = tmp_path_factory.mktemp("boards")
    rig = drawing.rig(np.random.default_rng(3), (400, 225))
    texture = drawing.charuco(7, 5, cv2.aruco.DICT_4X4_50, 20)
    sheets = drawing.board_sheets(texture, 36.0, rig, 6, np.random.default_rng(4))
    for side in ("left", "right"):
        (folder / side).mkdir()
        view = drawing.view(rig, side)
        for number, sheet in enumerate(sheets):
            cv2.imwrite(str(folder / side / f"{number}.png"), drawing.picture(view, [sheet]))
    return folder, rig


CHARUCO = ["--charuco", "7x5", "--square-mm", "4", "--marker-mm", "3", "--dictionary", "4X4_50"]


def test_a_rig_is_calibrated_from_two_folders(boards, tmp_path, capsys):
    folder, rig = boards
    out = tmp_path / "rig.yaml"
    assert cli.main(["stereo", "calibrate", str(folder / "left"), str(folder / "right"), str(out), *CHARUCO, "--date", "2024-03"]) == 0
    said = capsys.readouterr()
    assert "5 of 5 pairs used, reprojection error 0." in said.out
    assert "1: the board is not seen well enough in both pictures; the pair is passed over" in said.err
    assert "only 5 pairs were used" in said.err
    back = read(out, "rig.yaml")
    assert (back.unit, back.date, back.size) == ("mm", "2024-03", (400, 225))
    assert back.baseline_mm == pytest.approx(rig.baseline_mm, rel=0.1)
    assert cli.main(["stereo", "calibrate", str(folder / "left"), str(folder / "right"), str(out), *CHARUCO]) == 1
    assert "it is there already and is not overwritten" in capsys.readouterr().err


def test_mirrored_markers_and_pictures_without_partner_are_named(boards, tmp_path, capsys):
    folder, _ = boards
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        for path in (folder / side).iterdir():
            cv2.imwrite(str(tmp_path / side / path.name), cv2.imread(str(path))[:, ::-1])
    arguments = ["stereo", "calibrate", str(tmp_path / "left"), str(tmp_path / "right"), str(tmp_path / "rig.yaml"), *CHARUCO]
    assert cli.main(arguments) == 1
    assert "the markers of the board read only when the pictures are mirrored" in capsys.readouterr().err
    for path in (tmp_path / "left").iterdir():
        path.rename(path.with_stem(f"a{path.stem}"))
    assert cli.main(arguments) == 1
    assert "give the two pictures of a pair one name" in capsys.readouterr().err
    assert not (tmp_path / "rig.yaml").exists()


def test_pictures_of_another_size_and_damaged_ones_are_named(boards, tmp_path, capsys):
    folder, _ = boards
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        for path in sorted((folder / side).iterdir())[:2]:
            (tmp_path / side / path.name).write_bytes(path.read_bytes())
    arguments = ["stereo", "calibrate", str(tmp_path / "left"), str(tmp_path / "right"), str(tmp_path / "rig.yaml"), *CHARUCO]
    cv2.imwrite(str(tmp_path / "right/1.png"), np.zeros((100, 100), np.uint8))
    assert cli.main(arguments) == 1
    assert "right/1.png: it is 100x100, but the first picture is 400x225" in capsys.readouterr().err
    (tmp_path / "left/0.png").write_bytes(b"")
    assert cli.main(arguments) == 1
    assert "left/0.png: it cannot be decoded" in capsys.readouterr().err


def test_pairs_are_rectified_with_a_stated_alpha(boards, tmp_path, capsys):
    folder, rig = boards
    written_rig.write(tmp_path / "rig.yaml", rig)
    arguments = ["stereo", "rectify", str(tmp_path / "rig.yaml"), str(folder / "left"), str(folder / "right"), str(tmp_path / "out")]
    assert cli.main([*arguments, "--alpha", "0.5"]) == 0
    assert "6 pairs, alpha 0.5" in capsys.readouterr().out
    assert len(list((tmp_path / "out/right").iterdir())) == 6
    storage = cv2.FileStorage(str(tmp_path / "out/rectification.yaml"), cv2.FILE_STORAGE_READ)
    assert storage.getNode("alpha").real() == 0.5
    assert storage.getNode("Q").mat().shape == (4, 4)
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    rows = []
    for side in ("left", "right"):
        corners, numbers, _ = detector.detectMarkers(cv2.imread(str(tmp_path / f"out/{side}/000002.png")))
        rows.append({int(n): one[0, :, 1].mean() for n, one in zip(numbers.ravel(), corners, strict=True)})
    common = rows[0].keys() & rows[1].keys()
    assert len(common) >= 4
    assert max(abs(rows[0][n] - rows[1][n]) for n in common) < 0.5
    assert cli.main([*arguments, "--alpha", "0.5"]) == 1
    assert "it is there already" in capsys.readouterr().err


def test_a_calibration_of_another_size_says_how_it_is_converted(boards, tmp_path, capsys):
    folder, rig = boards
    written_rig.write(tmp_path / "full.yaml", rig.scaled(800, 450))
    files = [str(folder / "left"), str(folder / "right"), str(tmp_path / "out"), "--alpha", "0"]
    assert cli.main(["stereo", "rectify", str(tmp_path / "full.yaml"), *files]) == 1
    said = capsys.readouterr().err
    assert "the calibration is of pictures of 800x450 pixels" in said
    assert "--scale-to 400x225" in said
    written_rig.write(tmp_path / "full size.yaml", rig.scaled(800, 450))
    assert cli.main(["stereo", "rectify", str(tmp_path / "full size.yaml"), *files]) == 1
    assert f"scrubin stereo convert '{tmp_path}/full size.yaml' NEW" in capsys.readouterr().err
    assert cli.main(["stereo", "convert", str(tmp_path / "full.yaml"), str(tmp_path / "small.yaml"), "--scale-to", "400x225"]) == 0
    assert np.allclose(read(tmp_path / "small.yaml", "small").right.matrix, rig.right.matrix)
    assert cli.main(["stereo", "convert", str(tmp_path / "full.yaml"), str(tmp_path / "bad.yaml"), "--crop", "700,0,200,200"]) == 1
    assert "reaches beyond pictures of 800x450" in capsys.readouterr().err
    for changed, says in ((["--crop", "0,0,200,120"], "does not hold the left optical centre"), (["--scale-to", "1x1"], "are too small")):
        assert cli.main(["stereo", "convert", str(tmp_path / "full.yaml"), str(tmp_path / "bad.yaml"), *changed]) == 1
        assert says in capsys.readouterr().err
        assert not (tmp_path / "bad.yaml").exists()


def test_a_lens_model_that_folds_in_the_last_corners_is_told_and_taken(tmp_path, capsys):
    rig = drawing.rig(np.random.default_rng(1), (1920, 1080))
    matrix = np.array([[1726.6, 0, 904.98], [0, 1737.36, 529.12], [0, 0, 1]])
    lens = replace(rig.left, matrix=matrix, distortion=np.array([0.169978, -0.697303, -0.002944, -0.004961, 0]))
    written_rig.write(tmp_path / "rig.yaml", replace(rig, left=lens))
    assert cli.main(["stereo", "convert", str(tmp_path / "rig.yaml"), str(tmp_path / "half.yaml"), "--scale-to", "960x540"]) == 0
    assert "folds in 0.12 % of pictures of 1920x1080: it has no inverse there, and labels there are left out" in capsys.readouterr().err
    assert [finding.rule for finding in _of_rig(replace(rig, left=lens))] == ["folds"]


def test_two_videos_are_rectified_once_a_second_and_checked_to_their_length(tmp_path, capsys):
    videos = [tmp_path / "left.mkv", tmp_path / "right.mkv"]
    for path, count in zip(videos, (50, 50), strict=True):
        clips.numbered(path, count, fps=20)
    probed = probe(videos[0], "left.mkv")
    written_rig.write(tmp_path / "rig.yaml", drawing.rig(np.random.default_rng(3), (probed.width, probed.height)))
    names = [str(path) for path in videos]
    assert cli.main(["stereo", "rectify", str(tmp_path / "rig.yaml"), *names, str(tmp_path / "out"), "--alpha", "0"]) == 0
    assert [path.name for path in sorted((tmp_path / "out/left").iterdir())] == ["000000.png", "000020.png", "000040.png"]
    videos[1].unlink()
    clips.numbered(videos[1], 45, fps=20)
    assert cli.main(["stereo", "rectify", str(tmp_path / "rig.yaml"), *names, str(tmp_path / "again"), "--alpha", "0"]) == 1
    assert "it has 45 frames, but" in capsys.readouterr().err
    cli.main(["stereo", "check", str(tmp_path / "rig.yaml"), *names])
    assert "the left camera has 50 frames, the right one 45" in capsys.readouterr().out


def test_two_videos_with_other_clocks_are_no_pairs_and_named(tmp_path, capsys):
    clips.numbered(tmp_path / "left.mkv", 60, fps=20)
    clips.numbered(tmp_path / "slow first.mkv", 60, fps=20, pts=[*range(0, 2100, 70), *range(2060, 2960, 30)])
    clips.numbered(tmp_path / "other rate.mkv", 60, fps=25)
    clips.numbered(tmp_path / "jitter.mkv", 60, fps=20, pts=[50 * n - 5 * (n % 2) for n in range(60)])
    probed = probe(tmp_path / "left.mkv", "left.mkv")
    written_rig.write(tmp_path / "rig.yaml", drawing.rig(np.random.default_rng(3), (probed.width, probed.height)))

    def said(command, right, *more):
        status = cli.main(["stereo", command, str(tmp_path / "rig.yaml"), str(tmp_path / "left.mkv"), str(tmp_path / right), *more])
        return status, "".join(capsys.readouterr())

    rectify = (str(tmp_path / "out"), "--alpha", "0")
    rates = "the left camera has 20 frames a second, the right one 25; export both cameras again"
    assert rates in said("check", "other rate.mkv")[1]
    status, text = said("rectify", "other rate.mkv", *rectify)
    assert (status, rates in text) == (1, True)
    assert "undecided: by the clocks of both files frames of one number are up to 580 ms apart" in said("check", "slow first.mkv")[1]
    status, text = said("rectify", "slow first.mkv", *rectify)
    assert status == 1
    assert "slow first.mkv: 2 of 3 pairs are of two instants, up to 400 ms apart; export both cameras again with one clock" in text
    status, text = said("rectify", "jitter.mkv", *rectify)
    assert (status, "3 pairs" in text) == (0, True)
    assert "two instants" not in said("check", "jitter.mkv")[1]
    text = said("check", "jitter.mkv", "--every-s", "0.05")[1]
    assert "29 of 59 pairs are of two instants, up to 50 ms apart; export both cameras again with one clock" in text
