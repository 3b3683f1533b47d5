"""The registry of label formats: who reads them, who writes them, what their files are known by. A new format is one file.

A format reads the files of one recording (``label_format``) or a whole data set at once
(``dataset_format``, which only conversion by hand uses), and may write both back (``writes``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Collection as Names
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any, Literal, TypeVar

import pandas as pd

from scrubin.base import faults, strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault
from scrubin.base.file_lists import is_of_system
from scrubin.base.text import csv_text
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.choices import READ_AS
from scrubin.labels.model import Collection, LabelFiles, Labels, details_of

HEAD_BYTES = 4096
NOTE = re.compile(r"manifest\.json|.*\.stamp\.json")
NAMES_CLASSES = (".yaml", ".yml")
LISTS_CLASSES = "classes.txt"
OF_DARKNET = ".names"
"""A list of classes as darknet has it, and CVAT's ``YOLO 1.1``: a name per line, in a file that `POINTS_TO_NAMES` names."""
POINTS_TO_NAMES = "obj.data"
Evidence = Callable[[Path], bool]
Reader = Callable[[LabelFiles], Labels]
CollectionReader = Callable[[LabelFiles], Collection]
VocabularyOf = Callable[[Mapping[str, bytes]], Vocabulary | None]


def is_note(file: Path) -> bool:
    """Return whether a file is none of labels: what systems and editors leave, a manifest, or a stamp beside what we wrote."""
    return is_of_system(file.name) or NOTE.fullmatch(file.name) is not None


def known_name(file: PurePath) -> str:
    """Return the name of a file as formats know it, with its extension in small letters: Windows and some programs write ``.TXT``.

    A list of classes is one in any letters.

    >>> known_name(PurePath("labels/Label_03.TXT"))
    'Label_03.txt'
    >>> known_name(PurePath("labels/Classes.TXT"))
    'classes.txt'
    """
    return LISTS_CLASSES if file.name.lower() == LISTS_CLASSES else file.with_suffix(file.suffix.lower()).name


def only_names_classes(file: PurePath) -> bool:
    """Return whether a file beside labels says no more than which classes there are, as those of YOLO do."""
    return file.suffix.lower() in (*NAMES_CLASSES, OF_DARKNET) or known_name(file) in (LISTS_CLASSES, POINTS_TO_NAMES)


def never(path: Path) -> bool:
    """Return False: a format without evidence has to be named."""
    return False


def named(path: Path) -> bool:
    """Return whether there is such a file: its name alone tells."""
    return path.is_file()


T = TypeVar("T")


@dataclass
class _Look:
    """The files that are looked at for one command, what the last JSON file holds, and what was made of all of them."""

    files: Names[Path]
    last: dict[Path, Any] = field(default_factory=dict)
    made: dict[Callable[[Names[Path]], Any], Any] = field(default_factory=dict)


_LOOK: ContextVar[_Look | None] = ContextVar("what is looked at", default=None)


@contextmanager
def last_document_kept(files: Names[Path] = ()) -> Iterator[None]:
    """Keep what the last JSON file holds, as formats ask for the same one, each for its own evidence; all of a folder may be too many.

    Parameters
    ----------
    files
        All that are looked at: what one of them is, another one may say.
    """
    token = _LOOK.set(_Look(files))
    try:
        yield
    finally:
        _LOOK.reset(token)


def of_all(make: Callable[[Names[Path]], T]) -> T:
    """Return what a function makes of all files that are looked at, none where nobody says which: it is called once for a command."""
    look = _LOOK.get()
    if look is None:
        return make(())
    if make not in look.made:
        look.made[make] = make(look.files)
    made: T = look.made[make]
    return made


def document(path: Path) -> Any:
    """Return what a JSON file holds, not to be changed; None for any other, or a broken one."""
    if path.suffix.lower() != ".json":
        return None
    look = _LOOK.get()
    if look is None:
        return _parsed(path)
    if path not in look.last:
        look.last.clear()
        look.last[path] = _parsed(path)
    return look.last[path]


def _parsed(path: Path) -> Any:
    try:
        return strangers.read_json(path)
    except ValueError:
        return None


def head(path: Path) -> str:
    """Return the beginning of a text file."""
    with strangers.opened(path) as file:
        return file.read(HEAD_BYTES).decode("utf-8-sig", errors="replace")


def columns_of(path: Path) -> tuple[str, ...]:
    """Return what the first line of a table calls its columns, whatever separates them: spreadsheets that save it choose themselves."""
    first_line = head(path).split("\n", 1)[0]
    return csv_text.read(path.name, first_line.encode()).columns


def fixed_classes(names: Sequence[str]) -> VocabularyOf:
    """Return what gives the vocabulary of a data set with the same classes everywhere; they stand where others have instruments."""
    return lambda files: own_categories.vocabulary_of({"instrument": names})


def has_columns(*wanted: str) -> Evidence:
    """Return the evidence of a table with all these columns."""
    return lambda path: set(wanted) <= set(columns_of(path))


