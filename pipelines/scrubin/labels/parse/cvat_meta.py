"""What CVAT's XML says of all shapes: the names of labels and what they mean, and the size of the pictures.

The label of a shape is the instrument; the attributes ``verb`` (or ``action``) and ``target`` are what it does. CVAT passes over what it
does not know in ``meta``: there our files name their vocabulary (``scrubin/vocabulary``). In others the first known one with every
label counts, else the labels are one of their own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, error
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import PARTS, Vocabulary, fold
from scrubin.labels.parse import documents, fields, xml_documents
from scrubin.labels.parse.columns import classes_of
from scrubin.labels.parse.fields import Where
from scrubin.labels.parse.xml_documents import Node
from scrubin.labels.registry import Evidence

ROOT = "annotations"
VERSION = "1.1"
SHAPES = ("box", "polygon", "mask", "points", "skeleton")
"""What becomes an instance."""
HOLDERS = ("track", "image")
OTHER_SHAPES = ("polyline", "ellipse", "cuboid")
ACTIONS: Mapping[str, str] = {"verb": "verb", "action": "verb", "target": "target"}
NOTHING = ("", "__undefined__")
"""What CVAT writes for an attribute that nobody set."""
VOCABULARY = "scrubin/vocabulary"
FOREIGN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
STEP = "step="
EVERY = range(fields.LARGEST)
ONE_BY_ONE = "export the tasks of the project one by one"
Names = tuple[str, str | None, str | None]
"""Instrument, verb and target of a shape."""


class Task(NamedTuple):
    """A task of a project: what its recording is called, how far its frames are moved in the file, and their numbers there."""

    name: str
    before: int = 0
    numbers: range = EVERY

    def frame(self, number: int) -> int | None:
        """Return the frame of the source that a number of the file means; None where it is none of this task."""
        return number - self.before if number in self.numbers else None


def opened(where: Where, data: bytes) -> Node | None:
    """Return the outermost element of a file of CVAT; None after noting why it is none."""
    root = documents.opened(lambda file, content: xml_documents.root(file, content, ROOT), where.file, data, where.faults)
    if root is None:
        return None
    stated = root.text_of("version")
    if stated and stated != VERSION:
        where.at("version").warning("edition", f"it is of version {documents.shown(stated)}; read as {VERSION}")
    return root


def is_of_several(root: Node) -> bool:
    """Return whether a file is of a project of several tasks."""
    return len(root.findall("meta/project/tasks/task")) > 1


def tasks_of(root: Node) -> dict[str, Task]:
    """Return the tasks of a project by their id; none of several where not every one says which frames it has.

    CVAT numbers on through a project: in each subset, by id, the frames of a task are moved by ``start_frame`` and the size times the step
    of every one before it (``_init_task_frame_offsets`` in its ``dataset_manager/bindings.py``).
    """
    tasks = [task for task in root.iterfind("meta/project/tasks/task") if isinstance(task, Node)]
    found: dict[str, Task] = {}
    before = Counter[str]()
    for task in sorted(tasks, key=lambda one: documents.frame_number(one.text_of("id")) or 0):
        name, subset = PurePosixPath(task.text_of("source")).stem or task.text_of("name"), task.text_of("subset")
        start, size = (documents.frame_number(task.text_of(key)) for key in ("start_frame", "size"))
        step, moved = step_of(task), before[subset]
        if len(tasks) > 1 and (start is None or size is None or not step):
            return {}
        first, length = moved + (start or 0), (size or 0) * (step or 1)
        before[subset] = first + length
        if name and "/" not in name:
            numbers = range(first, first + length, step or 1)
            found[task.text_of("id")] = Task(name, moved, numbers) if len(tasks) > 1 else Task(name)
    return found


def step_of(task: Node) -> int | None:
    """Return by how many frames of the source those of a task are apart; None where it does not say it soundly."""
    filtered = task.text_of("frame_filter")
    return documents.frame_number(filtered.removeprefix(STEP)) if filtered else 1


def origin_of(root: Node) -> dict[str, str]:
    """Return what says of which task and video a file is: jobs of a task say when that was created."""
    source = root.text_of("meta/task/source") or root.text_of("meta/source")
    created = root.text_of("meta/task/created") or root.text_of("meta/job/created")
    # Files of jobs say no source in some editions.
    return {"task": created or (source if root.find("meta/job") is not None else ""), "source": source}


def evidence(holder: str) -> Evidence:
    """Return the evidence of a file of CVAT in which shapes stand in one kind of elements; without any shape ``mode`` says which.

    Parameters
    ----------
    holder
        ``track`` or ``image``.
    """

    def fits(path: Path) -> bool:
        data = strangers.read_bytes(path) if path.suffix.lower() == ".xml" else b""
        if f"<{ROOT}".encode() not in data[:1000]:
            return False
        found = {at: tag for tag in HOLDERS if (at := data.find(f"<{tag} ".encode())) >= 0}
        of_mode = "track" if b"<mode>interpolation</mode>" in data else "image" if b"<meta" in data else ""
        return holder == (found[min(found)] if found else of_mode)

    return fits


def attributes_of(shape: Node) -> dict[str, str]:
    """Return the attributes of a shape that somebody set, by name."""
    pairs = ((str(one.get("name", "")), (one.text or "").strip()) for one in shape.nodes("attribute"))
    return {name: value for name, value in pairs if value not in NOTHING}


def names_of(label: str, shape: Node) -> Names:
    """Return what the instrument of a shape is called, and what it does."""
    said = {ACTIONS[fold(name)]: value for name, value in attributes_of(shape).items() if fold(name) in ACTIONS}
    return label, said.get("verb"), said.get("target")


def has_actions(root: Node) -> bool:
    """Return whether labels have a verb and a target that can be set."""
    names = {ACTIONS.get(fold(one.text_of("name"))) for one in root.iter("attribute") if isinstance(one, Node)}
    return {"verb", "target"} <= names or any(None not in names for names in _named_shapes(root))


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that files of CVAT name, or that of their labels; None where they have none.

    Raises
    ------
    AnnotationError
        When none is XML of CVAT, or names stand for the same.
    """
    faults = Faults()
    opened_roots = {file: opened(Where(faults, file), data) for file, data in sorted(files.items())}
    roots = {file: root for file, root in opened_roots.items() if root is not None}
    if not roots:
        AnnotationError.raise_any(faults)
    for file, root in roots.items():
        if stated := root.text_of(f"meta/{VOCABULARY}"):
            return stated_vocabulary(file, stated)
    named = list(dict.fromkeys(names for root in roots.values() for names in _named_shapes(root)))
    listed = list(dict.fromkeys(label for root in roots.values() for label in listed_labels(root)))
    return _of_names(min(files), named, listed) if named or listed else None


