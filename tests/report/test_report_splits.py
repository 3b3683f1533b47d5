"""The page's section on splits: what is proven, how the subsets compare, and what a curator must look at."""

from __future__ import annotations

import copy
import dataclasses
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reported_study
import synthetic_study
from reported_study import BY_TASK, JOINT, PARAMS
from scrubin.base.tables import io
from scrubin.stages.report import ReportedStudy, figures, page, split_figures, splits
from scrubin.stages.report.document import document
from scrubin.stages.splits.cohort import Tables
from scrubin.stages.splits.split_params import LeaveOutParams

WORDS = dataclasses.replace(PARAMS, worst_frames=0)
HOSTILE = "<script>alert('x')</script>"


def changed(study: ReportedStudy, change) -> ReportedStudy:
    """The study with another report of the stage splits."""
    said = copy.deepcopy(dict(study.splits))
    change(said)
    return dataclasses.replace(study, splits=said)


def words(study: ReportedStudy) -> str:
    """The page without pictures, which take long to draw."""
    return re.sub(r'src="data:[^"]*"', "", reported_study.page_without_pictures(study, Path(), WORDS))


def section_of(html: str) -> str:
    return html[html.index('<section id="splits">') : html.index('<section id="labels">')]


def section(study: ReportedStudy) -> str:
    return section_of(words(study))


@pytest.fixture(scope="module")
def plain(study) -> str:
    """The whole page of the study as it is."""
    return words(study)


@pytest.fixture(scope="module")
def shown(plain) -> str:
    return section_of(plain)


def test_every_split_is_in_the_overview_with_its_folds_shares_and_participants(study):
    balanced, folds = splits.schemes(study)
    assert (balanced["name"], balanced["kind"], balanced["folds"]) == ("balanced", "balanced", 1)
    assert [(one["subset"], one["share"]) for one in balanced["subsets"]] == [("train", 0.5), ("val", 0.25), ("test", 0.25)]
    assert [one["participants"]["median"] for one in balanced["subsets"]] == [2, 1, 1]
    assert (folds["name"], folds["kind"], folds["folds"]) == ("folds", "k_fold", 4)
    assert [(one["subset"], one["share"]) for one in folds["subsets"]] == [("train", 0.5), ("test", 0.5)]
    assert splits.main(study) == "balanced"
    assert splits.main(dataclasses.replace(study, splits={})) is None


def test_subsets_stand_in_the_order_of_the_parameters_although_json_sorts_keys(study):
    assert list(splits.balance(study)[0]["subsets"]) == ["train", "val", "test"]
    assert [row["subset"] for row in splits.tasks(study)][:3] == ["train", "val", "test"]


def test_the_worst_imbalance_says_where_it_is(study):
    for scheme, entry in zip(splits.schemes(study), study.splits["schemes"], strict=True):
        at = scheme["worst_at"]
        row = next(
            row
            for row in entry["imbalance"]["measures"]
            if (row["fold"], row["task"], row["measure"]) == (at["fold"], at["task"], at["measure"])
        )
        assert row["subsets"][at["subset"]]["imbalance"] == entry["imbalance"]["worst"] == scheme["worst_imbalance"]


@pytest.mark.parametrize(
    ("proofs", "said"),
    [
        ([(0.5, 0.5, "proven")], ["proven best (gap below 0.0001)"]),
        ([(0.5, 0.499994, "proven")], ["proven best (gap below 0.0001)"]),
        ([(0.5, 0.49, "proven")], ["at most 2 % better is possible (gap 0.0100)"]),
        ([(0.3, 0.2, "work_limit")], ["search stopped at its limit: at most 33.4 % better is possible (gap 0.1000)"]),
        ([(0.0, 0.0, "proven")], ["proven best (gap below 0.0001)"]),
        (
            [(0.5, 0.5, "proven"), (0.625, 0.5, "sampled"), (0.55, 0.5, "sampled")],
            [
                "repetition 1: proven best (gap below 0.0001)",
                "worst of repetitions 2 to 3: drawn, not searched: at most 20 % better is possible (gap 0.1250)",
            ],
        ),
        ([], ["not searched"]),
    ],
)
def test_a_proof_is_told_in_words_and_never_promises_too_much(proofs, said):
    rows = [{"objective": objective, "bound": bound, "gap": objective - bound, "status": status} for objective, bound, status in proofs]
    assert splits.proof_sentences(rows) == said


