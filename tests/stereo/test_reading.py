from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrubin.base.errors import CalibrationError
from scrubin.media.rigs import written_rig
from scrubin.media.rigs.rig import MODELS
from scrubin.media.rigs.rig_file import read, read_bytes

LASANA = """k1: [[700.0, 0.0, 480.0], [0.0, 701.0, 270.0], [0.0, 0.0, 1.0]]
d1: [-0.2, 0.05, 0.001, -0.001, 0.0]
k2: [[702.0, 0.0, 478.0], [0.0, 703.0, 268.0], [0.0, 0.0, 1.0]]
d2: [-0.21, 0.05, 0.001, -0.001, 0.0]
R: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
t: [-4.2, 0.01, 0.02]
"""


def rig_of(text, unit="mm", size=(960, 540)):
    return read_bytes(text.encode(), "rig.yaml", unit, size)


def test_what_is_written_reads_back_bit_for_bit_by_us_by_opencv_and_by_any_yaml_reader(rig, tmp_path):
    path = tmp_path / "rig.yaml"
    written_rig.write(path, rig)
    back = read(path, "rig.yaml")
    assert back.key()[:2] == rig.key()[:2]
    for one, other in zip(back.key()[2][:4], rig.key()[2][:4], strict=True):
        assert one == other
    assert np.allclose(back.rotation, rig.rotation, atol=1e-15)
    assert back.translation.tolist() == rig.translation.tolist()
    storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_READ)
    assert storage.getNode("K2").mat().tolist() == rig.right.matrix.tolist()
    assert storage.getNode("T").mat().ravel().tolist() == rig.translation.tolist()
    assert storage.getNode("unit").string() == "mm"
    assert written_rig.text(back).count("\n") == written_rig.text(rig).count("\n")


@settings(max_examples=15)
@given(
    date=st.sampled_from(["", "2024", "2024-03", "2024-03-18"]),
    names=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=4),
)
@example(date="2024", names=["no", "2024-03-18", "1e3", 'a "b": c', "Zoë \U0001f600", "\x7f", " x ", "-"])
def test_date_and_recordings_read_back_as_they_were(rig, date, names):
    text = written_rig.text(replace(rig, date=date, recordings=tuple(names)))
    back = read_bytes(text.encode(), "rig.yaml")
    assert (back.date, back.recordings) == (date, tuple(names))


def test_a_file_of_opencv_reads_with_its_old_header_too(rig, tmp_path):
    path = tmp_path / "opencv.yaml"
    storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
    for key, value in {"M1": rig.left.matrix, "D1": rig.left.distortion, "M2": rig.right.matrix, "D2": rig.right.distortion}.items():
        storage.write(key, value)
    storage.write("R", rig.rotation)
    storage.write("T", rig.translation)
    storage.release()
    for header in ("%YAML 1.2", "%YAML:1.0"):
        text = path.read_text().replace("%YAML 1.2", header)
        back = read_bytes(text.encode(), "opencv.yaml", "mm", rig.size)
        assert np.allclose(back.translation, rig.translation)
        assert np.allclose(back.right.distortion, rig.right.distortion)


def test_matrices_that_opencv_wrote_as_json_are_read(rig, tmp_path):
    path = tmp_path / "opencv.json"
    storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
    for key, value in {"M1": rig.left.matrix, "D1": rig.left.distortion, "M2": rig.right.matrix, "D2": rig.right.distortion}.items():
        storage.write(key, value)
    storage.write("R", rig.rotation)
    storage.write("T", rig.translation)
    storage.release()
    assert '"type_id"' in path.read_text()
    back = read_bytes(path.read_bytes(), "opencv.json", "mm", rig.size)
    assert np.allclose(back.translation, rig.translation)
    assert np.allclose(back.left.matrix, rig.left.matrix)


