"""The reference reader of Croissant takes the metadata of a release without an error, and reads the rows of its record sets."""

from __future__ import annotations

import json

import pytest

from scrubin.base import file_lists


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_reference_reader_finds_no_error_and_reads_every_table(clean):
    import mlcroissant

    dataset = mlcroissant.Dataset(jsonld=str(clean.folder / file_lists.CROISSANT))
    assert not dataset.metadata.ctx.issues.errors
    described = json.loads((clean.folder / file_lists.CROISSANT).read_text())["recordSet"]
    tables = [one for one in described if any("fileObject" in field.get("source", {}) for field in one["field"])]
    counted = {one["@id"]: sum(1 for _ in dataset.records(one["@id"])) for one in tables}
    assert counted == {name: len(clean.tables[name]) for name in counted}
    assert {"videos", "frames", "splits"} <= counted.keys()
