"""Which label files there are: those of each source, grouped by recording, or all at once where they are of a data set."""

from __future__ import annotations

import difflib
import os
import re
import zipfile
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError, ParamsError
from scrubin.base.faults import Faults, error, meant, warning
from scrubin.base.file_lists import is_of_system
from scrubin.base.vocabulary import vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import boxes, formats, label_map
from scrubin.labels.files import reader
from scrubin.labels.files.detect import PICTURES, PLAIN, look_like, shows_format
from scrubin.labels.label_map import LabelMap
from scrubin.labels.model import LabelFiles, Labels
from scrubin.labels.policy import enforce
from scrubin.labels.rates import fits, is_of_others, stated_otherwise
from scrubin.labels.registry import DATASET_FORMATS, FORMATS, AnyFormat, format_of, head, is_note, known_name, name_pattern, named, never
from scrubin.stages.annotations import report
from scrubin.stages.annotations.params import SourceParams

__all__ = ["Batch", "Sorted", "find", "formats", "map_of", "merges", "missing", "read", "read_all", "sorted_out"]


ROOT = "annotations"
_OF_FRAME = re.compile(r"[_-](?=[0-9]+$)")
"""Between the name of a recording and the number of its frame, in names of files."""
_NUMBER = re.compile("[0-9]+")
_SLIP = 0.9
"""So alike, by `difflib`, are a name and that of a recording with one letter of eight or more wrong."""
Place = Literal["loose", "near", "far"]
"""Where a file lies that no source reads: beside a source, or in a folder beside it, called almost like it or otherwise."""
_TOLERANCE = 0.2
"""Of boxes where it is only asked whether there are any: the largest that `annotations.box_tolerance` may be."""


@dataclass(frozen=True)
class Batch:
    """The files of one recording in one source, or of all (``recording`` is ""); ``files`` are relative to the raw folder."""

    recording: str
    source: SourceParams
    files: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.source.folder}: {self.recording or 'every recording'}"

    @property
    def is_whole(self) -> bool:
        """Whether it is all of a data set: only reading tells which recordings it labels."""
        return not self.recording


def find(
    raw: Path, sources: Sequence[SourceParams], recordings: Collection[str], faults: Faults, withdrawn: Container[str] = ()
) -> list[Batch]:
    """Return the label files of all sources, in their order; files that fit nowhere are noted.

    Parameters
    ----------
    raw
        The raw study.
    recordings
        Every recording of the manifest, also those that are not released.
    faults
        Where it is noted.
    withdrawn
        Recordings whose files are passed over.

    Raises
    ------
    ParamsError
        For a source folder or label map outside ``annotations/``, of which no change would be noticed, or a faulty map.
    """
    batches: list[Batch] = []
    for source in sources:
        _refuse_outside("folder", source.folder)
        map_of(raw, source)
        if source.format in DATASET_FORMATS:
            batches += _whole(raw, source, faults)
        else:
            batches += _by_recording(raw, source, recordings, faults, withdrawn)
    _refuse_strays(raw, sources, recordings, faults, withdrawn)
    return batches


def missing(raw: Path, sources: Sequence[SourceParams]) -> list[str]:
    """Return the sources whose folder is not there, by number from 1 and format: folders are named by people, and may tell something."""
    return [f"{number} ({one.format})" for number, one in enumerate(sources, start=1) if not (raw / one.folder).is_dir()]


def _whole(raw: Path, source: SourceParams, faults: Faults) -> Iterator[Batch]:
    form = DATASET_FORMATS[source.format]
    fits, files = name_pattern(form), []
    for file in _files(raw, source.folder):
        if is_note(Path(file)):
            continue
        if fits.fullmatch(PurePosixPath(file).relative_to(source.folder).as_posix()):
            files.append(file)
        else:
            _refuse_name(file, form, faults)
    if files:
        yield Batch("", source, tuple(files))


