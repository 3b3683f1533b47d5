"""Phases in plain tables or arrays, as people write predictions: a row per frame with the name or the id of its phase; read only.

CSV, TSV or text with the columns ``frame`` and ``phase`` (a name or an id) or ``phase_id``; without a header two columns are
frame and phase, one is the phase of frames 0, 1, 2 ... npy and npz have one whole id per frame, and ``frame`` where there are
gaps. The vocabulary is the one that is named, else the one that has all names, else what the files say.

Rows may count in time instead of frames: seconds, milliseconds, or 0:01:02.5. Such a file states its rate, and goes to the frames of
the other side by it. A column of videos makes several recordings of a file. Rows are numbered by their place only where nothing
else may number them: a column that nobody understands, beside no column of frames or times, is an error.

``<video>.csv`` with ``frame`` and ``phase_id``, ``phase`` or both, separated by commas, is also how phases are submitted to a
challenge: what is otherwise there in a CSV is a deviation, and `scrubin submission check` and `rank` read it here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path, PurePosixPath

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, near
from scrubin.base.text import csv_text, naming
from scrubin.base.vocabulary import own_categories, vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary, alphabetical, fold
from scrubin.labels import registry
from scrubin.labels.formats.plain import phase_cells
from scrubin.labels.formats.plain.phase_cells import ARRAYS, Cells
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, Layer, phase_rows
from scrubin.labels.parse import columns, documents, row_spans, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, dataset_format

NAME = "phase-tables"
CHOLEC80 = re.compile(r"(?P<recording>.+)-phase")
PREFERRED = "cholec80"
"""The vocabulary of names that several number differently."""
HEAD_BYTES = 4096
NUMBER = re.compile("[0-9]+")
MOST_FURTHER = 20
"""So many more phases than the labels have may be predicted beside them."""
MOST_IDS = 10_000
"""Labels with larger ids have something else in the column."""
FROM_ONE = "are they numbered from 1? if not, write names instead of ids on both sides, or name the vocabulary"
"""The mend of ids that are too large, where nothing but the labels says which there are."""


def _has_phases(path: Path) -> bool:
    if path.suffix.lower() in ARRAYS:
        try:
            arrays = phase_cells.arrays_of(strangers.read_bytes(path), path.suffix.lower())
        except OSError:
            return True
        return all(array.ndim == 1 for array in arrays.values())
    with strangers.opened(path) as opened:
        lines = csv_text.grid(path.name, opened.read(HEAD_BYTES), whitespace=True).lines
    if not lines:
        return False
    header = [cell.strip() for cell in lines[0].cells]
    if columns.is_header(header):
        if columns.first_of(header, "phase", "phase id") is not None:
            return not row_spans.says_spans(path.name, registry.head(path))
        # Of a table with columns that nobody understands, such as boxes, an id is that of something else.
        numbered = columns.first_of(header, "frame", "seconds", "milliseconds") is not None
        known = all(fold(name) in columns.OF_NAME or columns.SURE.fullmatch(fold(name)) for name in header)
        return known and numbered and columns.first_of(header, "id") is not None
    first = [documents.whole_text(line.cells[0].strip()) for line in lines]
    if len(header) == 1:
        # Phases last: other texts of one word per line do not repeat.
        return all(map(is_id, first)) or len(set(first)) < len(first)
    return len(header) == 2 and any(map(is_id, first))


def is_id(cell: str) -> bool:
    """Return whether a cell is an id rather than a name; more digits than any number of a phase has are none."""
    return documents.frame_number(cell) is not None


@dataset_format(
    NAME,
    # Cholec80 keeps its tables of tools beside those of phases; SAR-RARP50's second file has frames of 60 per second.
    pattern=r"(?!(?i:readme|licen[cs]e)\.)(?!.*-tool\.)(?!action_continues\.)[^/]+\.(?i:csv|tsv|txt|npy|npz)",
    expected="<video>.csv, .tsv or .txt with the columns frame and phase, or .npy or .npz with a phase id per frame",
    title="phases as plain tables or arrays, a row per frame; read only",
    by_hand=ByHand(named_by_folder=True, fps=Fraction(1), fps_unstated=True, evidence=_has_phases, holds=("phases",), precedence=2),
)
def read(source: LabelFiles) -> Collection:
    """Return the phases of the videos without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    cells = _by_recording(source.files, source.labelled_videos or frozenset(), faults)
    phases = source.vocabulary if source.vocabulary.name else _vocabulary_of(cells, faults)
    labelled = cells.keys() if source.labelled_videos is None else source.labelled_videos & cells.keys()
    if phases is None or (is_of_files(phases) and not _are_told_apart([cells[name] for name in sorted(labelled)], faults)):
        return Collection(faults=faults.all())
    further = further_of(phases, {cell for name in labelled for cell in cells[name].phases}) if source.may_have_further else []
    known = own_categories.vocabulary_of({"phase": [*phases.phases, *further]}) if further else phases
    recordings = []
    for name, of_video in sorted(cells.items()):
        of_file = Faults()
        ids = ids_of(Where(of_file, of_video.file), of_video, phases, further)
        # What has no label does not count, so its phases may be any.
        counts = name in labelled
        faults.extend(of_file.all() if counts else ())
        if not counts or not of_file.errors():
            layer = Layer(of_video.file, of_video.frames, phase_rows(of_video.frames.tolist(), ids))
            clock = Clock(1 / (of_video.per_second or Fraction(1)))
            is_timed = of_video.per_second is not None
            rounded_s, fitting = of_video.rounded_s, of_video.fitting_fps
            recordings.append(
                Labels(name, NAME, known, clock, phases=layer, counts_time=is_timed, rounded_s=rounded_s, fitting_fps=fitting)
            )
    return Collection(tuple(recordings), faults=faults.all())