def test_lasanas_keys_are_read_and_its_unit_and_size_are_asked_for():
    rig = rig_of(LASANA)
    assert rig.baseline_mm == pytest.approx(4.2, abs=1e-3)
    assert rig.right.matrix[0, 2] == 478
    assert rig_of(LASANA.replace("-4.2, 0.01, 0.02", "-0.0042, 0, 0"), "m").baseline_mm == pytest.approx(4.2)
    with pytest.raises(CalibrationError) as refused:
        rig_of(LASANA, None, None)
    assert "rig.yaml: it does not say in which unit t is; add the line 'unit: mm' (mm, cm, m), or pass --unit" in str(refused.value)
    assert "it does not say of which size the calibrated pictures are" in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("R: [[1.0", "R: [[1.1", "line 5, key 'R': R is no rotation: it is 0.1 off the nearest one"),
        ("[0.0, 0.0, 1.0]]\nt", "[0.0, 0.0, -1.0]]\nt", "line 5, key 'R': R is a mirror and no rotation"),
        (
            "t: [-4.2",
            "t: [4.2",
            "line 6, key 't': the right camera would stand 4.2 mm left of the left one; state R and t as X_right = R X_left",
        ),
        ("t: [-4.2, 0.01", "t: [-0.1, 4.2", "the right camera would stand above or below the left one"),
        ("t: [-4.2, 0.01, 0.02]", "t: [0, 0, 0]", "both cameras stand at one place"),
        ("t: [-4.2, 0.01, 0.02]", "t: [-4.2, 0.01]", "line 6, key 't': it has 2 numbers and not 3; give the translation"),
        ("t: [-4.2, 0.01, 0.02]", "t: [-4.2, west, 0.02]", "line 6, key 't': it is no list of numbers"),
        (
            "k1: [[700.0",
            f"k1: [[1{'0' * 400}",
            "line 1, key 'k1': it is no list of numbers",
        ),
        (
            "t: [",
            f"image_width: 1{'0' * 400}\nimage_height: 540\nt: [",
            "is no width and height; give two whole numbers of pixels, up to 32767",
        ),
        (
            "d1: [-0.2, 0.05",
            "d1: [-0.9, 0.05",
            "line 2, key 'd1': the lens model of the left camera folds in 51 % of pictures of 960x540: it has no inverse there",
        ),
        ("t: [-4.2, 0.01, 0.02]", "", "it has no translation; add it under the key T (or t)"),
        (
            "d1: [-0.2, 0.05, 0.001, -0.001, 0.0]",
            "d1: [-0.2, 0.05, 0.001]",
            "line 2, key 'd1': 3 coefficients of distortion are of no model",
        ),
        ("k1: [[700.0, 0.0, 480.0]", "k1: [[700.0, 0.0, 1480.0]", "the optical centre (1480, 270) lies outside of pictures of 960x540"),
        ("0.0, 701.0, 270.0", "0.0, 701.0, 770.0", "the optical centre (480, 770) lies outside of pictures of 960x540"),
        ("k1: [[700.0", "k1: [[-700.0", "line 1, key 'k1': it is no camera matrix"),
        ("k1: [[700.0, 0.0,", "k1: [[700.0, 25.0,", "line 1, key 'k1': the camera matrix has a skew of 25 px, which OpenCV's model"),
        ("[0.0, 0.0, 1.0]]\nd1", "[0.0, 0.0, 1.00001]]\nd1", "line 1, key 'k1': it is no camera matrix"),
        ("t: [", "k1: [[800.0, 0, 480], [0, 800, 270], [0, 0, 1]]\nt: [", "line 6: the key 'k1' stands twice, first in line 1"),
        (
            "t: [",
            "K1: [[800.0, 0, 480], [0, 800, 270], [0, 0, 1]]\nt: [",
            "line 1, key 'k1': it is another camera matrix of the left camera than 'K1' is; keep the right one of them",
        ),
        ("t: [", "unit: inch\nt: [", "line 6, key 'unit': it says 'inch', but 'mm' is asked for"),
        ("t: [", "image_width: 1920\nimage_height: 1080\nt: [", "it says 1920x1080, but 960x540 is asked for"),
        ("t: [", "convention: left to right\nt: [", "'left to right' is no convention"),
        ("t: [", "distortion_model: fisheye\nt: [", "the lens model 'fisheye' is not supported"),
        (
            "0.001, -0.001, 0.0]\nk2",
            "0.001, -0.001, 0.0, 0.0, 0.0, 1.0e-05]\ndistortion_model: radtan\nk2",
            "the left camera has coefficients that are not 0 behind the first 5, but the model is said to be 'radtan'",
        ),
        ("t: [", "date: last May\nt: [", "'last May' is no date"),
        ("[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]", "[[0.0, 0.0, -1.0], [0.0, 1.0, 0.0]", "R is no rotation"),
        ("k1: [", "k1: {", "rig.yaml, line 1: it is no YAML"),
    ],
)
def test_everything_wrong_is_said_with_file_line_and_mend(old, new, says):
    assert old in LASANA
    with pytest.raises(CalibrationError) as refused:
        rig_of(LASANA.replace(old, new, 1))
    assert says in str(refused.value)


