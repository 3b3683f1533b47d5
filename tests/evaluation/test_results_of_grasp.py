"""COCO results are scored against files of PSI-AVA and GraSP as against any COCO file."""

import json

from label_examples import EXAMPLES
from score_runs import good


def test_results_by_image_id_are_scored_against_a_file_that_also_has_phases(tmp_path, capsys):
    ((_, data),) = EXAMPLES["grasp"].items()
    document = json.loads(data)
    (tmp_path / "truth.json").write_bytes(data)
    results = [{key: one[key] for key in ("image_id", "category_id", "bbox")} | {"score": 0.5} for one in document["annotations"]]
    results[1] |= {"bbox": [600, 500, 30, 40]}
    (tmp_path / "found.json").write_text(json.dumps(results))
    sides = ("--ground-truth", tmp_path / "truth.json", "--predictions", tmp_path / "found.json", "--out", tmp_path / "s.json")
    found = []
    for said in ((), ("--from", "coco")):
        good(capsys, "detection", *sides, *said, "--variant", "kind=sizes")
        found.append([one["overall"] for one in json.loads((tmp_path / "s.json").read_text())["results"]])
    assert found[0] == found[1]
    # One of two classes is found.
    assert {one["value"] for one in found[0] if one["n"]} & {0.5}
