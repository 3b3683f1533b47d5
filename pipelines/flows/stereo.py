"""Stereo: the calibrations of the rigs for the released videos, and whether both cameras of each recording fit them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import plumbing

from prefect import flow

from scrubin.base import files, params
from scrubin.base.errors import StageError
from scrubin.base.layout import CUTS_PATH, HIDDEN_PATH, INTERIM, LINKAGE_PATH, TABLES, UNRELEASED, VIDEOS_PATH
from scrubin.base.private_paths import fresh_part
from scrubin.base.tables import io, seals
from scrubin.base.tables.private import CUTS, HIDDEN, LINKAGE, RIGS, STEREO
from scrubin.base.tables.public import FRAMES, VIDEOS
from scrubin.media.rigs import written_rig
from scrubin.stages.stereo import released_check
from scrubin.stages.stereo.recordings import StereoParams, assignment


@flow(name="stereo")
def main() -> None:
    """Write the folder `calibration` for the release and the tables `rigs` and `stereo`."""
    p = params.load("stereo", StereoParams)
    videos, cuts = io.read(VIDEOS, VIDEOS_PATH), io.read(CUTS, CUTS_PATH)
    rigs = assignment(params.raw_folder(), cuts, videos)
    pairs = released_check.pairs_of(videos, io.read(HIDDEN, HIDDEN_PATH))
    pairs |= {id_: replace(pairs[id_], rig=rigs.rigs[name]) for id_, name in rigs.rig_of.items() if id_ in pairs}
    outcome = plumbing.map_items(partial(released_check.check_stored, UNRELEASED.absolute()), list(pairs.values()), name="stereo")
    if outcome.quarantined:
        # These are our own videos: one that cannot be read is no bad recording but a fault.
        raise StageError("; ".join(str(error) for _, error in outcome.quarantined))
    names = written_rig.names(rigs.rigs, rigs.rig_of)
    fresh_part(written_rig.FOLDER)
    for path, text in written_rig.documents(rigs.rigs, rigs.rig_of, with_year=p.year).items():
        files.write_text(UNRELEASED / path, text)
    odd = released_check.instants(io.read(FRAMES, TABLES / "frames.parquet"), cuts, videos)
    rows = []
    for pair, said in outcome.done:
        unfit = [rigs.unfit[pair.id]] if pair.id in rigs.unfit else []
        rows.append(released_check.row(pair.id, said, names.get(rigs.rig_of.get(pair.id, "")), unfit, odd.get(pair.id)))
    seal, named = seals.of_draws(io.read(LINKAGE, LINKAGE_PATH)), [{"rig": rig, "calibration": name} for rig, name in names.items()]
    io.write(STEREO, io.frame_of(STEREO, rows), INTERIM / "stereo.parquet", seal)
    io.write(RIGS, io.frame_of(RIGS, named), INTERIM / "rigs.parquet", seal)


if __name__ == "__main__":
    plumbing.run(main)
