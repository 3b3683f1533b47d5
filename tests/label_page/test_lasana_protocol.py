"""LASANA's protocol played at the page: four raters, two of whom share the recordings, as their sheets are typed by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from labelled_study import PARAMS
from rating_fixtures import ASPECTS, DATA
from scrubin.base.tables import io
from scrubin.base.tables.public import RATINGS, skill_table
from scrubin.curate.label import progress
from scrubin.curate.label.events import About, Assigned, Change, Sheet
from scrubin.curate.label.people import Person
from scrubin.curate.label.pictures import Pictures
from scrubin.curate.label.workbench import Recording, Workbench
from scrubin.ratings import scoring
from scrubin.ratings.entries import read_entries
from scrubin.ratings.rater_files import read_folder

P = replace(PARAMS, layers=("ratings",), overlap=1.0, settle="majority")


@pytest.fixture
def typed():
    """The sheets that were typed, and the task of every recording."""
    names = {file.name.partition("_rater")[0] for file in (DATA / "sheets").iterdir()}
    sheets = read_folder(DATA / "sheets", sorted(names))
    return sheets, {row.cells["id"]: sheet.task for sheet in sheets for row in sheet.rows}


def written_tables(folder, sheets, roster, p):
    """Return the bytes of the tables that the stage scores makes of sheets."""
    entries = read_entries(sheets, roster, p)
    normalised = scoring.normalise(entries.ratings, p.failed_grs)
    skill = scoring.aggregate(normalised, roster.released, p.aspects, p.min_ratings, p.strong_percentile)
    io.write(RATINGS, entries.ratings, folder / "ratings.parquet")
    io.write(skill_table(p.aspects), skill, folder / "skill.parquet")
    return [(folder / name).read_bytes() for name in ("ratings.parquet", "skill.parquet")]


@pytest.mark.slow
def test_four_raters_at_the_page_give_the_tables_of_their_typed_sheets_byte_for_byte(tmp_path, typed, make_params, make_roster):
    sheets, task_of = typed
    scores = make_params(errors={}, failure_rules={})
    pictures = {id_: Pictures(About(id_, "left", "0" * 64), 1000, 25.0, 0, 1000) for id_ in task_of}
    recordings = {id_: Recording(id_, id_, task_of[id_], {}, pictures[id_], 40.0) for id_ in task_of}
    (tmp_path / "params.yaml").write_text("raw: raw\n", encoding="utf-8")
    bench = Workbench(tmp_path, P, scores, recordings)
    by_recording: dict[str, dict[int, Sheet]] = {}
    for sheet in sheets:
        for row in sheet.rows:
            cells = {aspect: row.cells[aspect] for aspect in ASPECTS}
            failed = not any(cells.values())
            said = Sheet({} if failed else {aspect: float(cell) for aspect, cell in cells.items()}, failed, {})
            by_recording.setdefault(row.cells["id"], {})[int(sheet.rater)] = said
    bench._append(Assigned({id_: tuple(sorted(raters)) for id_, raters in by_recording.items()}), 0, "")
    order = [(id_, rater) for id_, raters in by_recording.items() for rater in raters]
    for place in np.random.default_rng(33).permutation(len(order)).tolist():
        id_, rater = order[place]
        person = Person(rater, f"rater {rater}", "annotator", "")
        if place % 5 == 0:
            # Somebody changes their mind, and takes it back.
            bench.label(person, id_, [Change("ratings", "sheet", Sheet(dict.fromkeys(ASPECTS, 1.0), False, {}))], f"first-{place:06d}")
        bench.label(person, id_, [Change("ratings", "sheet", by_recording[id_][rater])], f"nonce-{place:06d}")
        bench.say_done(person, id_, f"done-{place:06d}", done=True)
    _, waiting = progress.export(bench)
    assert waiting == {}
    exported = read_folder(tmp_path / "raw/ratings", sorted(set(task_of.values())))
    of_raters = [{(one.task, one.rater, row.cells["id"]): row.cells for one in some for row in one.rows} for some in (sheets, exported)]
    assert of_raters[0] == of_raters[1]
    roster = make_roster(task_of)
    (tmp_path / "typed").mkdir()
    (tmp_path / "made").mkdir()
    assert written_tables(tmp_path / "typed", sheets, roster, scores) == written_tables(tmp_path / "made", exported, roster, scores)
    icc = progress.document(bench)["ratings"]["aspects"]
    assert set(icc) == set(ASPECTS)
