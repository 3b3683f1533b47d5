"""Kinds of phase metrics through the command: segments, events, videos."""

import pytest

from score_runs import fault, good, put, results, sides


def table(phases):
    return "frame,phase\n" + "".join(f"{frame},{phase}\n" for frame, phase in enumerate(phases))


@pytest.fixture
def study(tmp_path):
    names = ["Preparation"] * 10 + ["CalotTriangleDissection"] * 10 + ["ClippingCutting"] * 10
    late = ["Preparation"] * 14 + ["CalotTriangleDissection"] * 8 + ["ClippingCutting"] * 8
    videos = ("video01.csv", "video02.csv")
    return put(tmp_path, truth=dict.fromkeys(videos, table(names)), found=dict.fromkeys(videos, table(late)))


def test_segments_have_an_edit_score_and_f1_at_every_overlap(study, capsys):
    found, _ = results(capsys, study, "phases", "kind=segments", "overlap=10,80")
    metrics = list(dict.fromkeys(one["metric"] for one in found))
    assert metrics == ["phase segments edit score", "phase segments F1@10", "phase segments F1@80"]
    assert found[0]["overall"] == {"value": 1.0, "n": 2}
    # IoU 10/14, 6/14 and 8/10.
    pooled = [one["overall"] for one in found if one["options"]["statistic"] == "pooled"]
    assert pooled == [{"value": 1.0, "n": 6}, {"value": 1 / 3, "n": 6}]


def test_events_say_the_rate_that_nobody_states(study, capsys):
    found, said = results(capsys, study, "phases", "kind=events")
    assert "frames are taken as one per second; say another by --fps" in said
    assert found[0]["overall"] == {"value": 3.0, "n": 4}
    faster = good(capsys, *sides(study, "phases", "--fps", "2", "--predictions-fps", "2", "--variant", "kind=events"))
    assert "statistic=median absolute  1.5000  n=4" in faster.out
    assert "one per second" not in faster.err


def test_a_background_is_named_as_the_phases_are(study, capsys):
    for name in ("clipping_cutting", "3"):
        found, _ = results(capsys, study, "phases", "kind=segments", f"background={name}")
        assert found[0]["options"]["background"] in ("ClippingCutting", "clipping-and-cutting", "GallbladderDissection")
    assert "the phases are" in fault(capsys, *sides(study, "phases", "--variant", "kind=segments", "background=lunch"))


@pytest.fixture
def resting(tmp_path):
    """A study with a phase of this name, whose removal changes every number."""

    def made(name):
        truth, found = (["cut"] * at + [name] * 5 + ["sew"] * (15 - at) for at in (8, 4))
        return put(tmp_path, truth={"v.csv": table(truth)}, found={"v.csv": table(found)})

    return made


@pytest.mark.parametrize("kind", ["segments", "events"])
@pytest.mark.parametrize("name", ["none", "None", "NONE"])
def test_a_phase_that_is_called_none_is_left_out_by_its_id_alone(resting, capsys, kind, name):
    study = resting(name)
    # Without a vocabulary phases stand in the order of the alphabet.
    id_ = 1
    for said in ("none", "None"):
        refused = fault(capsys, *sides(study, "phases", "--variant", f"kind={kind}", f"background={said}"))
        assert f"background={said}: a phase is called '{name}', and 'none' leaves nothing out; say background={id_}" in refused
    found, _ = results(capsys, study, "phases", f"kind={kind}")
    without, _ = results(capsys, study, "phases", f"kind={kind}", f"background={id_}")
    assert {one["options"]["background"] for one in found} == {"none"}
    assert {one["options"]["background"] for one in without} == {f"{name} (phase {id_})"}
    assert [one["overall"] for one in found] != [one["overall"] for one in without]


def test_nothing_is_left_out_by_none_in_any_spelling(study, capsys):
    found, _ = results(capsys, study, "phases", "kind=segments")
    for said in ("none", "None"):
        assert results(capsys, study, "phases", "kind=segments", f"background={said}")[0] == found


@pytest.mark.parametrize("background", ["-1", "- 1", "+1", "\u22121", "\u20131", "(1)", "1.0", "1_0", "4", ""])
def test_a_background_with_a_sign_or_empty_is_no_id(tmp_path, capsys, background):
    study = put(tmp_path, truth={"v.csv": table([0, 0, 1, 1])}, found={"v.csv": table([0, 1, 1, 1])})
    refused = fault(capsys, *sides(study, "phases", "--variant", "kind=segments", f"background={background}"))
    known = "0, 1" if background else "0, 1, none"
    assert f"background={background}: the phases are {known}\n" in refused


@pytest.mark.parametrize("cell", ["+1", "(1)", "1_1", "\u20141", "\u20111", "\uff0d1", "~1", "<1", "\u22601", "1-"])
def test_a_phase_with_a_sign_is_no_other_phase(tmp_path, capsys, cell):
    study = put(tmp_path, truth={"v.csv": table([0, 0, 1, 1])}, found={"v.csv": table([0, 1, cell, 1])})
    assert f"'{cell}' is no phase of the vocabulary" in fault(capsys, *sides(study, "phases"))