def stated_vocabulary(file: str, text: str) -> Vocabulary:
    """Return the vocabulary that one of our files names; errors as of ``own_categories.of_reference``."""
    return own_categories.of_reference(file, documents.json_value(file, text.encode()))


def refuse_other_vocabulary(where: Where, root: Node, vocabulary: Vocabulary) -> None:
    """Note that a file names another vocabulary than it is read with."""
    stated = root.text_of(f"meta/{VOCABULARY}")
    if stated and stated_vocabulary(where.file, stated).name != vocabulary.name:
        where.error("vocabularies-differ", f"it names another vocabulary than '{vocabulary.name}'", "read the file with its own")


def listed_labels(root: Node) -> list[str]:
    """Return the names of labels in ``meta``, in their order."""
    names = [label.text_of("name") for label in root.iter("label") if isinstance(label, Node)]
    return list(dict.fromkeys(name for name in names if name))


def _named_shapes(root: Node) -> Iterator[Names]:
    for parent in root.nodes(*HOLDERS):
        for shape in parent.nodes(*SHAPES):
            label = parent.get("label") if parent.tag == "track" else shape.get("label")
            if label:
                yield names_of(label, shape)


def _of_names(file: str, named: Sequence[Names], listed: Sequence[str]) -> Vocabulary:
    """Return the known vocabulary with all names, or one of their own: with the labels in the order of ``meta``, so that files agree."""
    instruments = list(dict.fromkeys(label for label, _, _ in named)) or list(listed)
    triplets = sorted({",".join(map(str, names)) for names in named if None not in names})
    classes = classes_of(Where(Faults(), file), triplets or instruments, None)
    known = None if classes is None or classes.vocabulary.name.startswith(own_categories.PREFIX) else classes.vocabulary
    if known is not None and all(known.find("instrument", label) is not None for label in instruments):
        return known
    every = list(dict.fromkeys([*listed, *instruments]))
    verbs, targets = (sorted({str(names[at]) for names in named if names[at] is not None}) for at in (1, 2))
    return own_categories.of_categories(file, {"instrument": every, "verb": verbs, "target": targets, "triplet": triplets})


