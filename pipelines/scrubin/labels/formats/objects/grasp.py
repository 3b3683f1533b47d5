"""PSI-AVA and GraSP: COCO JSON with a phase and a step of each key frame in its annotations; all videos in one file.

``phase_categories`` and ``step_categories`` name them, numbered from 0 (GraSP writes ``phases_categories``, ``phases``, ``steps``).
Images are ``CASE021/00001.jpg``: video and frame. Key frames of PSI-AVA, one in 35 seconds, have numbers 35 apart; those of GraSP are
numbered at 1 or at 30 per second. No file says which: it is asked for (``--fps``). A step is that of its key frame only: nothing is made
up between two. Boxes and masks are read as those of COCO; a file without them has phases and steps alone. The actions of instruments are
not kept, which is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.formats.objects import coco
from scrubin.labels.formats.objects.coco import OfFile, Reading
from scrubin.labels.model import SOURCE_FRAMES, Collection, LabelFiles, Labels, layer_of_phases, segment_rows
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, dataset_format

NAME = "grasp"
KINDS: Mapping[str, tuple[str, str]] = {"phase": ("phase", "phases"), "step": ("step", "steps")}
"""What a key frame has, and the two ways in which keys are called after it."""
OF_IMAGE = "image_name"
Marks = dict[tuple[str, int], dict[str, int]]


def _key(of: Mapping[str, Any], kind: str, suffix: str = "") -> str | None:
    return next((f"{name}{suffix}" for name in KINDS[kind] if f"{name}{suffix}" in of), None)


def _names(document: Mapping[str, Any], key: str | None) -> list[str] | None:
    """Return names by id; None unless ids are 0, 1, 2 ... with a name each."""
    listed = None if key is None else document.get(key)
    if not isinstance(listed, list) or not listed or not all(isinstance(one, Mapping) for one in listed):
        return None
    ids, names = [one.get("id") for one in listed], [one.get("name") for one in listed]
    return names if ids == list(range(len(ids))) and all(isinstance(name, str) and name for name in names) else None


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return phases, steps and instruments that the first file names; None where they cannot be used, which the reader notes."""
    file = min(files)
    document = documents.peek(files[file])
    marks = {kind: _names(document, _key(document, kind, "_categories")) for kind in KINDS}
    tools = document.get("categories")
    instruments = [one.get("name") for one in tools if isinstance(one, Mapping)] if isinstance(tools, list) else []
    lists = {
        **{kind: names for kind, names in marks.items() if names},
        "instrument": [name for name in instruments if isinstance(name, str)],
    }
    if not marks["phase"]:
        return None
    try:
        return own_categories.known_or_own(file, {kind: names for kind, names in lists.items() if names})
    except AnnotationError:
        return None


def has_phases(path: Path) -> bool:
    """Return whether a file is COCO JSON with the names of phases."""
    document = registry.document(path)
    return isinstance(document, Mapping) and {"images", "annotations"} <= document.keys() and bool(_key(document, "phase", "_categories"))


@dataset_format(
    NAME,
    pattern=r"[^/]+\.json",
    expected="<any name>.json with images, annotations and phase_categories",
    title="PSI-AVA and GraSP JSON: boxes, masks, phases and steps of key frames; read only",
    by_hand=ByHand(
        vocabulary_of=vocabulary_of,
        fps_unstated=True,
        evidence=has_phases,
        holds=("phases", "segments", "instances", "boxes", "masks", "partial", "repeats", "empty frames"),
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return phases, steps and boxes of the videos in files without an error; all faults are in ``Collection.faults``."""
    reading = Reading(source)
    marks: Marks = {}
    has_boxes = False
    for file, data in sorted(source.files.items()):
        of_file = OfFile(Where(Faults(), file))
        document = documents.opened(documents.json_object, file, data, of_file.where.faults)
        if document is not None:
            annotations = fields.list_of_objects(of_file.where, document, "annotations")
            boxed = [one for one in annotations if "bbox" in one]
            has_boxes |= bool(boxed)
            drop = {OF_IMAGE, *(key for of_kind in KINDS.values() for key in of_kind)}
            plain = [{key: value for key, value in one.items() if key not in drop} for one in boxed]
            coco.read_document(reading, of_file, {**document, "annotations": plain}, coco.read_images)
            _read_marks(of_file, document, annotations, source.vocabulary, marks)
        if of_file.where.faults.errors():
            reading.faulty |= {recording for recording, _ in of_file.images.values()}
        reading.faults.extend(of_file.where.faults.all())
    labels = [_with_marks(one, marks, has_boxes=has_boxes) for one in coco.labels_of(reading, NAME)]
    return Collection(tuple(labels), faults=reading.faults.all())


def _read_marks(
    of_file: OfFile, document: Mapping[str, Any], annotations: Sequence[Mapping[str, Any]], names: Vocabulary, marks: Marks
) -> None:
    """Add the phase and the step of each image; two annotations of an image must agree."""
    of_kind = {"phase": names.phases, "step": names.steps}
    for kind in KINDS:
        key = _key(document, kind, "_categories")
        if (key is not None or kind == "phase") and _names(document, key) != list(of_kind[kind]):
            wanted = (
                f"the list of the {len(of_kind[kind])} {kind}s of '{names.name}'" if of_kind[kind] else "a list of ids from 0 with names"
            )
            what = f"'{key or 'phase_categories'}' is not {wanted}"
            of_file.where.error("categories-form", what, "give each an id from 0, in order, and a name, the same in all files")
            return
    for i, one in enumerate(annotations):
        at = of_file.where.at(f"annotation {one.get('id', i)}")
        image_id = one.get("image_id")
        frame = of_file.images.get(image_id) if isinstance(image_id, int | str) else None
        for kind, known in of_kind.items():
            key = _key(one, kind)
            if frame is None or key is None or not known:
                continue
            id_ = fields.whole(at, one, key, high=len(known) - 1)
            if id_ is not None and marks.setdefault(frame, {}).setdefault(kind, id_) != id_:
                what = f"{key} is {id_}, but another annotation of {frame[0]} frame {frame[1]} has {marks[frame][kind]}"
                at.error("frame-contradicted", what, "give an image one phase and one step")


def _with_marks(labels: Labels, marks: Marks, *, has_boxes: bool) -> Labels:
    """Return labels with phases by frame, and steps as spans of one frame."""
    of_video = {frame: of for (recording, frame), of in sorted(marks.items()) if recording == labels.recording}
    phases = {frame: of["phase"] for frame, of in of_video.items() if "phase" in of}
    steps = [("step", frame, frame + 1, of["step"]) for frame, of in of_video.items() if "step" in of]
    return replace(
        labels,
        clock=SOURCE_FRAMES,
        phases=layer_of_phases(labels.recording, phases) if phases else None,
        instances=labels.instances if has_boxes else None,
        segments=segment_rows(steps) if steps else None,
    )