@pytest.mark.parametrize(("one", "other"), [("P1.1", "P11"), ("\u0e15\u0e31\u0e14", "\u0e15\u0e34\u0e14"), ("duct <5 mm", "duct >5 mm")])
def test_phases_that_a_point_a_sign_or_a_vowel_tells_apart_are_not_one(tmp_path, capsys, one, other):
    study = put(tmp_path, truth={"v.csv": table([one, one, other, "close"])}, found={"v.csv": table([other, one, one, "close"])})
    found, _ = results(capsys, study, "phases")
    assert found[0]["overall"]["value"] == 0.5


def test_a_phase_is_found_in_another_form_of_its_letters(tmp_path, capsys):
    study = put(tmp_path, truth={"v.csv": table(["Pr\u00e4paration", "x"])}, found={"v.csv": table(["Pra\u0308paration", "x"])})
    found, _ = results(capsys, study, "phases")
    assert found[0]["overall"]["value"] == 1.0


def test_predicted_phases_that_could_be_two_are_refused(tmp_path, capsys):
    study = put(tmp_path, truth={"v.csv": table(["a/b", "c"])}, found={"v.csv": table(["ab", "a/b"])})
    said = "v.csv: the phases 'a/b' and 'ab' would be one name, as the signs in which they differ do not count"
    assert said in fault(capsys, *sides(study, "phases"))


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        (("kind=segments", "omega=5"), "omega=5 says nothing of kind=segments; it belongs to kind=frames"),
        (("overlap=20",), "overlap=20 says nothing of kind=frames; it belongs to kind=segments"),
        (("kind=segments", "overlap=0"), "give percent with commas"),
        (("kind=segments", "overlap=half"), "give percent with commas"),
    ],
)
def test_what_says_nothing_of_a_kind_is_refused(study, capsys, variant, expected):
    assert expected in fault(capsys, *sides(study, "phases", "--variant", *variant))


def test_the_spread_over_videos_has_quartiles(study, capsys):
    found, _ = results(capsys, study, "phases", "kind=videos")
    statistics = ["mean over videos", "SD over videos", "least over videos", "lower quartile over videos"]
    assert [one["options"]["statistic"] for one in found[:4]] == statistics
    assert found[0]["overall"]["n"] == 2


def everywhere(study, change):
    """Change the text of every table."""
    for file in study.glob("*/video*.csv"):
        file.write_text(change(file.read_text()))


def in_other_words(text):
    return text.replace("Preparation", "aa").replace("Calot", "bb").replace("Clipping", "cc")


@pytest.mark.parametrize("variant", [["undefined=zero"], ["undefined=one"], ["kind=videos", "undefined=zero"]])
def test_phases_that_only_the_vocabulary_of_their_names_has_take_no_part(study, capsys, variant):
    def mean(*more):
        found, _ = results(capsys, study, "phases", *variant, more=more)
        return next(one["overall"]["value"] for one in found if one["metric"].endswith(" f1"))

    # One video lacks a phase, so that something is undefined.
    for side in ("truth", "found"):
        file = study / side / "video02.csv"
        file.write_text(file.read_text().replace("ClippingCutting", "Preparation"))
    by_name, whole = mean(), mean("--vocabulary", "cholec80")
    assert whole != by_name
    # Files that are named as Cholec80's have its phases.
    for file in [*study.glob("*/video*.csv")]:
        file.rename(file.with_name(f"{file.stem}-phase.csv"))
    assert mean() == whole
    for file in [*study.glob("*/video*.csv")]:
        file.rename(file.with_name(file.name.replace("-phase", "")))
    everywhere(study, in_other_words)
    assert mean() == by_name


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("variant", [["undefined=A"], ["undefined=zero"], ["undefined=one"], ["kind=videos", "undefined=one"]])
def test_a_phase_that_only_predictions_have_is_false_and_none_of_the_phases(study, capsys, variant, named):
    def scored(run):
        found, said = results(capsys, study, "phases", *variant, more=("--out", study / f"{run}.json"))
        of_means = [one for one in found if one["options"]["statistic"].startswith("mean") and "relaxed" not in one["metric"]]
        assert {one["options"]["phases"] for one in of_means} == {"3"}
        return {one["metric"]: one["overall"]["value"] for one in of_means}, said

    if not named:
        everywhere(study, in_other_words)
    honest, said = scored("honest")
    assert "no labelled video" not in said
    file = study / "found" / "video01.csv"
    rows = file.read_text().splitlines()
    file.write_text("\n".join([*rows[:-1], "29,GallbladderPackaging"]) + "\n")
    invents, said = scored("invents")
    assert "so their frames are false: 'GallbladderPackaging'" in said
    assert all(invents[metric] <= value for metric, value in honest.items() if "precision" not in metric)
    assert "phase recognition recall" in good(capsys, "compare", study / "honest.json", study / "invents.json").out


@pytest.mark.parametrize(
    "kind", [pytest.param("segments", marks=pytest.mark.slow), "events", pytest.param("videos", marks=pytest.mark.slow)]
)
def test_every_kind_has_a_page(study, capsys, kind):
    # A second early in every video: a single value below 0.
    early = table(["Preparation"] * 8 + ["CalotTriangleDissection"] * 12 + ["ClippingCutting"] * 10)
    put(study, found=dict.fromkeys(("video01.csv", "video02.csv"), early))
    good(capsys, *sides(study, "phases", "--html", study / "page.html", "--variant", f"kind={kind}"))
    assert "phase" in (study / "page.html").read_text()