FOUR = LASANA.replace("-0.001, 0.0]", "-0.001]")
"""The same with as many coefficients as a fish-eye model of OpenCV has."""


@pytest.mark.parametrize(
    "stated",
    [
        *("distortion_model: fish-eye", "distortion_model: fish eye", "distortion_model: FISH_EYE", "distortion_model: kb4"),
        *("distortion_model: KB4", "distortion_model: equi", "distortion_model: pinhole-equi", "distortion_model: ds"),
        *("distortion_model: double sphere", "distortion_model: eucm", "distortion_model: fov", "distortion_model: mei"),
        *("distortion_model: division", "distortion_model: scaramuzza", "distortion_model: ocam", "distortion_model: equidistant"),
        *("distortion_model: [radtan, equidistant]", "model: fisheye", "camera_model: KANNALA_BRANDT", "model_type: MEI"),
        *("Camera.type: KannalaBrandt8", "camera_type: fisheye", "type: fisheye", "lens: fisheye", "distortion_type: equidistant"),
        *("projection: equidistant", "calibration_model: kb4", "left_camera_model: MEI", "distortion: equidistant", "dist_model: x"),
        *("left: {distortion_model: equidistant}", "cam0: {camera_model: omni}", "cameras: [{model: omni-radtan}]", "not_fisheye: 0"),
        *("Lens-Model: omni", "cameraModel: {name: omni}", "fisheye_model: 1", "fisheye: true", "useFishEye: 1", "flags: CALIB_FISHEYE"),
        *("camera_model: unified", "camera_model: ucm", "camera_model: atan", "camera_model: cata-dioptric", "camera_model: MEI camera"),
        *("projection_model: stereographic", "model: {name: unified}", "xi: 1.2", "cam0: {xi: [1.2]}", "method: kb4", "type: omni-radtan"),
        *("camera: MEI", "type: DS", "lens: mei", "lens: pinhole mei", "camera_models: [x, x]", "models: [ds, ds]", "class: cv2.omnidir"),
        *("endoscope: {left: {distortion_model: theta}}", "endoscope_distortion_model: orthographic", "device: {lens_model: none of ours}"),
        *(
            "lens: 'fisheye, f/2.8'",
            "lens: fisheye (no k3)",
            "lens: 'not pinhole: fisheye'",
            "lens: Fisheye.v2",
            "type: equidistant/fisheye",
        ),
        *("camera_type: unified_model", "lens_type: division model", "type: field of view", "distortion: inverse_brown_conrady"),
        *("lens: Kannala and Brandt", "lens: Mei 2007", "lens: OCam toolbox", "xi_left: 1.2", "model_id: 5", "endoscope: {model: KB8}"),
        *("cameras: [{camera_id: fisheye1}]", "camera_type: equirectangular", "left_xi: 1.2", "distortion_model: {value: theta}"),
        *("class: fisheyeParameters", "calibrated_with: cv2.fisheye.stereoCalibrate", "projection: 'fisheye: never pinhole'"),
        *("intrinsics: {type: ds}", "distortion: fov", "camera_kind: ds", "camera_model: {name: x}", "model_distortion: fov"),
        *("distortion_model: OpenCV 鱼眼", "distortion_model: opencv 62", "lens: No. 2 fisheye", "lens: équidistant", "kb4: [0.1]"),
        *("camera_model: central", "camera_model: stereo lens", "equidistant: true", "ocam_model: {ss: [1]}", "api: cv2.fisheye"),
        *("lens: 'no, fisheye'", "lens: not only fisheye", "camera_type: area_scan_division", "lens_description: fisheye 170"),
        *("MappingCoefficients: [880.1]", "相机模型: ｆｉｓｈｅｙｅ", "distortion_model: opencv k1 k2 k3 p1 p2", "modèle: x"),
        *(
            "cam0: {type: eUCM}",
            "lens: FiSheye",
            "type: oCam",
            "lens: stereo-graphic",
            "fisheye: '✓'",
            "use_fisheye: '+'",
            "images: fisheye",
        ),
        *("composite: fisheye", "lens_lab: fisheye", "fisheye_lens_no: 12", "fish.eye: true", "镜头: 不是鱼眼而是KannalaBrandt模型"),
        *("camera_xi_model: fisheye", "D1_equidistant: [0.1]", "distortion_model: OpenCV 4.10 fisheye", "note: stereographic"),
        *("lens: Fujinon fisheye 170", "camera_model: da Vinci Xi", "model: IS4000", "distortion_model: 2", "projection: stereographic"),
    ],
)
def test_any_other_lens_model_that_a_file_states_is_refused_wherever_it_says_so(stated):
    with pytest.raises(CalibrationError, match=r"line 7, key '.*': the lens model '.*' is not supported; calibrate with OpenCV's pinhole"):
        rig_of(FOUR + stated + "\n")