def _by_recording(
    raw: Path, source: SourceParams, recordings: Collection[str], faults: Faults, withdrawn: Container[str]
) -> Iterator[Batch]:
    form = FORMATS[source.format]
    grouped: dict[str, list[str]] = {}
    shared: list[str] = []
    for file in _files(raw, source.folder):
        match = form.pattern.fullmatch(PurePosixPath(file).relative_to(source.folder).as_posix())
        if match is None:
            _refuse_name(file, form, faults)
        elif match["recording"] is None:
            shared.append(file)
        elif match["recording"] in withdrawn:
            continue
        elif match["recording"] not in recordings:
            what = f"'{match['recording']}' is no recording of recordings.csv"
            fix = meant(match["recording"], recordings, "name the file like the recording, or move it away")
            faults.error(file, "recording-unknown", what, fix)
        else:
            grouped.setdefault(match["recording"], []).append(file)
    for recording, files in sorted(grouped.items()):
        yield Batch(recording, source, tuple(sorted([*files, *shared])))


def _refuse_name(file: str, form: AnyFormat, faults: Faults) -> None:
    fix = f"expected {form.expected}: rename it, or move it away"
    faults.error(file, "file-name", f"the name does not fit the format {form.name}", fix)


def read(raw: Path, box_tolerance: float, batch: Batch) -> Labels | AnnotationError:
    """Return the labels of one recording, or what is wrong with them: all batches are read before any is refused."""
    files, classes, merges = _contents(raw, batch)
    try:
        labels = FORMATS[batch.source.format].read(LabelFiles(batch.recording, files, classes, box_tolerance, label_map=merges))
    except AnnotationError as error:
        return error
    return _looked_at(labels, batch, merges, (labels,))


def read_all(raw: Path, box_tolerance: float, batch: Batch) -> tuple[Labels | AnnotationError, ...]:
    """Return the labels of every recording of one batch, or what is wrong with them.

    Labels of a data set are in the vocabulary that the source names: what its files say otherwise is refused.
    """
    if not batch.is_whole:
        return (read(raw, box_tolerance, batch),)
    files, classes, merges = _contents(raw, batch)
    try:
        collection = DATASET_FORMATS[batch.source.format].read(LabelFiles("", files, classes, box_tolerance, label_map=merges))
        enforce("annotations", collection.faults)
        _refuse_vocabularies(collection.recordings, batch)
        # What is said of the files is said of each recording in them.
        recordings = [replace(labels, faults=(*collection.faults, *labels.faults)) for labels in collection.recordings]
        return tuple(_looked_at(labels, batch, merges, recordings) for labels in recordings)
    except AnnotationError as error:
        return (error,)


def _contents(raw: Path, batch: Batch) -> tuple[dict[str, bytes], Vocabulary, LabelMap | None]:
    files = {file: strangers.read_bytes(raw / file) for file in batch.files}
    return files, vocabulary.load(batch.source.vocabulary), map_of(raw, batch.source)


def _looked_at(labels: Labels, batch: Batch, merges: LabelMap | None, others: Sequence[Labels]) -> Labels | AnnotationError:
    source, file = batch.source, _file_of(labels, batch)
    if is_of_others(labels, others, source.rate):
        what = f"{stated_otherwise(labels, source.rate)}, and keeps them: fps of '{source.folder}' is for those that state none"
        labels = replace(labels, faults=(*labels.faults, warning(file, "rate-kept", what)))
    elif refused := source.refused_rate(labels, file):
        return AnnotationError([refused])
    if source.clock is not None and (not labels.counts_time or fits(labels, source.rate)):
        labels = replace(labels, clock=source.clock)
    if labels.instances is not None:
        labels = replace(labels, faults=(*labels.faults, *boxes.cut_warning(labels.instances.file, labels.instances.rows)))
    return reader.with_merges(labels, merges)


def _refuse_vocabularies(recordings: Iterable[Labels], batch: Batch) -> None:
    others = sorted({labels.vocabulary.name for labels in recordings} - {vocabulary.load(batch.source.vocabulary).name})
    if others:
        what = f"its labels are in the vocabulary '{others[0]}', its source names '{batch.source.vocabulary}'"
        raise AnnotationError([error(batch.files[0], "vocabulary-differs", what, "name that of the files in annotations.sources")])


Read = tuple[Batch, Labels | AnnotationError]


@dataclass(frozen=True)
class Sorted:
    """What was read, by whose it is.

    Parameters
    ----------
    read
        Labels of released recordings and errors, in the order of the sources.
    left_out
        Labelled recordings that are not released.
    """

    read: tuple[Read, ...]
    left_out: frozenset[str]