def _by_recording(files: Mapping[str, bytes], labelled: frozenset[str], faults: Faults) -> dict[str, Cells]:
    """Return the videos of files without an error: named after their file, or as the files say.

    The latter where any file has several, or only what the file says is ``labelled``.
    """
    of_files: dict[str, list[Cells]] = {}
    for file, data in sorted(files.items()):
        of_file = Faults()
        videos = phase_cells.videos_of(Where(of_file, file), data)
        faults.extend(of_file.all())
        of_files[file] = [] if of_file.errors() else videos
    own = {file: recording_of(name) for file, name in video_files.names_of(files, faults).items()}
    by_column = any(len(videos) > 1 for videos in of_files.values())
    cells: dict[str, Cells] = {}
    for file, videos in of_files.items():
        for one in videos:
            by_own = by_column or (one.video in labelled and own[file] not in labelled)
            name = one.video if by_own and one.video else own[file]
            if not by_column and one.video != name and one.video in own.values():
                what = f"its rows are of the video '{one.video}', which has a file of its own"
                faults.error(file, "video-name", what, "name the file after its video")
            elif one.video and name == one.video and not video_files.is_name(Where(faults, file), name):
                continue
            elif name in cells:
                faults.error(file, "file-repeated", f"the video {name} is also in {cells[name].file}", "keep one of them")
            else:
                cells[name] = one
    return cells


def recording_of(stem: str) -> str:
    """Return the name of the video: that of the file, without what Cholec80 adds to it.

    >>> recording_of("video41-phase")
    'video41'
    """
    match = CHOLEC80.fullmatch(stem)
    return match["recording"] if match else stem


def ids_of(where: Where, cells: Cells, phases: Vocabulary, further: Sequence[str] = ()) -> list[int]:
    """Return the id of each phase, 0 after noting one that is not known.

    Parameters
    ----------
    further
        Phases behind those of the vocabulary.
    """
    from_one = _from_one(phases, set(cells.phases))
    behind = {fold(name): id_ for id_, name in enumerate(further, len(phases.phases))}
    looked_up: dict[str, int | None] = {}
    ids = []
    for frame, cell, name in zip(cells.frames.tolist(), cells.phases, cells.names, strict=True):
        if looked_up.get(cell, -1) in (-1, None):
            found = behind.get(_folded(cell))
            looked_up[cell] = _id_of(where.at_frame(frame), cell, phases, from_one=from_one) if found is None else found
        if name is not None and is_id(name) and is_id(cell):
            if int(name) != int(cell):
                what = f"the phase is {cell} in one column and {name} in the other"
                where.at_frame(frame).error("phase-name", what, "correct one of them, or leave out the column that is no phase")
        elif name is not None and looked_up[cell] is not None and not is_of_files(phases):
            _check_name(where.at_frame(frame), looked_up[cell] or 0, name, phases)
        ids.append(looked_up[cell] or 0)
    return ids