@pytest.mark.parametrize(
    "stated",
    [
        *("distortion_model: radial-tangential", "distortion_model: Radial Tangential", "distortion_model: plumb_bob"),
        *("distortion_model: brown_conrady", "distortion_model: PlumbBob", "camera_model: OPENCV", "camera_model: opencv_standard"),
        *("camera_model: pinhole-radtan", "distortion_model: plumb_bob (OpenCV)", "camera_model: perspective", "model: none"),
        *("device: da Vinci Xi", "device_model: IS4000", "endoscope: {model: Karl Storz TIPCAM}", "sensor: OmniVision OV9734"),
        *("camera: Endocam Logic", "lens: Karl Storz 30 deg", "distortion_type: radial", "xi: 0.0", "camera_type: stereo"),
        *("camera_model: pinhole_camera", "camera_model: CameraModel.PINHOLE", "distortion_model: RS2_DISTORTION_BROWN_CONRADY"),
        *("model: SIMPLE_RADIAL", "lens_model: LENSMODEL_OPENCV5", "noise_model: gaussian", "camera_serial: 21KB8044", "lens: not fisheye"),
        *("author: Kannala", "operator: Equidistant Lab", "made_with: Scaramuzza toolbox", "# camera_model: fisheye", "mono_fisheye: 0"),
        *("not_fisheye: true", "is_fisheye: 'n'", "note: not a fisheye", "author: Mei", "source: fisheye/left.png", "recordings: [omni]"),
        *("distortion_model: radtan", "distortion_model:", "camera_model: pinhole", "fisheye_model: 0", "fisheye: false", "flags: 2"),
        *(
            "camera_operator: Mei",
            "camera_id: DS",
            "camera_serial: KB8",
            "lens: not a fisheye",
            "lens: 30 degree f/2.8",
            "lens: /dev/fisheye0",
        ),
        *("distortion_model: 'opencv (k1,k2,p1,p2,k3)'", "camera_model: 针孔模型", "fisheye: n/a", "fisheye: '-'", "use_fisheye: nein"),
        *(
            "distortion_model: OpenCV 4.10.0",
            "lens_model: radial (2) + tangential (2)",
            "davinci_xi_serial: '471123'",
            "xi_firmware: '9.2.1'",
        ),
        *("calibrator: Mei", "Endoskop: {Modell: Storz 26605BA}", "method: OpenCV calibration toolbox", "dist_coeff_names: [k1, k2, p1]"),
        *(
            "备注: 不使用鱼眼模型",
            "note: not using a fisheye",
            "note: 'equidistant dots, 4 mm'",
            "folder: data/fisheye/left",
            "畸变模型: 径向切向畸变",
        ),
        *(
            "lens: nonfisheye",
            "lens: isn't a fisheye",
            "robot: {xi: true}",
            "camera: {fov: 60}",
            "note: neither fisheye nor omnidirectional",
        ),
        *("camera_model: OpenCV 5 params", "camera_type: stereo endoscope", "stereo_endoscopes: [{model: IS4000}]", "imu_model: mems"),
    ],
)
def test_names_of_opencvs_own_models_are_read(stated):
    assert rig_of(FOUR + stated + "\n").key() == rig_of(FOUR).key()