def sorted_out(
    done: Iterable[tuple[Batch, Sequence[Labels | AnnotationError]]],
    recordings: Collection[str],
    released: Container[str],
    faults: Faults,
    withdrawn: Container[str] = (),
) -> Sorted:
    """Return what of files of whole data sets is of released recordings: others are treated as if each had a file of its own.

    Parameters
    ----------
    done
        What came of reading each batch.
    recordings, faults, withdrawn
        As of `find`.
    released
        The recordings that are released.
    """
    read: list[Read] = []
    left_out: set[str] = set()
    for batch, outcomes in done:
        for one in outcomes:
            if isinstance(one, AnnotationError) or one.recording in released:
                read.append((batch, one))
            elif one.recording in withdrawn:
                continue
            elif one.recording in recordings:
                left_out.add(one.recording)
            else:
                what = f"'{one.recording}' is no recording of recordings.csv"
                fix = meant(one.recording, recordings, "name it like the recording, or take it out of the file")
                faults.error(_file_of(one, batch), "recording-unknown", what, fix)
    return Sorted(tuple(read), frozenset(left_out))


def _file_of(labels: Labels, batch: Batch) -> str:
    """Return where labels stand: a file of the batch; its folder where nothing tells."""
    layers = (labels.instances, labels.phases, labels.marks)
    told = [file for file in (*(layer.file for layer in layers if layer is not None), labels.file) if file in batch.files]
    return [*told, batch.files[0] if len(batch.files) == 1 else batch.source.folder][0]


def map_of(raw: Path, source: SourceParams) -> LabelMap | None:
    """Return the label map of a source in its vocabulary, or None.

    Raises
    ------
    ParamsError
        When there is no such map, or it is faulty.
    """
    if source.label_map is None:
        return None
    of_library = source.label_map in label_map.available()
    if not of_library:
        _refuse_outside("label_map", source.label_map)
    try:
        loaded_map = label_map.load(source.label_map if of_library else str(raw / source.label_map))
        return label_map.within(replace(loaded_map, name=source.label_map), vocabulary.load(source.vocabulary))
    except AnnotationError as error:
        raise ParamsError(f"params.yaml: 'annotations.sources': label_map of '{source.folder}': {error}") from error


def merges(raw: Path, sources: Sequence[SourceParams], read_batches: Iterable[Read]) -> list[dict[str, Any]]:
    """Return what the label maps of the sources merged, for the report; empty without any map."""
    maps = {source: source_map for source in sources if (source_map := map_of(raw, source)) is not None}
    return report.merges([(batch.source, labels) for batch, labels in read_batches if isinstance(labels, Labels)], maps)


def _refuse_outside(what: str, path_text: str) -> None:
    path = PurePosixPath(path_text)
    if path.is_absolute() or path.parts[:1] != (ROOT,) or ".." in path.parts:
        known = f"{', '.join(label_map.available())}, or a CSV file " if what == "label_map" else ""
        raise ParamsError(f"params.yaml: 'annotations.sources': {what} '{path_text}' must be {known}inside '{ROOT}/' of the raw folder")