def test_a_deviation_has_the_sign_of_what_is_too_much_or_too_little(study):
    for row in splits.balance(study):
        for cell in row["subsets"].values():
            too_much, deviation = cell["value"]["median"] - cell["wanted"]["median"], cell["deviation"]["median"]
            assert (deviation == pytest.approx(0, abs=1e-9)) if abs(too_much) < 1e-9 else (np.sign(deviation) == np.sign(too_much))
    peg = next(row for row in splits.balance(study) if (row["task"], row["measure"]) == ("PegTransfer", "recordings"))
    assert {subset: cell["value"]["median"] for subset, cell in peg["subsets"].items()} == {"train": 2, "val": 1, "test": 1}
    assert [row["whole"] for row in splits.balance(study) if row["measure"] == "GRS mean"] == [False, False]


def test_the_shares_of_a_task_add_up_also_over_folds(study):
    folded = changed(study, lambda said: said["schemes"].reverse())
    for one in (study, folded):
        shares: dict[str, float] = {}
        for row in splits.tasks(one):
            shares[row["task"]] = shares.get(row["task"], 0.0) + row["share"]
        assert shares == pytest.approx({"Cholecystectomy": 1.0, "PegTransfer": 1.0, "SutureAndKnot": 1.0})


def test_folds_are_listed_with_what_they_test_and_their_imbalance(study):
    rows = splits.folds(study)
    assert [(row["name"], row["fold"]) for row in rows] == [("folds", fold) for fold in range(4)]
    assert rows[0]["tested"] + rows[1]["tested"] == rows[2]["tested"] + rows[3]["tested"] == 12
    entry = study.splits["schemes"][1]
    assert max(row["worst_imbalance"] for row in rows) == entry["imbalance"]["worst"]
    assert np.mean([row["mean_imbalance"] for row in rows]) == pytest.approx(entry["imbalance"]["mean"])


def test_warnings_are_those_of_the_stage_and_stand_at_the_top_of_the_page(study, plain):
    found = splits.class_warnings(study)
    single = [row for row in found if row["of"] == 1]
    assert len(single) == len(study.splits["schemes"][0]["folds"][0]["warnings"]) > 0
    top = plain[plain.index('<section id="attention">') : plain.index('<section id="quality">')]
    assert all(row["says"].split(":")[0] in top for row in found)
    assert f"<dt>split warnings</dt><dd>{len(found)}</dd>" in plain


@pytest.mark.slow
def test_a_subset_that_has_nobody_stands_at_the_top_of_the_page(study, plain):
    line = "no recording is in val; release more participants"
    left = changed(study, lambda said: said["schemes"][0].update(empty=[line]))
    found = document(left, PARAMS)["splits"]
    assert found["empty"] == [{"name": "balanced", "says": line}]
    html = words(left)
    assert f"<code>balanced</code>: {line}" in html[html.index('<section id="attention">') : html.index('<section id="quality">')]
    assert "<dt>empty subsets</dt><dd>1</dd>" in html
    assert found["schemes"][0]["warnings"] == 1 + document(study, PARAMS)["splits"]["schemes"][0]["warnings"]
    assert "empty" not in document(study, PARAMS)["splits"]
    assert "empty subsets" not in plain


def test_a_recording_that_raters_disagree_on_and_that_stays_where_it_was_released_is_not_said_to_be_for_training(study, plain):
    id_ = study.skill.loc[study.skill.strong_disagreement.fillna(value=False), "id"].iloc[0]
    kept = changed(study, lambda said: said["schemes"][0].update(stays={id_: "test"}))
    name = study.names()[id_]
    (why,) = [row["reasons"] for row in document(kept, PARAMS)["attention"] if row["recording"] == name]
    assert "the raters disagree strongly: it stays in test of balanced, where it was released" in why
    assert not [one for one in why if "training" in one]
    caption = "may only be used for training, unless it was released in another subset."
    assert caption in words(kept)
    assert caption not in plain


def test_a_class_that_training_lacks_is_named_with_the_folds_where_it_does(study):
    def lacking(said):
        for scheme in said["schemes"]:
            for fold in scheme["folds"]:
                for fact in fold["coverage"].values():
                    fact["not_in_train"] = {subset: [] for subset in fact["not_in_train"]}
        said["schemes"][1]["folds"][2]["coverage"]["phases"]["not_in_train"]["test"] = ["cholect50: a", "cholect50: b"]
        said["schemes"][1]["folds"][3]["coverage"]["phases"]["not_in_train"]["test"] = ["cholect50: b"]

    warned = changed(study, lacking)
    (row,) = splits.class_warnings(warned)
    assert (row["name"], row["kind"], row["subset"], row["unseen_in"], row["of"]) == ("folds", "phases", "test", 2, 4)
    assert row["unseen"] == [{"name": "cholect50: a", "folds": 1}, {"name": "cholect50: b", "folds": 2}]
    assert row["says"] == "2 phases occur in test but not in train in 2 of 4 folds: cholect50: a, cholect50: b"
    assert [scheme["warnings"] for scheme in document(warned, PARAMS)["splits"]["schemes"]] == [0, 1]
    text = section(warned)
    assert text.count('class="warned"') - len(re.findall(r'class="tag warning">shortcut', text)) == 2  # the overview's row and the table's
    assert "in 2 of 4 folds: cholect50: a" in text


