"""What is declared of a task that submissions compete in. A new one is one entry of `CONTESTS`.

Two families: tasks whose submissions have a file per video in the layout of CholecTriplet2022 (`labels.choices.Task`), and those whose
submissions are files of any format that `scrubin score` reads. Of words alone: help texts read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from scrubin.base.errors import MetricsError
from scrubin.evaluate.metrics.variants import COMPONENTS
from scrubin.labels.choices import TASKS as OF_VIDEO_FILES

if TYPE_CHECKING:
    from scrubin.evaluate.metrics.result import Result
    from scrubin.labels.registry import Content

COCO = "coco"
IOU = 0.5
"""Of boxes that are ranked."""
Way = tuple[str, tuple[str, ...]]
"""A semantics of `scrubin score`, and its choices."""


@dataclass(frozen=True)
class Number:
    """One number of `scrubin score` by which teams can be ranked; more of it is better.

    Parameters
    ----------
    metric
        Its name.
    options
        What tells it from others of the name.
    says
        What it is, for reading.
    """

    metric: str
    options: Mapping[str, str]
    says: str

    @property
    def is_by_video(self) -> bool:
        """Whether `scrubin score` takes the mean over videos itself; else it puts all their frames together."""
        return self.options.get("scope") == "video-wise"

    def of(self, results: Sequence[Result]) -> Result:
        """Return the first result that is this number: of triplets where there are some, of every size."""
        return next(one for one in results if self._is(one))

    def is_among(self, results: Sequence[Result]) -> bool:
        """Return whether any result is this number."""
        return any(map(self._is, results))

    def _is(self, result: Result) -> bool:
        variant = result.variant
        return variant.metric == self.metric and all(variant.options.get(name) == value for name, value in self.options.items())


@dataclass(frozen=True)
class ContestTask:
    """One task.

    Parameters
    ----------
    name
        As people type it.
    metric, choices
        Of `scrubin score`, and the values of ``--variant`` that make it this task.
    parts, primary
        By what teams can be ranked, and by what they are when nobody says it.
    layout
        What is handed in, for participants.
    ways
        By which variants else a ranking is computed.
    truth_parts
        Parts of our own ground truth that it needs: boxes alone do not say which frames there are. Empty: labels of any format.
    numbers
        By part, the number of `scrubin score`; empty where `ranking.measures` has them.
    wanted
        Of label files, where they could be of several formats.
    released
        Where a ground truth of ours has its labels.
    truth_format, alone_format
        Format in which a bundle has the labels, and the frames alone; "" for that which the labels have.
    """

    name: str
    metric: str
    parts: tuple[str, ...]
    primary: str
    layout: str
    ways: tuple[Way, ...] = (("paper", ()),)
    choices: tuple[str, ...] = ()
    truth_parts: tuple[str, ...] = ()
    numbers: Mapping[str, Number] = field(default_factory=dict)
    wanted: Content = "boxes"
    released: str = ""
    truth_format: str = ""
    alone_format: str = ""

    @property
    def has_file_per_video(self) -> bool:
        """Whether a submission has a file per video, in the layout of CholecTriplet2022."""
        return self.name in OF_VIDEO_FILES

    def variant(self, more: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the choices of `scrubin score` with others; one that is named again is as it is named there.

        Raises
        ------
        MetricsError
            When with one of them none of the numbers would be computed by which teams are ranked.
        """
        named = {one.partition("=")[0] for one in more}
        for one in more:
            name, _, value = one.partition("=")
            fixed = {number.options[name] for number in self.numbers.values() if name in number.options}
            if fixed and value not in fixed:
                raise MetricsError(f"'{one}': {self.name} are ranked by numbers with {name}={' or '.join(sorted(fixed))}; leave it out")
        return (*(one for one in self.choices if one.partition("=")[0] not in named), *more)


def _of_files(
    name: str,
    metric: str,
    numbers: Mapping[str, Number],
    layout: str,
    choices: tuple[str, ...] = (),
    ways: tuple[Way, ...] = (("paper", ()),),
    wanted: Content = "boxes",
    released: str = "*/masks.json",
    truth_format: str = "",
    alone_format: str = "",
) -> ContestTask:
    """Return a task whose submissions are read as `scrubin score` reads them; the first of the numbers decides."""
    first = next(iter(numbers))
    formats = (released, truth_format, alone_format)
    return ContestTask(name, metric, tuple(numbers), first, layout, ways, choices, (), numbers, wanted, *formats)


