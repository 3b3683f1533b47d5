"""Release: complete the release folder, and refuse it unless the audit proves that nothing private is in it."""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path

import plumbing

import pandas as pd
from prefect import flow

from scrubin.core import files, params
from scrubin.errors import PrivacyError
from scrubin.release import audit, completion, gate, outputs, plan, private_strings, summary, words
from scrubin.release.examination import Examined, examine
from scrubin.release.params import ReleaseParams, refuse_borrowed_name
from scrubin.scores import lasana_csv
from scrubin.scores.params import ScoresParams
from scrubin.tables import io
from scrubin.tables.catalogue import public_tables
from scrubin.tables.cuts import CUTS
from scrubin.tables.hidden import HIDDEN
from scrubin.tables.linkage import LINKAGE
from scrubin.tables.quarantine import QUARANTINE
from scrubin.tables.recordings import RECORDINGS

INTERIM, OUT = Path("data/interim"), Path("data/release")
QUARANTINING = ("ingest", "screen", "render")


def annotation(tables: Mapping[str, pd.DataFrame], p: ScoresParams) -> dict[str, str]:
    """Return the files of the folder `Annotation`, as LASANA has them."""
    texts, ratings = {}, tables["ratings"]
    for task in sorted(set(ratings.task)):
        names = p.errors.get(task, ())
        texts[f"{task}.csv"] = lasana_csv.task_csv(task, tables["skill"], tables["errors"], tables["videos"], p.aspects, names)
        for rater in sorted(set(ratings[ratings.task == task].rater)):
            texts[f"{task}_rater{rater}.csv"] = lasana_csv.rater_csv(task, rater, ratings, p.aspects)
    return texts | {path.name: path.read_text(encoding="utf-8") for path in sorted((OUT / "splits").glob("*_split.csv"))}


@flow(name="release", task_runner=plumbing.runner())
def main() -> None:
    """Check, complete, prove, and say at the end what is quarantined."""
    p, scores, others = params.load("release", ReleaseParams), params.load("scores", ScoresParams), params.read()
    refuse_borrowed_name(params.raw_folder(), p)
    gate.require_valid(Path("reports/validation/validation.json"))
    quarantine = gate.joined(io.read(QUARANTINE, INTERIM / f"quarantine_{stage}.parquet") for stage in QUARANTINING)
    gate.refuse_quarantined(quarantine, p.on_quarantine)
    public = public_tables(scores.aspects)
    tables = {name: io.read(table, Path(f"data/tables/{name}.parquet")) for name, table in public.items()}
    sizes = completion.complete(OUT, p, public, tables, annotation(tables, scores), Fraction(others["frames"]["fps"]))
    columns = [name for names in scores.errors.values() for name in names] + words.subsets(tables["splits"])
    known = words.public_words(public, p, [list(others["ingest"]["tasks"]), scores.aspects, scores.errors, columns])
    ids = io.read(LINKAGE, Path("data/private/linkage.parquet")).id
    private = private_strings.of_tables([io.read(RECORDINGS, INTERIM / "recordings.parquet"), quarantine], ids, known)
    cuts, hidden = io.read(CUTS, INTERIM / "cuts.parquet"), io.read(HIDDEN, INTERIM / "hidden.parquet")
    planned = plan.of_tables(tables["videos"], tables["frames"], cuts, hidden, public, columns)
    examined = plumbing.map_items(partial(examine, OUT), planned.videos, name="audit").done
    try:
        audit.prove(OUT, private, planned, Examined(OUT, {video.path: faults for video, faults in examined}))
    except PrivacyError:
        outputs.discard(OUT)
        raise
    files.write_json(Path("reports/release.json"), summary.summarise(p, tables, quarantine, private, sizes))
    for line in gate.lines(quarantine):
        plumbing.LOG.warning("quarantined, not in the release: %s", line)


if __name__ == "__main__":
    plumbing.run(main)