def test_many_missing_classes_are_counted_and_five_are_named(study):
    def lacking(said):
        said["schemes"][0]["folds"][0]["coverage"]["errors"]["not_in_train"]["val"] = [f"Knot: e{i}" for i in range(8)]

    row = next(row for row in splits.class_warnings(changed(study, lacking)) if (row["kind"], row["subset"]) == ("errors", "val"))
    assert row["says"].endswith("8 errors occur in val but not in train: Knot: e0, Knot: e1, Knot: e2, Knot: e3, Knot: e4 and 3 more")
    assert len(row["unseen"]) == 8


def test_coverage_has_every_kind_and_subset_and_counts_add_up(study):
    rows = [row for row in splits.class_coverage(study) if row["name"] == "balanced"]
    kinds = ["triplets"] * 3 + ["phases"] * 3 + ["phase transitions"] * 3 + ["errors"] * 3
    assert [row["kind"] for row in rows] == kinds
    for row in rows:
        assert row["present"]["median"] + row["missing_n"]["median"] == row["classes"]["median"]
        assert len(row["missing"]) == row["missing_n"]["median"]


def audited(study: ReportedStudy, task: str, subset: str, **facts) -> ReportedStudy:
    def change(said):
        for fold in said["schemes"][0]["folds"]:
            fold["shortcut"][task]["subsets"][subset].update(facts)

    return changed(study, change)


@pytest.mark.parametrize(
    ("subset", "n", "spearman", "marked"),
    [
        ("test", 9, -0.7, True),
        ("test", 9, 0.7, True),
        ("test", 9, -0.69, False),
        ("test", 9, None, False),
        ("test", 5, -0.7, True),
        ("test", 4, -1.0, False),  # too often by chance
        ("val", 9, -0.99, False),
        ("train", 9, -0.99, False),
    ],
)
def test_a_shortcut_is_marked_on_the_test_subset_only(study, subset, n, spearman, marked):
    one = audited(study, "PegTransfer", subset, n=n, spearman=spearman)
    rows = [row for row in splits.shortcut(one) if row["name"] == "balanced" and row["strong_folds"]]
    assert [(row["task"], row["subset"]) for row in rows] == ([("PegTransfer", "test")] if marked else [])


def test_the_audit_shows_what_duration_alone_reaches_against_the_training_mean(study):
    one = audited(
        study,
        "PegTransfer",
        "test",
        n=9,
        spearman=-0.8123,
        isotonic={"concordance": 0.7511, "mean_absolute_error": 0.4522, "r2": 0.1},
        training_mean={"concordance": 0.0, "mean_absolute_error": 0.8633, "r2": None},
    )
    text = section(one)
    row = next(row for row in re.findall(r"<tr[^>]*>.*?</tr>", text) if "−0.81" in row)
    assert re.findall(r"<t[hd][^>]*>([^<]*)<", row)[:7] == ["PegTransfer", "test", "9", "−0.81", "0.75", "0.45", "0.86"]
    assert "may only have learnt the duration" in text
    assert '<span class="tag warning">shortcut</span>' in text
    weak = audited(study, "PegTransfer", "test", n=9, spearman=-0.69)
    assert '<span class="tag warning">shortcut</span>' not in section(weak)


def test_tasks_without_a_grs_are_named_and_not_audited(study, shown):
    assert splits.without_grs(study) == ["Cholecystectomy"]
    assert {row["task"] for row in splits.shortcut(study)} == {"PegTransfer", "SutureAndKnot"}
    assert "Without a GRS: Cholecystectomy" in shown


def test_the_page_tells_proof_notes_and_obstacles(study):
    def told(said):
        said["schemes"][1].update(notes=["the folds tell who is who"], obstacles=[f"obstacle {i}" for i in range(7)])
        said["schemes"][1]["proofs"] = [{"objective": 0.5, "bound": 0.4, "gap": 0.1, "status": "work_limit"}]

    text = section(changed(study, told))
    assert "<li>the folds tell who is who</li>" in text
    assert all(f"<li>obstacle {i}</li>" in text for i in range(7))
    assert "<summary>2 more</summary>" in text
    assert "search stopped at its limit: at most 20 % better is possible (gap 0.1000)" in text


