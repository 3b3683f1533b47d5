"""Published folders of annotations as others would write them: by pandas, from the golden numbers."""

import pandas as pd

ASPECTS = ("depth_perception", "efficiency", "bimanual_dexterity", "tissue_handling")
SCORES = ("GRS", *ASPECTS)


def main_frame(task):
    """Return ``<Task>.csv`` of a golden task: its numbers were made independently of this library."""
    ids = task["ids"]
    scores = {name: [task["expected"]["aggregated"][name][id_] for id_ in ids] for name in SCORES}
    errors = {name: [marks[id_] for id_ in ids] for name, marks in task["errors"].items()}
    times = {"duration": [f"0:0{k % 6}:{k % 50 + 10}" for k in range(len(ids))], "frame_count": [1000 + k for k in range(len(ids))]}
    return pd.DataFrame({"id": ids, **errors, **scores, **times}).astype(dict.fromkeys(SCORES, "float64"))


def rater_frame(task, rater):
    rows = [
        [id_, int(rater), *(points or [None] * len(ASPECTS)), sum(points) if points else None]
        for id_, points in task["ratings"][rater].items()
    ]
    return pd.DataFrame(rows, columns=["id", "rater", *ASPECTS, "GRS"]).astype(dict.fromkeys(SCORES, "Int64"))


def split_frame(task):
    strong = task["expected"]["strong_disagreement"]["linear"]
    subsets = ["train" if id_ in strong else ("train", "train", "val", "test")[k % 4] for k, id_ in enumerate(task["ids"])]
    return pd.DataFrame({"id": task["ids"], "split": subsets})


def frames_of(task):
    """Return the frames of all files of a golden task, by file name."""
    name = task["task"]
    sheets = {f"{name}_rater{rater}.csv": rater_frame(task, rater) for rater in task["ratings"]}
    return {f"{name}.csv": main_frame(task), **sheets, f"{name}_split.csv": split_frame(task)}


def write(folder, tasks, as_float=False, **spelling):
    """Write the folder ``Annotation`` of golden tasks with pandas; ``as_float`` gives 3.0 for 3."""
    folder.mkdir(parents=True, exist_ok=True)
    for task in tasks:
        for name, frame in frames_of(task).items():
            whole = [column for column in frame.columns if as_float and (column in SCORES or column == "frame_count")]
            frame.astype(dict.fromkeys(whole, "float64")).to_csv(folder / name, sep=";", index=False, **spelling)
    return folder


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