def keys(*wanted: str, **types: type) -> Evidence:
    """Return the evidence of a JSON object with all these keys, some of a type."""

    def fits(path: Path) -> bool:
        content = document(path)
        return (
            isinstance(content, Mapping)
            and all(key in content for key in wanted)
            and all(isinstance(content.get(key), of_type) for key, of_type in types.items())
        )

    return fits


Content = Literal[
    "phases",
    "segments",
    "instances",
    "actions",
    "boxes",
    "boxless",
    "masks",
    "points",
    "ignored",
    "partial",
    "repeats",
    "scores",
    "tracks",
    "details",
    "spans",
    "numbers",
    "recognition",
    "marks",
    "empty frames",
    "ratings",
    "facts",
    "errors",
    "skill",
]
"""What a format can hold: ``actions`` are verbs and targets, ``boxless`` and ``partial`` instances without box or without a
whole triplet, ``masks`` the pixels of instances, ``points`` their key points, ``ignored`` pixels that count for nobody, ``repeats``
several instances of a class in a frame, ``tracks`` their ids, ``details`` whatever else there is, and tracks, too, ``numbers`` those of
instances that the labels give, ``marks`` what annotators say of a frame, such as whether a criterion is met."""


@dataclass(frozen=True)
class ByHand:
    """How files are read where no ``params.yaml`` says it.

    Parameters
    ----------
    vocabulary
        Name of the vocabulary where none is chosen and the files name none.
    vocabulary_of
        The vocabulary that the files of a recording, or of a data set, name; None where they name none.
    named_by_folder
        Whether the folder of the files may be named after their vocabulary.
    fps
        Frames per second of the source by whose frames the labels are numbered.
    fps_unstated
        Whether ``fps`` is a custom of the format that no file states; without a custom there is no ``fps``, and it is asked for.
    rate_is, first
        Which rate is asked for, by a stage, too, where frames are not the source's ("": they are); the format's number of the first one.
    names_vocabulary
        Whether its files always name their vocabulary, so that none can be chosen.
    evidence
        Whether a file that has a name of the format looks like it: so it is known when nobody names it.
    files
        Which files below a path are of the format, where that is not told by their names alone; none for a path that is not of it.
    is_whole
        Whether a path is of the format whatever else lies in it, such as a release; who wants what other formats hold looks for these.
    holds
        What files of a format can hold that is only read; what is also written, the writer says.
    beside
        What else a data set has beside files of the format, as a pattern like theirs: it holds nothing that a command misses.
    precedence
        What looks like several formats is of the first of them: 0 for a layout of folders, which holds files of other
        formats, 2 for plain arrays and tables, 1 for all others.
    """

    vocabulary: str = ""
    vocabulary_of: VocabularyOf | None = None
    named_by_folder: bool = False
    fps: Fraction | None = None
    fps_unstated: bool = False
    rate_is: str = ""
    first: int | None = None
    names_vocabulary: bool = False
    evidence: Evidence = never
    files: Callable[[Path], list[Path]] | None = None
    is_whole: Evidence = never
    holds: tuple[Content, ...] = ()
    beside: str = ""
    precedence: Literal[0, 1, 2] = 1

    @property
    def asks_fps(self) -> bool:
        """Whether somebody has to say by which rate frames are numbered: no file does, and there is no custom."""
        return self.fps_unstated and self.fps is None


@dataclass(frozen=True)
class _Declared:
    """What a format is, whatever is read of it at once.

    Parameters
    ----------
    name
        How ``params.yaml`` calls it.
    pattern
        What a file is called inside the format's folder; the group ``recording`` is the recording, and a file without
        one belongs to all.
    expected
        The same for readers, in messages and documents.
    title
        What it is, in a line.
    by_hand
        How it is read by hand.
    """

    name: str
    pattern: re.Pattern[str]
    expected: str
    title: str
    by_hand: ByHand


@dataclass(frozen=True)
class Format(_Declared):
    """One format that is read recording by recording: ``read`` takes the files of one and is pure."""

    read: Reader


@dataclass(frozen=True)
class DatasetFormat(_Declared):
    """One format whose files say something of several recordings; ``read`` takes all files at once."""

    read: CollectionReader


AnyFormat = Format | DatasetFormat


@dataclass
class Output:
    """What a writer makes: files by name, what it could not hold, counted, and what a person should know of the files, in sentences.

    Of the losses, ``unwritten`` are whole rows, by their kind as `conversion` counts them: "instance", "phase", "span", "mark", "rating" or
    "combined score".
    """

    files: dict[str, bytes] = field(default_factory=dict)
    losses: Counter[str] = field(default_factory=Counter)
    unwritten: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def lose(self, what: str, count: int = 1, *, rows_of: str = "") -> None:
        """Count what is not in the files; 0 is nothing. ``rows_of`` is the kind of row that each of it is."""
        if count:
            self.losses[what] += count
            if rows_of:
                self.unwritten[rows_of] += count

    def lose_details(self, rows: pd.DataFrame, kept: Names[str]) -> None:
        """Count the details of instances that are not in the files, but for those that are."""
        for name in details_of(rows):
            if name not in kept:
                self.lose(f"'{name}' of instances", int(rows[name].notna().sum()))