def _check_name(where: Where, id_: int, name: str, phases: Vocabulary) -> None:
    """Note a name that is not that of the id beside it."""
    known = phases.spellings["phase"].get(fold(name))
    if known is None:
        _id_of(where, name, phases, from_one=False)
    elif known != id_:
        where.error("phase-name", f"the phase {id_} is not '{name}'", f"'{name}' is {known}; correct one of them")


def is_of_files(phases: Vocabulary) -> bool:
    """Return whether a vocabulary is just what the files say: names in no known order, or ids without names."""
    return phases.name.startswith(own_categories.PREFIX)


def _from_one(phases: Vocabulary, written: set[str]) -> bool:
    """Return whether ids are those of phases that are numbered from 1: as many, without 0."""
    ids = [int(cell) for cell in written if is_id(cell)]
    return bool(ids) and min(ids) > 0 and max(ids) == len(phases.phases)


def further_of(phases: Vocabulary, written: set[str]) -> list[str]:
    """Return the phases that only predictions have, where a vocabulary is just what labels say.

    What is more likely a slip is none of them, and stays unknown: ids among names, a cell that says nothing, or is a number where no
    phase of the labels is one, a name that is nearly one of the labels. Names that differ in a number are none: they are how phases are
    numbered. Nor is there any where no phase is known, or so many are not that the column is another one.
    """
    names = phases.spellings["phase"]
    unknown = {cell for cell in written if _folded(cell) not in names}
    most = len(phases.phases) + MOST_FURTHER
    if len(unknown) == len(written):
        return []
    if all(map(is_id, phases.phases)):
        further = list(map(str, sorted({int(cell) for cell in unknown if is_id(cell)})))
        return [] if len(further) > most else further
    numbered = any(map(is_number, phases.phases))
    named = (cell for cell in sorted(unknown, reverse=True) if not (is_nothing(cell) or (is_number(cell) and not numbered)))
    spelled = {fold(cell): cell for cell in named if not is_id(cell)}
    return [] if len(spelled) > most else [spelled[folded] for folded in sorted(spelled, key=alphabetical) if not _is_slip(folded, names)]