_RESULTS = (
    "COCO results: one JSON list of `{image_id, category_id, segmentation, score}`, masks as run lengths of the size of the picture; "
    "images and categories are those of `frames`"
)
_BY_VIDEO = {"scope": "video-wise"}
_AS_ONE = {"classes": "one"}

_EVERY = (
    ContestTask(
        "recognition",
        "recognition",
        COMPONENTS,
        "ivt",
        '`<video>.json`: `{"<frame>": {"recognition": [one probability per triplet]}}`',
        (("paper", ()), ("compat", ())),
        truth_parts=("recognition",),
    ),
    ContestTask(
        "detection",
        "detection",
        ("i", "v", "t", "ivt"),
        "ivt",
        '`<video>.json`: `{"<frame>": {"detection": [{"triplet": id, "instrument": [id, probability, x, y, w, h]}]}}`, boxes as '
        "top-left corner and size in 0..1; `[]` where nothing is detected",
        (("paper", ()), ("paper", ("iou=0.3",)), ("paper", ("iou=0.75",)), ("compat", ())),
        truth_parts=("recognition", "detection"),
    ),
    ContestTask(
        "phases",
        "phases",
        ("accuracy", "precision", "recall", "f1", "jaccard"),
        "accuracy",
        "`<video>.csv` with the columns `frame,phase_id` (or `frame,phase` with the phase's name)",
        (("paper", ()), ("paper", ("scope=frame-wise",)), ("paper", ("undefined=B",)), ("paper", ("undefined=zero",)), ("compat", ())),
        truth_parts=("phases",),
    ),
    _of_files(
        "masks",
        "detection",
        {
            "ap": Number("mask AP", {"iou": "0.5:0.95"}, "average precision of masks at IoU 0.5 to 0.95"),
            "ap50": Number("mask AP", {"iou": "0.5"}, "average precision of masks at IoU 0.5"),
            "pq": Number("panoptic quality", {}, "panoptic quality"),
        },
        _RESULTS,
        choices=("kind=masks",),
        truth_format=COCO,
        alone_format=COCO,
    ),
    _of_files(
        "pixels",
        "detection",
        {
            "dice": Number("pixels Dice", _BY_VIDEO, "Dice of the pixels of a class"),
            "iou": Number("pixels IoU", _BY_VIDEO, "IoU of the pixels of a class"),
            "nsd": Number("pixels NSD", _BY_VIDEO, "normalised surface distance"),
        },
        _RESULTS,
        choices=("kind=pixels",),
        ways=(("paper", ()), ("paper", ("empty=counted",))),
        truth_format=COCO,
        alone_format=COCO,
    ),
    _of_files(
        "points",
        "points",
        {
            "ap": Number("points AP", {"similarity": "0.5:0.95"}, "average precision by keypoint similarity, 0.5 to 0.95"),
            "ap50": Number("points AP", {"similarity": "0.5"}, "average precision by keypoint similarity of 0.5"),
        },
        "COCO results: one JSON list of `{image_id, category_id, keypoints, score}`, x, y and visibility of each point in px; images and "
        "categories with the order of their points are those of `frames`",
        wanted="points",
        released="*/points.json",
        truth_format=COCO,
        alone_format=COCO,
    ),
    _of_files(
        "tracks",
        "tracks",
        {
            "hota": Number("tracks HOTA", _AS_ONE, "HOTA of all instruments as one class"),
            "idf1": Number("tracks IDF1", _AS_ONE, "IDF1 of all instruments as one class"),
            "mota": Number("tracks MOTA", _AS_ONE, "MOTA of all instruments as one class"),
        },
        "`<video>.txt` in the layout of MOTChallenge: frame from 1, id, left, top, width, height in px, confidence, class; classes are "
        "those of `frames` numbered from 0, or those that a line `classes=` of `<video>/seqinfo.ini` lists. Or the JSON or text of "
        "CholecTrack20",
        released="*/tracks/*",
        alone_format=COCO,
    ),
    _of_files(
        "criteria",
        "criteria",
        {
            "ap": Number("criteria AP", _BY_VIDEO, "average precision of the criteria"),
            "balanced": Number("criteria balanced accuracy", _BY_VIDEO, "balanced accuracy of the criteria"),
        },
        "one CSV with the columns `video,frame` and a probability per criterion, called as in `frames`; or `<video>.json` with "
        "`overall_outputs`, as the CVS Challenge has it",
        wanted="marks",
        released="marks",
    ),
)
CONTESTS: Mapping[str, ContestTask] = MappingProxyType({one.name: one for one in _EVERY})
"""Every task by name."""