def _files(raw: Path, folder: str, but: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the files in a folder, sorted, but those with some endings; not what systems and editors leave."""
    found: list[tuple[str, ...]] = []
    for place, folders, names in os.walk(raw / folder):
        within = Path(place).relative_to(raw).parts
        if any(map(is_of_system, within)):
            folders.clear()
            continue
        shown = (name for name in names if not is_of_system(name) and not name.lower().endswith(but))
        found += [(*within, name) for name in shown if Path(place, name).is_file()]
    return map("/".join, sorted(found))


def _refuse_strays(
    raw: Path, sources: Sequence[SourceParams], recordings: Collection[str], faults: Faults, withdrawn: Container[str]
) -> None:
    """Note what lies where no source looks: its labels would be left out in silence."""
    paths = [PurePosixPath(path) for source in sources for path in (source.folder, source.label_map or "")]
    known = {path.parts[1] for path in paths if len(path.parts) > 1}
    if (raw / ROOT).exists() and not (raw / ROOT).is_dir():
        faults.error(ROOT, "folder-missing", "it is a file, not a folder", "move it away, and make the folder: it may stay empty")
    for source in sources:
        _refuse_wrong_kind(raw, source, faults)
    if any(PurePosixPath(source.folder) == PurePosixPath(ROOT) for source in sources) or not (raw / ROOT).is_dir():
        return
    for path in sorted((raw / ROOT).iterdir()):
        if path.is_dir() and not is_of_system(path.name) and path.name not in known:
            fix = meant(path.name, known, "add it to annotations.sources in params.yaml, or move it away")
            faults.error(f"{ROOT}/{path.name}", "folder-unread", "no source in params.yaml reads this folder", fix)
    known_as = frozenset(name.casefold() for name in recordings if name not in withdrawn)
    _refuse_unread_folders(raw, sources, known_as, faults, withdrawn)
    strays: dict[tuple[PurePosixPath, SourceParams], list[PurePosixPath]] = {}
    for file in _beside(raw, paths):
        reader_of = next((source for source in sources if _is_like_labels(raw, source, file, known_as, withdrawn)), None)
        if reader_of is not None:
            strays.setdefault((file.parent, reader_of), []).append(file)
    for (folder, source), files in strays.items():
        are = "it is" if len(files) == 1 else f"it and {len(files) - 1} more are"
        what = f"{are} like labels of {source.format}, and no source in params.yaml reads files of {folder}/ itself"
        faults.error(files[0].as_posix(), "file-unread", what, f"move labels into {source.folder}/, and anything else out of the raw study")


def _refuse_unread_folders(
    raw: Path, sources: Sequence[SourceParams], recordings: frozenset[str], faults: Faults, withdrawn: Container[str]
) -> None:
    """Note a folder beside that of a source, further down, in which a file is like labels of the source; most others are people's own."""
    folders = {PurePosixPath(source.folder) for source in sources}
    ways = folders.union(*(folder.parents for folder in folders))
    for place in sorted({way.parent for way in ways if len(way.parts) > 2}):  # below `ROOT` every other folder is refused
        if not folders.isdisjoint((place, *place.parents)):
            continue
        reading = [source for source in sources if PurePosixPath(source.folder).is_relative_to(place)]
        read_names = {_letters(way.name) for way in ways if way.parent == place} - {""}
        for path in sorted(one for one in (raw / place).glob("[!.]*") if one.is_dir() and place / one.name not in ways):
            inside = (place / path.name).as_posix()
            kind: Place = "near" if difflib.get_close_matches(_letters(path.name), read_names, 1) else "far"
            files = map(PurePosixPath, _files(raw, inside, PICTURES if kind == "far" else ()))  # frames may be hundreds of thousands
            asked = ((file, source) for file in files for source in reading)
            found = next(((file, one) for file, one in asked if _is_like_labels(raw, one, file, recordings, withdrawn, kind)), None)
            if found is not None:
                what = f"{found[0].relative_to(inside)} in it is like labels of {found[1].format}, and no source in params.yaml reads it"
                faults.error(inside, "folder-unread", what, "add it to annotations.sources in params.yaml, or move it out of the raw study")


def _letters(name: str) -> str:
    """Return a name as folders are compared: a copy may have a number, and folders of years are no copies."""
    return re.sub(r"[\W\d_]+", "", name.casefold())


def _beside(raw: Path, read_paths: Collection[PurePosixPath]) -> Iterator[PurePosixPath]:
    """Yield the files around the folders of sources, by their paths in the raw folder; not those of folders without any source."""
    ways = {parent for path in read_paths for parent in path.parents}
    for place, folders, names in os.walk(raw / ROOT):
        within = PurePosixPath(Path(place).relative_to(raw).as_posix())
        folders[:] = sorted(name for name in folders if within / name in ways - set(read_paths))
        yield from (within / name for name in sorted(names) if within / name not in read_paths)


def _is_like_labels(
    raw: Path, source: SourceParams, file: PurePosixPath, recordings: frozenset[str], withdrawn: Container[str], place: Place = "loose"
) -> bool:
    """Return whether a file would be labels if it lay in the folder of a source; what else lies elsewhere are people's notes.

    The name of a recording (of ``recordings``, without capitals) tells, also with a slip, or that the source's reader finds labels in it;
    plain tables, and workbooks that cannot be read, could be anybody's. In a folder called almost like the source's the look tells, too; in
    any other, name and look tell together, and of plain tables a header with the phase.
    """
    form, path = format_of(source.format), file.with_name(known_name(file))
    matches = _matches(source, path)
    # Data sets name recordings inside of their files, and often in their names.
    of_set = (path.stem, _OF_FRAME.split(path.stem)[0])
    names = [name for match in matches for name in (of_set if source.format in DATASET_FORMATS else (match["recording"],)) if name]
    if not matches or is_note(Path(file)) or any(name in withdrawn for name in names):
        return False
    is_named = any(name.casefold() in recordings for name in names)
    is_plain, looks = form.by_hand.precedence == PLAIN, partial(_looks, raw / file, form)
    if place == "far":
        return is_named and looks() and (not is_plain or "phase" in head(raw / file).split("\n")[0].casefold())
    # Of who withdrew no name is known: it can only be asked for.
    if is_named or any(spelt in withdrawn for name in names for spelt in (name.lower(), name.upper(), name.title())):
        return is_named
    if source.format in FORMATS and any(_is_slip(name.casefold(), recordings) for name in names):
        return True
    if place == "near":
        return form.by_hand.evidence not in (named, never) and looks()
    tells = not is_plain and (path.suffix != ".xlsx" or zipfile.is_zipfile(raw / file))
    of_own_name = path.name == form.expected
    return (of_own_name or tells) and looks() and (of_own_name or _has_labels(raw, source, file, [*names, path.stem][0]))


def _looks(file: Path, form: AnyFormat) -> bool:
    return shows_format(file) and bool(look_like(file, [form]))


def _matches(source: SourceParams, path: PurePosixPath) -> list[re.Match[str]]:
    """Return how a path, with fewer and fewer of the folders above it, fits the format of a source."""
    fits = format_of(source.format).pattern
    found = (fits.fullmatch("/".join(path.parts[count:])) for count in range(1, len(path.parts)))
    return [match for match in found if match is not None]


def _has_labels(raw: Path, source: SourceParams, file: PurePosixPath, name: str) -> bool:
    """Return whether a source's reader finds labels in a file: a template, or a list of raters, has none."""
    batch = Batch("" if source.format in DATASET_FORMATS else name, source, (file.as_posix(),))
    files, classes, merges = _contents(raw, batch)
    asked = LabelFiles(batch.recording, files, classes, _TOLERANCE, label_map=merges)
    try:
        if not batch.is_whole:
            FORMATS[source.format].read(asked)
            return True
        found = DATASET_FORMATS[source.format].read(asked)
    except AnnotationError:
        return False
    return bool(found.recordings) or found.scores is not None


@lru_cache(maxsize=4096)
def _is_slip(name: str, recordings: frozenset[str]) -> bool:
    """Return whether a name is that of a recording with a slip; with another number it is another recording, such as a pilot."""
    alike = [one for one in recordings if [*map(int, _NUMBER.findall(one))] == [*map(int, _NUMBER.findall(name))]]
    return bool(difflib.get_close_matches(name, alike, 1, _SLIP))


def _refuse_wrong_kind(raw: Path, source: SourceParams, faults: Faults) -> None:
    """Note a file where a source has its folder, and a folder that is called like one of its files and holds none of them."""
    folder = raw / source.folder
    if folder.is_file():
        fix = "move it away, or make a folder of this name for the files of the source"
        faults.error(source.folder, "folder-missing", "it is a file, and annotations.sources in params.yaml names it as a folder", fix)
        return
    form = format_of(source.format)
    fits = name_pattern(form) if source.format in DATASET_FORMATS else form.pattern
    read_files = [file for file in _files(raw, source.folder) if fits.fullmatch(PurePosixPath(file).relative_to(source.folder).as_posix())]
    holding = {parent for file in read_files for parent in PurePosixPath(file).parents}
    for path in sorted(Path(place) / name for place, names, _ in os.walk(folder) for name in names):
        within, inside = path.relative_to(folder), PurePosixPath(path.relative_to(raw).as_posix())
        is_hidden = any(map(is_of_system, within.parts))
        # Without an ending it may be the folder of a recording, however files are called.
        if path.suffix and not is_hidden and inside not in holding and fits.fullmatch(within.as_posix()):
            fix = "put the file there, or rename the folder"
            faults.error(inside.as_posix(), "file-form", f"it is a folder, and files of {source.format} are called so", fix)