def drawn_points(axes) -> dict[str, list[float]]:
    return {line.get_label(): [float(x) for x in line.get_xdata()] for line in axes.lines if line.get_marker() not in ("", "None", None)}


def test_the_balance_figure_has_a_zero_line_and_a_point_per_measure_and_subset(study):
    rows = splits.balance(study)
    with figures.style():
        figure = split_figures.balance(rows)
    assert [axes.get_title("left") for axes in figure.axes] == ["Cholecystectomy", "PegTransfer", "SutureAndKnot"]
    for axes in figure.axes:
        of_task = [row for row in rows if row["task"] == axes.get_title("left")]
        assert any(list(line.get_xdata()) == [0, 0] for line in axes.lines)
        for subset in ("train", "val", "test"):
            assert drawn_points(axes)[subset] == [row["subsets"][subset]["deviation"]["median"] * 100 for row in of_task]
        low, high = axes.get_xlim()
        assert all(low < x < high for points in drawn_points(axes).values() for x in points)


def test_of_many_measures_those_out_of_balance_most_are_drawn_and_the_figure_says_so(study):
    rows = [copy.deepcopy(splits.balance(study)[0]) for _ in range(60)]
    for i, row in enumerate(rows):
        row["measure"] = f"triplet {i}"
        for cell in row["subsets"].values():
            cell["deviation"] = {"n": 1, "lowest": i / 100, "median": i / 100, "highest": i / 100}
    with figures.style():
        (axes,) = split_figures.balance(rows).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"triplet {i}" for i in range(36, 60)]
    assert "the 24 of 60 measures" in axes.get_title("left")


def test_the_grs_figure_counts_terciles_and_leaves_tasks_without_scores_out(study):
    with figures.style():
        figure = split_figures.grs(splits.tasks(study))
    assert [axes.get_title("left") for axes in figure.axes] == ["PegTransfer", "SutureAndKnot"]
    counts = [text.get_text() for axes in figure.axes for text in axes.texts if text.get_text()]
    assert len(counts) > 0
    assert np.sum([int(count) for count in counts]) == study.skill.GRS.notna().sum()
    assert figure.axes[0].get_yticklabels()[0].get_text().startswith("train (n = 2, mean ")


def test_with_folds_the_grs_figure_has_a_point_per_fold(study):
    folded = changed(study, lambda said: said["schemes"].reverse())
    with figures.style():
        axes = split_figures.grs(splits.tasks(folded)).axes[0]
    assert [len(line.get_xdata()) for line in axes.lines] == [4, 4]


def test_figures_of_nothing_say_so():
    for figure in (split_figures.shares([], {}), split_figures.balance([]), split_figures.grs([]), split_figures.folds([])):
        assert len(figure.axes[0].texts) == 1


def test_a_study_split_by_task_shows_all_its_tasks(study):
    tables = synthetic_study.tables()
    one = dataclasses.replace(study, splits=reported_study.split(tables, {"lasana": BY_TASK, "balanced": JOINT}))
    assert [row["name"] for row in splits.schemes(one)][:3] == ["lasana.Cholecystectomy", "lasana.PegTransfer", "lasana.SutureAndKnot"]
    assert (splits.main(one), {row["scheme"] for row in splits.schemes(one)[:3]}) == ("lasana", {"lasana"})
    assert list(dict.fromkeys(row["task"] for row in splits.tasks(one))) == ["Cholecystectomy", "PegTransfer", "SutureAndKnot"]
    assert {row["task"] for row in splits.balance(one)} == {"Cholecystectomy", "PegTransfer", "SutureAndKnot"}
    assert {row["task"] for row in splits.class_coverage(one) if row["scheme"] == "lasana"} >= {"Cholecystectomy", "PegTransfer"}
    text = section(one)
    assert "Subsets of <code>lasana</code>" in text
    assert text.count("<details class=") == 2  # the balance table and the other scheme
    assert "split of" in text