@pytest.mark.parametrize(
    ("more", "stated"),
    [
        *((0, "rational"), (1, "FULL_OPENCV"), (1, "rational"), (4, "radtan"), (10, "rational"), (10, "radial-tangential")),
        *((10, "thin_prism"), (8, "tilted"), (1, "rational_polynomial")),
    ],
)
def test_zeros_behind_the_coefficients_of_a_model_that_are_there_or_lacking_are_the_same_model(more, stated):
    text = FOUR.replace("-0.001]", "-0.001" + more * ", 0.0" + "]") + f"distortion_model: {stated}\n"
    assert rig_of(text).left.distortion.tolist() == [-0.2, 0.05, 0.001, -0.001] + more * [0.0]


def test_coefficients_that_a_stated_model_does_not_have_are_refused():
    for stated, count in (("radtan", 5), ("rational", 8), ("thin_prism", 12), ("rational . thin prism", 12)):
        text = FOUR.replace("-0.001]", f"-0.001{(count - 4) * ', 0'}, 0.01{(13 - count) * ', 0'}]") + f"distortion_model: {stated}\n"
        with pytest.raises(CalibrationError, match=f"not 0 behind the first {count}, but the model is said to be '{stated}'"):
            rig_of(text)
    eight = FOUR.replace("-0.001]", "-0.001, 0, 0, 0, 0]") + "distortion_model: rational_polynomial\n"
    assert rig_of(eight).model == "rational"
    for stated in ("model: FULL_OPENCV", "distortion_model: plumb_bob", "distortion_model: brown_conrady"):
        assert rig_of(eight.replace("distortion_model: rational_polynomial", stated)).model == "rational"
    with pytest.raises(CalibrationError, match="the left camera has coefficients that are not 0, but the model is said to be 'none'"):
        rig_of(FOUR + "distortion_model: none\n")


@pytest.mark.parametrize("left", MODELS)
@pytest.mark.parametrize("right", MODELS)
def test_two_lenses_of_any_two_models_read_back_as_what_they_were(rig, left, right):
    coefficients = np.array([-0.2, 0.05, 0.001, -0.001, 0.01, 0.02, 0.01, 0.003, 0.001, 0.002, 0.001, 0.002, 0.01, -0.01])
    both = {side: replace(getattr(rig, side), distortion=coefficients[:count]) for side, count in (("left", left), ("right", right))}
    text = written_rig.text(replace(rig, **both))
    back = read_bytes(text.encode(), "rig.yaml")
    for side, count in (("left", left), ("right", right)):
        distortion = getattr(back, side).distortion
        assert distortion[:count].tolist() == coefficients[:count].tolist()
        assert not distortion[count:].any()
    assert back.model == MODELS[max(left, right)]
    # Where one model has both numbers of coefficients nothing is written behind them.
    assert (len(back.left.distortion) == left and len(back.right.distortion) == right) == (MODELS[left] == MODELS[right])
    assert written_rig.text(replace(back, rotation=rig.rotation)) == text


