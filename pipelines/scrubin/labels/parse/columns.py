"""What strangers call the columns of their tables, or the classes in their lists.

Case, blanks, underscores, hyphens and brackets do not count: ``Frame ID``, ``frame_id`` and ``FrameID`` are one name.
A column of seconds says what it counts, so that its rows need no rate; ``time`` and ``t`` without a unit are seconds.
What is numbered by the place of its row must not have a column that nobody understands: it may say that the order is another one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, get_args

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Fault
from scrubin.base.text import csv_text
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import PARTS, Naming, Vocabulary, fold, load, related
from scrubin.labels.label_map import LabelMap
from scrubin.labels.model import ClassList, LabelFiles, Labels
from scrubin.labels.parse.fields import Where

Meaning = Literal["frame", "row", "seconds", "milliseconds", "video", "phase id", "phase", "id"]
MEANINGS: tuple[Meaning, ...] = get_args(Meaning)
NAMES: Mapping[Meaning, tuple[str, ...]] = {
    "frame": (
        *("frame", "frames", "frame_id", "frame_index", "frame_idx", "frame_no", "frame_nr", "frame_num", "frame_number", "video_frame"),
        *("int_frame", "image", "image_id", "image_index", "image_idx", "image_no", "image_number"),
    ),
    "row": ("index", "idx", "Unnamed: 0"),
    "seconds": (
        *("second", "seconds", "sec", "secs", "s", "t", "t_s", "time", "time_s", "time_sec", "time_secs", "time_seconds", "int_time"),
        *("time_in_seconds", "video_time", "timestamp", "timestamps", "timestamp_s", "timestamp_sec", "timestamp_seconds", "timecode"),
    ),
    "milliseconds": ("ms", "msec", "millisecond", "milliseconds", "time_ms", "timestamp_ms", "time_milliseconds", "t_ms"),
    "video": (
        *("video", "video_id", "video_name", "video_no", "video_nr", "video_num", "video_number", "video_index", "video_idx", "int_video"),
        *("vid", "vid_id", "vid_name", "case", "case_id", "case_no", "case_name", "recording", "recording_id"),
    ),
    "phase id": ("phase_id", "phase_no", "phase_nr", "phase_num", "phase_number", "phase_index", "phase_idx", "int_phase"),
    "phase": (
        *("phase", "phase_name", "phase_label", "label", "prediction", "predicted", "pred", "predicted_phase", "predicted_label"),
        *("phase_prediction", "phase_predicted", "phase_predict", "phase_pred", "pred_phase", "pred_label", "prediction_phase"),
    ),
    "id": ("id",),
}
"""``row`` numbers rows as pandas does; an ``id`` is that of the phase where nothing else says it, else perhaps that of the video."""
OF_NAME: Mapping[str, Meaning] = {fold(name): meaning for meaning, names in NAMES.items() for name in names}
UNITLESS = frozenset(map(fold, ("t", "time", "video_time", "timestamp", "timestamps")))
_NUMBERS = "|".join(name for name, meaning in OF_NAME.items() if meaning in ("frame", "seconds", "milliseconds"))
_END = (
    "end|stop|until|duration|finish|ende|dauer|fin|dur[e\u00e9]e|hasta|duraci[o\u00f3]n|fim|dura[c\u00e7][a\u00e3]o|durata|einde|slut|koniec"
    "|\u043a\u043e\u043d\u0435\u0446|\u7ed3\u675f|\u7d42\u4e86"
)
ENDS = re.compile(rf"(?:{_END})(?:{_NUMBERS}|zeit)?|(?:{_NUMBERS}|phase)(?:{_END})|(?:bis|to|last)(?:{_NUMBERS})")
PERHAPS_ENDS = frozenset(("bis", "fine", "to", "final", "offset"))
"""An end, but also the bispectral index of anaesthesia, what is not coarse, or how far something is off: their cells must say it."""
SURE = re.compile(r"(?:phase|pred|predicted|prediction)?(?:conf|scores?|prob|logits?|softmax).*|p\d+")
TRUTH = re.compile(r"gt|.*groundtruth.*|.*(?:gt|true|truth)(?:phase|label)|(?:phase|label)(?:gt|true|truth)|true|truth")
TRUTH_OF_PREDICTIONS = re.compile(r"y|ytrue|targets?|annotat(?:ion|ions|ed)|ref|references?|actual|expected")
"""What a column of labels may be called where the other one says that it is of predictions."""
COLUMN_TRUTH = "column-truth"
"""The rule by which a table of predictions with a column of labels beside them is known."""
SHOWN = 6
LISTED = 12
"""So many classes of a list are named."""
NS = 10**9
_NUMBER_OR_TIME = re.compile("[0-9][0-9:.,]*")
_DECIMAL = re.compile(r"([0-9]{1,9})(?:\.([0-9]{0,20}))?")
_VIDEO_AS_FLOAT = re.compile(r"(?P<whole>-?\d+)(\.0*|,0)")
_COMMA = re.compile(r"[0-9]{1,9},[0-9]{1,20}")
_COMMA_OR_THOUSANDS = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
_CLOCK = re.compile(r"(?:([0-9]{1,2}) days? )?([0-9]{1,2}):([0-5]?[0-9]):([0-5][0-9](?:[.,][0-9]{0,20})?)")
_MINUTES = re.compile(r"()()([0-9]{1,3}):([0-5][0-9](?:[.,][0-9]{0,20})?)")


def places(header: Sequence[str]) -> dict[Meaning, list[int]]:
    """Return where the columns of each meaning stand; one without a name numbers rows, as pandas and R write it.

    >>> places(["", "Frame ID", "phase", "surgeon"])["frame"]
    [1]
    """
    meanings = ["row" if at == 0 and not fold(name) else OF_NAME.get(fold(name)) for at, name in enumerate(header)]
    return {meaning: [at for at, one in enumerate(meanings) if one == meaning] for meaning in MEANINGS}


def is_header(cells: Sequence[str]) -> bool:
    """Return whether the first line of a table is names of columns; of one or two, none is a number or a letter, as phases may be."""
    known = [cell for cell in cells if fold(cell) in OF_NAME and (len(cells) > 2 or len(cell) > 1)]
    return bool(known) and (len(cells) > 2 or not any(_DECIMAL.fullmatch(cell) for cell in cells))


def first_of(names: Iterable[str], *meanings: Meaning) -> str | None:
    """Return the name that has one of some meanings, the plainest where several have: ``frame`` comes before ``image_id``."""
    every = [fold(name) for meaning in meanings for name in NAMES[meaning]]
    return min((name for name in names if fold(name) in every), key=lambda name: every.index(fold(name)), default=None)


def name_of_video(cell: str) -> str:
    """Return the name of a video without the point or comma that pandas gives a number; its zeros in front stay, and 1.5e1 is a name.

    >>> name_of_video("001.0"), name_of_video("1,0"), name_of_video("01.50"), name_of_video("1.5e1")
    ('001', '1', '01.50', '1.5e1')
    """
    match = _VIDEO_AS_FLOAT.fullmatch(cell)
    return match["whole"] if match else cell


def is_row_number(name: str) -> bool:
    """Return whether a column has no name of its own, as that of row numbers which pandas and R write."""
    return fold(name) in ("", "unnamed0")


def is_unitless(name: str) -> bool:
    """Return whether the name of a column of times does not say their unit."""
    return fold(name) in UNITLESS


def says_unit(name: str) -> bool:
    """Return whether the name of a column of times says that these are seconds, or milliseconds.

    >>> says_unit("seconds"), says_unit("time_s"), says_unit("Time (ms)"), says_unit("timestamps"), says_unit("timecode")
    (True, True, True, False, False)
    """
    return not is_unitless(name) and fold(name).endswith(("s", "sec", "second"))


def is_called_end(name: str) -> bool:
    """Return whether a column is called like the ends or the lengths of spans, if perhaps like something else, too."""
    return ENDS.fullmatch(fold(name)) is not None or fold(name) in PERHAPS_ENDS


def says_end(name: str, cells: Sequence[str]) -> bool:
    """Return whether a column says where spans end: it is called so and has different numbers or times, not 0 and 1, which may mark rows.

    >>> says_end("endTime", ["10", "20"]), says_end("end", ["0", "1"]), says_end("endoscope", ["3", "4"]), says_end("BIS", ["45", "52"])
    (True, False, False, False)
    """
    found = set(filter(None, cells))
    is_told = len(found) > 1 or len(cells) == 1
    return ENDS.fullmatch(fold(name)) is not None and is_told and not found <= {"0", "1"} and all(map(_NUMBER_OR_TIME.fullmatch, found))


def names_truth(name: str, beside: str) -> bool:
    """Return whether a column is called one of labels, beside the one that is read.

    >>> names_truth("gt", "phase"), names_truth("target", "phase"), names_truth("target", "pred")
    (True, False, True)
    """
    return TRUTH.fullmatch(fold(name)) is not None or ("pred" in fold(beside) and TRUTH_OF_PREDICTIONS.fullmatch(fold(name)) is not None)


def note_several(where: Where, names: Sequence[str], fix: str) -> None:
    """Note columns of one meaning, of which nothing says which one is meant."""
    where.error("header", f"the columns {', '.join(map(csv_text.shown, names))} could all be meant", fix)


def note_truth(where: Where, header: Iterable[str], phase: str) -> None:
    """Note columns that are called labels beside that of the phases that are read."""
    of_truth = [name for name in header if name != phase and names_truth(name, phase)]
    if of_truth:
        what = f"the phases are those of the column '{phase}'; not read: {', '.join(map(csv_text.shown, of_truth))}"
        where.warning(COLUMN_TRUTH, what, "keep labels and predictions in files of their own")


def says_how_sure(name: str, cells: Sequence[str]) -> bool:
    """Return whether a column is one of confidences, which cannot number rows: it is called so, and is no list of whole numbers."""
    whole = len(set(cells)) == len(cells) > 1 and all(cell.isdigit() for cell in cells)
    return SURE.fullmatch(fold(name)) is not None and not whole


def nanoseconds(
    cell: str, unit: Literal["seconds", "milliseconds"] = "seconds", *, comma: bool = False, minutes: bool = False
) -> int | None:
    """Return a time in nanoseconds; None for what is none, or could be read in two ways.

    Parameters
    ----------
    unit
        Of a plain number; ``0:01:02.5`` has its own. ``01:02`` could be minutes or hours.
    comma
        Whether a comma may be that of a decimal; in a clock it is always.
    minutes
        Whether ``01:02`` is minutes and seconds.

    >>> nanoseconds("0:01:02,5", minutes=True), nanoseconds("75:30", minutes=True)
    (62500000000, 4530000000000)
    >>> nanoseconds("0:01:02.5"), nanoseconds("40", "milliseconds"), nanoseconds("01:02"), nanoseconds("0,04", comma=True)
    (62500000000, 40000000, None, 40000000)
    """
    if comma and _COMMA.fullmatch(cell) and not _COMMA_OR_THOUSANDS.fullmatch(cell):
        cell = cell.replace(",", ".")
    if _DECIMAL.fullmatch(cell):
        return round(Fraction(cell.rstrip(".")) * (NS if unit == "seconds" else NS // 1000))
    match = _CLOCK.fullmatch(cell) or (_MINUTES.fullmatch(cell) if minutes else None)
    if match is None:
        return None
    days, hours, whole_minutes = (int(part or 0) for part in match.groups()[:3])
    return ((days * 24 + hours) * 60 + whole_minutes) * 60 * NS + round(Fraction(match[4].replace(",", ".").rstrip(".")) * NS)


def decimals(cell: str, unit: Literal["seconds", "milliseconds"] = "seconds") -> int:
    """Return how many decimals of a second a time is written with, at most 9; whatever its unit, no finer one says anything.

    >>> decimals("0.10"), decimals("40", "milliseconds"), decimals("0:01:02.5"), decimals("12")
    (2, 3, 1, 0)
    """
    written = len(cell.replace(",", ".").rpartition(".")[2]) if {".", ","} & set(cell) else 0
    return min(written + (3 if unit == "milliseconds" and ":" not in cell else 0), 9)


def per_second(times_ns: Iterable[int]) -> int:
    """Return the least number of instants that a second needs so that every time is one of them; no rate is guessed by it.

    >>> per_second([0, 40_000_000, 3_000_000_000]), per_second([5 * NS, 10 * NS])
    (25, 1)
    """
    return NS // math.gcd(NS, *times_ns)


def note_unused(where: Where, names: Sequence[str], what: str = "column", known: str = "'frame'", numbers: str = "rows") -> None:
    """Note that rows, or columns, would be numbered by their place beside something that may number them.

    Parameters
    ----------
    names
        What nobody understands.
    what
        What it is: a column, an array or a key.
    known
        How the one is called that does number them.
    numbers
        What it numbers.
    """
    listed = ", ".join(f"'{csv_text.shown(name)}'" if name else "without a name" for name in names[:SHOWN]) + (
        " ..." if len(names) > SHOWN else ""
    )
    is_one = len(names) == 1
    said = f"nothing known numbers the {numbers}, and the {what if is_one else f'{what}s'} {listed} may do it"
    where.error("column-unused", said, f"call it {known} if it does, else leave it out" if is_one else f"call the one {known} that does")


def note_blank(where: Where, lines: Sequence[int]) -> None:
    """Note lines without text, where rows are numbered by their place: passed over, they would shift every label below them."""
    if lines:
        what = "the line is blank, and the rows are numbered by their place"
        where.at(f"line {lines[0]}").error(
            "line-blank", what, "remove it, or give the frame a label, or number the rows by a column 'frame'"
        )


PREFERRED = ("prostatd", "cholect50", "cholec80", "endoscapes")


@dataclass(frozen=True)
class Classes:
    """What a class index means.

    Parameters
    ----------
    vocabulary
        Whose ids these are.
    triplets
        Whether classes are triplets; otherwise they are instruments.
    ids
        The id in the vocabulary of each class, by its place in the list.
    merges
        Names before and after the label map, by place in the list.
    said
        Whose numbers these are and what each means, for messages; "" for those of the files themselves, or of the vocabulary.
    """

    vocabulary: Vocabulary
    triplets: bool
    ids: tuple[int, ...]
    merges: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    said: str = ""


def classes_of(where: Where, names: Sequence[str], chosen: Vocabulary | None, label_map: LabelMap | None = None) -> Classes | None:
    """Return what a list of class names means; None after noting names that cannot be used.

    Names of triplets are ``instrument,verb,target``, or the same with ``_``. Without a chosen vocabulary, the
    first one that has every name counts; where none has, the names are a vocabulary of their own.

    Parameters
    ----------
    where
        Of the list.
    """
    mapped = [_mapped(name, label_map) for name in names]
    merges = {i: (name, to) for i, (name, to) in enumerate(zip(names, mapped, strict=True)) if name != to}
    classes = _own_or_known(where, mapped) if chosen is None else _known(mapped, chosen) or _strict(where, mapped, chosen)
    return None if classes is None else replace(classes, merges=merges)


def whole_list(vocabulary: Vocabulary) -> Classes:
    """Return the classes of a vocabulary in its own order: its triplets, or else its instruments."""
    n = len(vocabulary.triplets) or len(vocabulary.instruments)
    return Classes(vocabulary, bool(vocabulary.triplets), tuple(range(n)))


def as_listed(where: Where, source: LabelFiles, named_by: str, *, from_one: bool = False) -> Classes | None:
    """Return what numbers mean that no file of predictions names: what the ground truth lists; None after noting that it has several lists.

    Where that is another order than the vocabulary's it is said, as nothing else would tell.

    Parameters
    ----------
    where
        Of the numbers.
    source
        With the lists of the ground truth, one at least.
    named_by
        What would name the classes.
    from_one
        Whether a list that counts from 1 is read so; else all count from 0.
    """
    vocabulary, first = source.vocabulary, source.lists[0]
    own = (first.triplets, first.ids)
    other = next((one for one in source.lists if (one.triplets, one.ids) != own or (from_one and one.first != first.first)), None)
    first_class = first.first if from_one else 0
    if other is not None:
        pair = " and ".join(f"{one.file} has {_numbered(vocabulary, one, one.first if from_one else 0)}" for one in (first, other))
        what = f"classes are numbered and not named, and the ground truth lists them in several orders: {pair}"
        where.error("classes-unnamed", what, f"name them by {named_by}")
        return None
    stands = f" in {first.file}" if first.file else ""
    said = f"the classes of the ground truth{stands} are {_numbered(vocabulary, first, first_class)}"
    if first_class or first.ids != tuple(range(len(first.ids))):
        where.warning(
            "classes-unnamed", f"classes are numbered and not named; {said}, and the numbers are read so", f"name them by {named_by}"
        )
    return Classes(vocabulary, first.triplets, first.ids, said=said)


def note_beyond(where: Where, number: float, classes: Classes, first_class: int = 0) -> bool:
    """Return whether a number is no class of the ground truth by which numbers are read, after noting it."""
    last = len(classes.ids) - 1 + first_class
    if not classes.said or (first_class <= number <= last and number == int(number)):
        return False
    where.error("id-range", f"class {number:g} is not in {first_class}..{last}: {classes.said}", "correct it, or name the classes")
    return True


def _numbered(vocabulary: Vocabulary, one: ClassList, first_class: int) -> str:
    names = names_of(Classes(vocabulary, one.triplets, one.ids[:LISTED]))
    listed = ", ".join(f"{number} {csv_text.shown(name)}" for number, name in enumerate(names, start=first_class))
    return listed + (" ..." if len(one.ids) > LISTED else "")


def one_vocabulary(recordings: Sequence[Labels]) -> Vocabulary:
    """Return the vocabulary of all recordings, for formats with one list of classes.

    Raises
    ------
    AnnotationError
        When they have different ones.
    """
    by_name = {labels.vocabulary.name: labels.vocabulary for labels in recordings}
    if len(by_name) != 1:
        what = f"the recordings have {len(by_name)} vocabularies ({', '.join(sorted(by_name))}), but one file has one list of classes"
        raise AnnotationError([Fault("", "vocabularies-differ", what, "convert them one by one")])
    (vocabulary,) = by_name.values()
    return vocabulary


def names_of(classes: Classes) -> list[str]:
    """Return the name of each class."""
    vocabulary = classes.vocabulary
    return [vocabulary.triplet_name(i) if classes.triplets else vocabulary.instruments[i] for i in classes.ids]


def _own_or_known(where: Where, names: Sequence[str]) -> Classes | None:
    fits = [classes for name in PREFERRED if (classes := _known(names, load(name))) is not None]
    # "grasper" is a tool of several operations: names that fit unrelated vocabularies say nothing.
    if fits and all(related(fits[0].vocabulary.name, other.vocabulary.name) for other in fits[1:]):
        return fits[0]
    distinct = list(dict.fromkeys(names))
    try:
        if not any("," in name for name in names):
            return Classes(own_categories.of_categories(where.file, {"instrument": names}), False, tuple(range(len(names))))
        split = [[part.strip() for part in name.split(",")] for name in names]
        parts: dict[Naming | str, list[str]] = {
            naming: list(dict.fromkeys(of[i] for of in split if len(of) == len(PARTS))) for i, naming in enumerate(PARTS)
        }
        vocabulary = own_categories.of_categories(where.file, {**parts, "triplet": distinct})
    except AnnotationError as error:
        where.faults.extend(error.faults)
        return None
    return Classes(vocabulary, True, tuple(distinct.index(name) for name in names))


def _mapped(name: str, label_map: LabelMap | None) -> str:
    parts = [part.strip() for part in name.split(",")]
    if label_map is None or len(parts) != len(PARTS):
        return name
    return ",".join(label_map.merged((parts[0], parts[1], parts[2])))


def _known(names: Sequence[str], vocabulary: Vocabulary) -> Classes | None:
    triplets: dict[str, int] = {}
    for i, (instrument, verb, target) in enumerate(vocabulary.triplets):
        # Every spelling of a part is a spelling of the triplet.
        for a in _spelled(vocabulary, "instrument", instrument):
            for b in _spelled(vocabulary, "verb", verb):
                for c in _spelled(vocabulary, "target", target):
                    triplets[fold(f"{a}_{b}_{c}")] = i
    # Of parts that a comma or an underscore separates: no digit of one runs into the next.
    of_triplets = [triplets.get(fold(name.replace(",", "_"))) for name in names]
    known = tuple(id_ for id_ in of_triplets if id_ is not None)
    if names and len(known) == len(names):
        return Classes(vocabulary, True, known)
    folded = [fold(name) for name in names]
    instruments = vocabulary.spellings["instrument"]
    if names and all(name in instruments for name in folded):
        return Classes(vocabulary, False, tuple(instruments[name] for name in folded))
    return None


def _spelled(vocabulary: Vocabulary, naming: Naming, id_: int) -> list[str]:
    return [spelling for spelling, of in vocabulary.spellings[naming].items() if of == id_]


def _strict(where: Where, names: Sequence[str], vocabulary: Vocabulary) -> Classes | None:
    triplets = any("," in name for name in names)
    ids = [where.triplet_of(vocabulary, name) if triplets else where.id_of(vocabulary, "instrument", name) for name in names]
    known = tuple(id_ for id_ in ids if id_ is not None)
    return Classes(vocabulary, triplets, known) if len(known) == len(ids) else None