@pytest.mark.slow
def test_leaving_each_of_70_participants_out_gives_a_page_that_can_be_read(study):
    rng = np.random.default_rng(0)
    rows = [(f"rec{2 * i + t:03d}", task, f"person {i}") for i in range(70) for t, task in enumerate(("Knot", "Peg"))]
    people = pd.DataFrame(rows, columns=["id", "task", "participant"]).assign(recording=lambda rows: rows.id, site=None)
    people = people[~((people.task == "Peg") & people.participant.isin(["person 7", "person 8"]))].reset_index(drop=True)
    grs = rng.normal(size=len(people))
    tables = synthetic_study.empty_tables()
    taken = Tables(
        skill=people[["id", "task"]].assign(GRS=grs, strong_disagreement=False),
        errors=people[["id", "task"]].assign(error="torn", occurred=np.arange(len(people)) == 0),
        videos=people[["id", "task"]].assign(camera="left", duration_s=100 - 20 * grs),
        triplets=tables["triplets"],
        phases=tables["phases"],
        sites=people[["id", "site"]],
    )
    scheme = LeaveOutParams(joint=True, kind="leave_n_participants_out", participants=1, repeats=1)
    one = dataclasses.replace(study, splits=reported_study.split_report(people, taken, {"louo": scheme}))
    (row,) = splits.schemes(one)
    assert (row["folds"], [subset["share"] for subset in row["subsets"]], row["notes"] != []) == (70, [None, None], True)
    assert splits.proof_sentences(row["proofs"]) == ["not searched"]
    peg = {row["subset"]: row["recordings"] for row in splits.tasks(one) if row["task"] == "Peg"}
    assert (peg["test"]["lowest"], peg["test"]["highest"], peg["train"]["lowest"]) == (0, 1, 67)
    (warning,) = splits.class_warnings(one)
    assert (warning["unseen_in"], warning["of"], warning["says"]) == (
        1,
        70,
        "1 error occurs in test but not in train in 1 of 70 folds: Knot: torn",
    )
    assert all(row["strong_folds"] == 0 for row in splits.shortcut(one))  # one recording is no correlation
    html = page.render(one, document(one, WORDS), Path(), WORDS)
    assert len(html) < 2_000_000
    text = section(one)
    assert text.count("<tr") < 60
    assert "in 1 of 70 folds" in text


def test_a_study_without_scores_still_has_its_splits(study):
    tables = synthetic_study.tables()
    tables["skill"] = io.frame_of(synthetic_study.BY_NAME["skill"], [])
    tables["errors"] = io.frame_of(synthetic_study.BY_NAME["errors"], [])
    one = dataclasses.replace(study, skill=tables["skill"], scores={"tasks": {}}, splits=reported_study.split(tables))
    text = section(one)
    assert "No recording has a GRS, so there is nothing to audit." in text
    assert {row["measure"] for row in splits.balance(one)} == {"recordings"}
    assert {row["kind"] for row in splits.class_coverage(one)} == {"triplets", "phases", "phase transitions"}


def test_a_split_with_a_single_subset_has_nothing_to_test(study):
    def alone(said):
        (scheme,) = said["schemes"] = said["schemes"][:1]
        scheme.update(subsets=["train"], shares=None)
        for row in scheme["imbalance"]["measures"]:
            row["subsets"] = {"train": row["subsets"]["train"]}
        for fold in scheme["folds"]:
            for fact in fold["coverage"].values():
                fact["not_in_train"] = {}
        scheme["folds"] = [scheme["folds"][0], {**scheme["folds"][0], "fold": 1}]

    one = changed(study, alone)
    assert [row["tested"] for row in splits.folds(one)] == [None, None]
    assert splits.folds(one)[1]["mean_imbalance"] is None
    assert splits.class_warnings(one) == []
    assert "proven best" in section(one)


@pytest.mark.slow
def test_hostile_names_in_splits_are_shown_and_not_run(study):
    def hostile(said):
        scheme = said["schemes"][0]
        scheme["notes"], scheme["obstacles"] = [HOSTILE], [HOSTILE]
        for row in scheme["imbalance"]["measures"]:
            row["measure"] = f"{HOSTILE} $\\frac {row['measure']}"
        for fold in scheme["folds"]:
            fold["tasks"][HOSTILE] = fold["tasks"].pop("PegTransfer")
            fold["shortcut"][HOSTILE] = fold["shortcut"].pop("PegTransfer")
            fold["coverage"]["errors"]["not_in_train"]["test"] = [f"Peg: {HOSTILE}"]
            fold["coverage"]["errors"]["subsets"]["test"]["missing"] = [f"Peg: {HOSTILE},x"]

    text = page.render(one := changed(study, hostile), document(one, WORDS), Path(), WORDS)
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_the_report_as_json_has_the_numbers_of_the_page(study, plain, shown):
    said = document(study, PARAMS)["splits"]
    assert set(said) >= {"schemes", "warnings", "tasks", "balance", "folds", "coverage", "shortcut", "without_GRS"}
    for scheme in said["schemes"]:
        assert page.share(scheme["mean_imbalance"], 1) in shown
        assert all(sentence in shown for sentence in scheme["proof"])
    assert all(row["says"].replace(">", "&gt;") in plain for row in said["warnings"])