def test_one_value_under_two_names_is_no_contradiction():
    assert rig_of(LASANA + LASANA.splitlines()[0].replace("k1", "M1") + "\n").left.matrix[0, 0] == 700


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[[700.0, 0.0,", "[[700.0, 1.0e-14,"),
        ("[0.0, 701.0,", "[-2.0e-13, 701.0,"),
        ("[0.0, 0.0, 1.0]]\nd1", "[1.0e-17, 0.0, 1.0000000000000002]]\nd1"),
    ],
)
def test_what_a_program_left_of_a_zero_or_one_is_no_skew_and_no_other_matrix(old, new):
    assert old in LASANA
    assert rig_of(LASANA.replace(old, new, 1)).key() == rig_of(LASANA).key()


@pytest.mark.parametrize(
    "beside",
    [
        "M1: [[700.0000004, 0.0, 480.0], [0.0, 701.0, 270.0], [0.0, 0.0, 1.0]]",
        "r: [1, 0, 0.0000003, 0, 1, 0, 0, 0, 1]",
        "distCoeffs1: [-0.2, 0.05, 0.001, -0.001]",
        "M1:",
        "K1: ''",
        "T: 2024-01-01",
        "r: 0.98",
        "D1: Olympus",
    ],
)
def test_the_same_with_fewer_digits_and_what_is_something_else_are_no_contradiction(beside):
    assert rig_of(LASANA + beside + "\n").translation.tolist() == [-4.2, 0.01, 0.02]


@pytest.mark.parametrize(
    ("beside", "says"),
    [
        ("M1: [[700.1, 0, 480], [0, 701, 270], [0, 0, 1]]", "key 'M1': it is another camera matrix of the left camera than 'k1' is"),
        ("distCoeffs1: [-0.3, 0.05, 0.001, -0.001]", "key 'distCoeffs1': it is another distortion of the left camera than 'd1' is"),
        ("r: [1, 0, west, 0, 1, 0, 0, 0, 1]", "key 'r': it is no list of numbers; copy it from the calibration"),
    ],
)
def test_a_second_name_with_other_values_is_refused_for_what_it_is(beside, says):
    with pytest.raises(CalibrationError) as refused:
        rig_of(LASANA + beside + "\n")
    assert says in str(refused.value)


def test_lines_are_counted_with_the_first_one_that_is_no_yaml():
    with pytest.raises(CalibrationError, match="line 3, key 'k1': the camera matrix has a skew"):
        rig_of("%YAML:1.0\n---\n" + LASANA.replace("700.0, 0.0,", "700.0, 1.0,"))
    with pytest.raises(CalibrationError, match="line 9: the key 't' stands twice, first in line 8"):
        rig_of("%YAML:1.0\n---\n" + LASANA + "t: [-5.0, 0, 0]\n")


def test_all_faults_are_said_at_once():
    with pytest.raises(CalibrationError) as refused:
        rig_of(LASANA.replace("R: [[1.0", "R: [[1.1").replace("d1: [-0.2, ", "d1: ["), None, None)
    assert len([fault for fault in refused.value.faults if fault.severity == "error"]) == 4 - 1
    with pytest.raises(CalibrationError, match="it is empty; copy it again"):
        rig_of("")
    with pytest.raises(CalibrationError, match="it has no keys"):
        rig_of("- 1\n- 2\n")
    with pytest.raises(CalibrationError, match="its bytes are no text"):
        read_bytes(b"\xff\xfe\x00k1", "rig.yaml", "mm", (960, 540))


def test_a_stated_inverse_convention_is_turned_round(rig):
    inverse = rig.inverse_motion()
    text = written_rig.text(rig)
    stated = written_rig.text(inverse).replace("X_right = R X_left + t", "X_left = R X_right + t")
    assert np.allclose(read_bytes(stated.encode(), "a").translation, read_bytes(text.encode(), "b").translation)


def test_a_yaml_file_cannot_make_objects():
    with pytest.raises(CalibrationError, match="it is no YAML"):
        rig_of("k1: !!python/object/apply:os.getcwd []\n")