def _folded(cell: str) -> str:
    """Return a cell as phases are told apart: an id without zeros before it."""
    return fold(str(int(cell)) if is_id(cell) else cell)


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, whole or not."""
    return csv_text.NUMBER.fullmatch(cell) is not None or csv_text.has_comma(cell)


def is_nothing(cell: str) -> bool:
    """Return whether a cell is what programs write where there is no value."""
    return csv_text.is_missing(cell) or naming.is_of_spreadsheet(cell)


def _is_slip(folded: str, names: Iterable[str]) -> bool:
    close = near(folded, names)
    return close is not None and NUMBER.findall(close) == NUMBER.findall(folded)


def _id_of(where: Where, cell: str, phases: Vocabulary, *, from_one: bool) -> int | None:
    if not is_id(cell):
        found = phases.find("phase", cell)
        if found is None and is_nothing(cell) and is_of_files(phases):
            what = f"'{csv_text.shown(cell)}' counts as an empty cell, because no phase of the labels is called so"
            where.error("name-unknown", what, "write a phase; if it is the name of one, such as a background, call it by a word")
        elif found is None:
            fault = phases.unknown("phase", csv_text.shown(cell))
            where.error(fault.rule or "name-unknown", fault.what, fault.fix)
        return found
    if is_of_files(phases) and not all(map(is_id, phases.phases)):
        what = f"phase {cell} is an id, but the phases {', '.join(phases.phases)} have no known order"
        where.error("id-without-order", what, "write names, or name the vocabulary")
        return None
    if is_of_files(phases) and (id_ := phases.find("phase", str(int(cell)))) is not None:
        # Files may call their phases by numbers that do not begin at 0.
        return id_
    if int(cell) >= len(phases.phases):
        fix = "correct it" if not from_one else FROM_ONE if is_of_files(phases) else "are they numbered from 1?"
        where.error("id-range", f"phase {cell} is not in 0..{len(phases.phases) - 1}", fix)
        return None
    return int(cell)


def _vocabulary_of(cells: Mapping[str, Cells], faults: Faults) -> Vocabulary | None:
    """Return the vocabulary that the phases are written in: a known one that has all names, else the phases as they are."""
    written = {cell for one in cells.values() for cell in one.phases}
    names = {cell for cell in written if not is_id(cell)}
    if names and are_of_cholec80(one.file for one in cells.values()):
        return vocabulary.load("cholec80")
    known = map(vocabulary.load, vocabulary.known())
    fits = [phases for phases in known if names and all(_has(phases, name) for name in names)]
    # Vocabularies of the same operations number phases alike; the one that spells them so comes first.
    fits.sort(key=lambda phases: (-len(names & set(phases.phases)), phases.name))
    meant = {tuple(phases.id_of("phase", name) for name in sorted(names)) for phases in fits}
    preferred = [phases for phases in fits if phases.name == PREFERRED]
    if len(meant) == 1 or preferred:
        return (preferred or fits)[0]
    if names and names != written:
        file = min(one.file for one in cells.values())
        faults.error(file, "phase-form", "some phases are names, others ids", "write all in one way")
        return None
    if not names:
        if _are_too_large(cells, faults):
            return None
        return own_categories.vocabulary_of({"phase": [str(number) for number in range(max(map(int, written), default=-1) + 1)]})
    if _may_be_header(cells, faults):
        return None
    spellings = {fold(name): name for name in sorted(names, reverse=True)}
    return own_categories.vocabulary_of({"phase": sorted(spellings.values(), key=alphabetical)})


def _are_told_apart(cells: Sequence[Cells], faults: Faults) -> bool:
    """Return whether no two names could be two phases that count as one, after noting those."""
    try:
        own_categories.one_each("phase", [(cell, one.file) for one in cells for cell in sorted(set(one.phases)) if not is_id(cell)])
    except AnnotationError as error:
        faults.extend(error.faults)
        return False
    return True


def _are_too_large(cells: Mapping[str, Cells], faults: Faults) -> bool:
    """Note ids that number no phases: each up to the largest is one."""
    found = [(one.file, frame, cell) for one in cells.values() for frame, cell in zip(one.frames.tolist(), one.phases, strict=True)]
    large = [(file, frame, cell) for file, frame, cell in found if int(cell) >= MOST_IDS]
    for file, frame, cell in large:
        fix = "number phases from 0, or write their names"
        faults.error(file, "id-range", f"phase {cell} is not below {MOST_IDS:,}", fix, frames=[frame])
    return bool(large)


def are_of_cholec80(files: Iterable[str | Path]) -> bool:
    """Return whether all files are named like those of Cholec80, so that their phases are its seven."""
    return all(CHOLEC80.fullmatch(PurePosixPath(file).stem) for file in files)


def _may_be_header(cells: Mapping[str, Cells], faults: Faults) -> bool:
    """Note a first line that may name the only column: taken for a phase, it would shift all others by one frame."""
    counts = Counter(cell for one in cells.values() for cell in one.phases)
    alone = [one for one in cells.values() if one.first_line and counts[one.first_line] == 1]
    for one in alone:
        what = f"'{csv_text.shown(one.first_line)}' in the first line stands nowhere else: the name of the column, or a phase of one frame?"
        faults.error(one.file, "header", what, "call the column phase, in a line before the first phase")
    return bool(alone)


def _has(phases: Vocabulary, name: str) -> bool:
    try:
        phases.id_of("phase", name)
    except AnnotationError:
        return False
    return True