WriterFunction = Callable[[Collection, Output], None]


@dataclass(frozen=True)
class Writer:
    """How a format is written; it registers the function that it decorates (`writes`).

    Parameters
    ----------
    name
        Of the format.
    holds
        What the format can hold.
    fps
        The only rate that the format knows; None where files state their own, or none.
    whole_fps
        Whether the rate must be a whole number.
    vocabulary
        The only vocabulary that the format knows, or "".
    takes
        Which vocabularies it takes as they are. Where none is said: every one, or none where ``vocabulary`` names one, to which labels
        of a related one are translated.
    pixels
        Whether boxes are in pixels, so that the images' size must be known.
    every_frame
        Whether files have a phase for every frame, so that labels of a lower rate are repeated until the next one is due; gaps stay gaps.
    phases_as_spans
        Whether phases are written as spans of time instead of frames.
    nameless
        Whether an instance may have no instrument, such as a box that nobody named.
    only_masks
        Whether an instance needs its mask; one without cannot be written.
    placed
        Whether an instance that may lack a box needs points then: one that is nowhere cannot be written.
    frames
        What the format says of single frames, as columns of ``Labels.frames``; the size of images is beside it.
    needs
        Columns of an instance that must be defined; () for the class that is labelled, triplet or instrument.
    several_rates
        Whether files state their rates where recordings have several, though they state none where they have one.
    write
        Collection to files; what it takes is what ``holds`` says, in pixels only when images have a size.
    """

    name: str
    holds: tuple[Content, ...]
    fps: Fraction | None = None
    whole_fps: bool = False
    vocabulary: str = ""
    takes: Callable[[Vocabulary], bool] | None = None
    pixels: bool = False
    every_frame: bool = False
    frames: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    phases_as_spans: bool = False
    nameless: bool = False
    only_masks: bool = False
    placed: bool = False
    several_rates: bool = False
    write: WriterFunction = lambda collection, out: None

    def __call__(self, write: WriterFunction) -> WriterFunction:
        """Register a function as what writes the format, under a name that no other has."""
        if self.name in WRITERS:
            raise ValueError(f"label format '{self.name}' has two writers")
        WRITERS[self.name] = replace(self, write=write)
        return write

    def is_for(self, vocabulary: Vocabulary) -> bool:
        """Return whether labels in a vocabulary are taken as they are."""
        return not self.vocabulary if self.takes is None else self.takes(vocabulary)


writes = Writer


FORMATS: dict[str, Format] = {}
DATASET_FORMATS: dict[str, DatasetFormat] = {}
WRITERS: dict[str, Writer] = {}


def label_format(name: str, *, pattern: str, expected: str, title: str = "", by_hand: ByHand | None = None) -> Callable[[Reader], Reader]:
    """Register the decorated reader of one recording under a name that no other format has."""

    def register(read: Reader) -> Reader:
        _refuse_twice(name)
        FORMATS[name] = Format(name, re.compile(pattern), expected, title, by_hand or ByHand(), read)
        return read

    return register


def dataset_format(
    name: str, *, pattern: str, expected: str, title: str, by_hand: ByHand | None = None
) -> Callable[[CollectionReader], CollectionReader]:
    """Register the decorated reader of a whole data set under a name that no other format has."""

    def register(read: CollectionReader) -> CollectionReader:
        _refuse_twice(name)
        DATASET_FORMATS[name] = DatasetFormat(name, re.compile(pattern), expected, title, by_hand or ByHand(), read)
        return read

    return register


def readable() -> dict[str, AnyFormat]:
    """Return every format that can be read, by name, sorted."""
    every: dict[str, AnyFormat] = {**FORMATS, **DATASET_FORMATS}
    return dict(sorted(every.items()))


def format_of(name: str) -> AnyFormat:
    """Return a readable format by name.

    Raises
    ------
    AnnotationError
        For an unknown name, with the near miss.
    """
    known = readable()
    name = READ_AS.get(name, name)
    if name not in known:
        what = f"'{name}' is no format that can be read" + (", only written" if name in WRITERS else "")
        raise AnnotationError([Fault("", "format-unknown", what, faults.hint(name, known))])
    return known[name]


def name_pattern(form: AnyFormat) -> re.Pattern[str]:
    """Return what a file of the format is called below any folder; the group ``own`` is the part that the format knows."""
    return re.compile(f"(?:.*/)?(?P<own>{form.pattern.pattern})")


def contents_of(form: AnyFormat) -> frozenset[Content]:
    """Return what files of a format can hold."""
    written = WRITERS[form.name].holds if form.name in WRITERS else ()
    return frozenset((*written, *form.by_hand.holds))


def _refuse_twice(name: str) -> None:
    if name in FORMATS or name in DATASET_FORMATS:
        raise ValueError(f"label format '{name}' is registered twice")