def size_of(where: Where, root: Node, said: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return width and height of the pictures of a video in px; None after noting that nobody says them.

    Parameters
    ----------
    said
        What a user says where the file does not.
    """
    stated = next((one for one in root.iter("original_size") if isinstance(one, Node)), None)
    if stated is None:
        if said is None:
            where.error("image-size", "boxes are in px, and nothing says the size of the pictures", "give --image-size WIDTHxHEIGHT")
        return said
    return whole_size(where.at(stated.place), stated.text_of("width"), stated.text_of("height"))


def whole_size(where: Where, width: str, height: str) -> tuple[int, int] | None:
    """Return the size of a picture in px; None after noting that it is none."""
    sides = [documents.frame_number(side) or 0 for side in (width, height)]
    if min(sides) < 1 or max(sides) > 10**6:
        where.error("image-size", f"the size is {documents.shown([width, height])}", "give width and height in whole pixels")
        return None
    return sides[0], sides[1]


def head(task: Mapping[str, str], vocabulary: Vocabulary, size: tuple[int, int] | None, *, actions: bool) -> list[str]:
    """Return the lines of a file up to its shapes.

    Parameters
    ----------
    task
        What is said of the task.
    size
        Width and height in px of the pictures of a video.
    actions
        Whether shapes have a verb and a target.
    """
    sides = [] if size is None else [f"<original_size><width>{size[0]}</width><height>{size[1]}</height></original_size>"]
    selects = [_select(kind, names) for kind, names in zip(PARTS[1:], (vocabulary.verbs, vocabulary.targets), strict=True) if actions]
    labels = [f"<label><name>{escape(name)}</name><attributes>{''.join(selects)}</attributes></label>" for name in vocabulary.instruments]
    reference = json.dumps(own_categories.reference(vocabulary), ensure_ascii=False)
    return [
        '<?xml version="1.0" encoding="utf-8"?>',
        f"<{ROOT}>",
        f"  <version>{VERSION}</version>",
        "  <meta>",
        "    <task>",
        *(f"      <{name}>{escape(value)}</{name}>" for name, value in task.items()),
        "      <labels>",
        *(f"        {label}" for label in labels),
        "      </labels>",
        *(f"      {one}" for one in sides),
        "    </task>",
        f"    <scrubin><vocabulary>{escape(reference)}</vocabulary></scrubin>",
        "  </meta>",
    ]


def finished(recording: str, lines: Sequence[str]) -> bytes:
    """Return a file of the lines of its head and shapes.

    Raises
    ------
    AnnotationError
        For a name with a character that XML does not have.
    """
    text = "\n".join([*lines, f"</{ROOT}>"]) + "\n"
    if found := FOREIGN.search(text):
        what = f"XML cannot hold the character {found[0]!r} of a name"
        raise AnnotationError([error(recording, "encoding", what, "give it a plain name")])
    return text.encode()


def _select(name: str, values: Iterable[str]) -> str:
    kept = escape("\n".join(values))
    of = f"<name>{name}</name><mutable>True</mutable><input_type>select</input_type><default_value></default_value><values>{kept}</values>"
    return f"<attribute>{of}</attribute>"


def element(tag: str, said: Mapping[str, str | int], inside: Sequence[str], indent: str) -> list[str]:
    """Return the lines of an element with what it says and what is inside."""
    opening = " ".join([tag, *(f"{name}={quoteattr(str(value))}" for name, value in said.items())])
    return [f"{indent}<{opening}>", *(f"{indent}  {one}" for one in inside), f"{indent}</{tag}>"] if inside else [f"{indent}<{opening}/>"]
