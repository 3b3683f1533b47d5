"""Which label files there are: those of each source, grouped by recording."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.base import strangers
from scrubin.base.errors import AnnotationError, ParamsError
from scrubin.base.faults import Faults
from scrubin.base.vocabulary import vocabulary
from scrubin.labels import boxes, formats, label_map
from scrubin.labels.files import reader
from scrubin.labels.label_map import LabelMap
from scrubin.labels.model import Collection as LabelCollection
from scrubin.labels.model import LabelFiles, Labels
from scrubin.labels.registry import DATASET_FORMATS, FORMATS, AnyFormat, DatasetFormat, name_pattern
from scrubin.stages.annotations import report
from scrubin.stages.annotations.params import SourceParams

__all__ = ["Batch", "find", "formats", "map_of", "merges", "read"]


ROOT = "annotations"


@dataclass(frozen=True)
class Batch:
    """The files of one recording in one source, relative to the raw folder; of a format whose files are of several, all of them."""

    recording: str
    source: SourceParams
    files: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.source.folder}: {self.recording}"


def find(
    raw: Path,
    sources: Sequence[SourceParams],
    recordings: Collection[str],
    faults: Faults,
    withdrawn: Container[str] = (),
    box_tolerance: float = 0.0,
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
    box_tolerance
        As for `read`: only the content of some formats says of which recordings they are.

    Raises
    ------
    ParamsError
        For a source folder or label map outside ``annotations/``, of which no change would be noticed, or a faulty map.
    """
    batches: list[Batch] = []
    for source in sources:
        _refuse_outside("folder", source.folder)
        map_of(raw, source)
        grouped: dict[str, list[str]] = {}
        together: list[str] = []
        shared: list[str] = []
        form = _form_of(source)
        fits = name_pattern(form) if isinstance(form, DatasetFormat) else form.pattern
        for file in _files(raw, source.folder):
            inside = PurePosixPath(file).relative_to(source.folder).as_posix()
            match = fits.fullmatch(inside)
            if match is not None and isinstance(form, DatasetFormat):
                together.append(file)
            elif match is not None and match["recording"] is None:
                shared.append(file)
            elif match is None:
                what = f"the name does not fit the format {source.format}"
                faults.error(file, "file-name", what, f"name it {form.expected}, or move it away")
            elif match["recording"] in withdrawn:
                continue
            elif match["recording"] not in recordings:
                faults.error(
                    file,
                    "recording-unknown",
                    f"'{match['recording']}' is no recording of recordings.csv",
                    _near(match["recording"], recordings),
                )
            else:
                grouped.setdefault(match["recording"], []).append(file)
        batches += [Batch(recording, source, tuple(sorted([*files, *shared]))) for recording, files in sorted(grouped.items())]
        batches += _of_data_set(raw, source, tuple(together), box_tolerance, recordings, faults, withdrawn) if together else []
    _refuse_strays(raw, sources, faults)
    return batches


def _form_of(source: SourceParams) -> AnyFormat:
    return FORMATS[source.format] if source.format in FORMATS else DATASET_FORMATS[source.format]


def _of_data_set(
    raw: Path,
    source: SourceParams,
    files: tuple[str, ...],
    box_tolerance: float,
    recordings: Collection[str],
    faults: Faults,
    withdrawn: Container[str],
) -> Iterator[Batch]:
    """Yield the recordings that files say something of, each with all files; what is wrong with the files is noted."""
    try:
        whole = _whole(raw, source, files, box_tolerance)
    except AnnotationError as error:
        faults.extend(error.faults)
        return
    faults.extend(fault for fault in whole.faults if fault.severity == "error")
    others = sorted({labels.vocabulary.name for labels in whole.recordings} - {source.vocabulary})
    if others:
        what = f"its labels are in the vocabulary '{others[0]}', its source names '{source.vocabulary}'"
        faults.error(files[0], "vocabulary-differs", what, "name that of the files in annotations.sources")
    for labels in whole.recordings:
        if labels.recording in recordings:
            yield Batch(labels.recording, source, files)
        elif labels.recording not in withdrawn:
            what = f"'{labels.recording}' is no recording of recordings.csv"
            fix = _near(labels.recording, recordings, "name it like the recording, or take it out of the file")
            faults.error(files[0] if len(files) == 1 else source.folder, "recording-unknown", what, fix)


def _whole(raw: Path, source: SourceParams, files: tuple[str, ...], box_tolerance: float) -> LabelCollection:
    """Return what all files of a source say, read once for all recordings; raises `AnnotationError` where nothing can be read."""
    states = ((raw / file).stat() for file in files)
    return _read_whole(raw.absolute(), source, files, box_tolerance, tuple((one.st_size, one.st_mtime_ns) for one in states))


@lru_cache(maxsize=4)
def _read_whole(
    raw: Path, source: SourceParams, files: tuple[str, ...], box_tolerance: float, _states: tuple[tuple[int, int], ...]
) -> LabelCollection:
    contents = {file: strangers.read_bytes(raw / file) for file in files}
    classes, merges = vocabulary.load(source.vocabulary), map_of(raw, source)
    return DATASET_FORMATS[source.format].read(LabelFiles("", contents, classes, box_tolerance, label_map=merges))


def read(raw: Path, box_tolerance: float, batch: Batch) -> Labels | AnnotationError:
    """Return the labels of one batch, or what is wrong with it: all batches are read before any is refused."""
    merges = map_of(raw, batch.source)
    try:
        if batch.source.format in FORMATS:
            files = {file: strangers.read_bytes(raw / file) for file in batch.files}
            classes = vocabulary.load(batch.source.vocabulary)
            labels = FORMATS[batch.source.format].read(LabelFiles(batch.recording, files, classes, box_tolerance, label_map=merges))
        else:
            labels = _recording_of(_whole(raw, batch.source, batch.files, box_tolerance), batch.recording)
    except AnnotationError as error:
        return error
    if batch.source.clock is not None and not labels.counts_time:
        labels = replace(labels, clock=batch.source.clock)
    if labels.instances is not None:
        labels = replace(labels, faults=(*labels.faults, *boxes.cut_warning(labels.instances.file, labels.instances.rows)))
    return reader.with_merges(labels, merges)


def _recording_of(whole: LabelCollection, recording: str) -> Labels:
    """Return the labels of a recording; what is to be said of the files goes with the first one."""
    labels = next(one for one in whole.recordings if one.recording == recording)
    is_first = labels is whole.recordings[0]
    notes = [fault for fault in whole.faults if fault.severity != "error"] if is_first else []
    return replace(labels, faults=(*notes, *labels.faults))


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
        msg = f"params.yaml: 'annotations.sources': label_map of '{source.folder}': {error}"
        raise ParamsError(msg) from error


def merges(
    raw: Path, sources: Sequence[SourceParams], read_batches: Iterable[tuple[Batch, Labels | AnnotationError]]
) -> list[dict[str, Any]]:
    """Return what the label maps of the sources merged, for the report; empty without any map."""
    maps = {source: source_map for source in sources if (source_map := map_of(raw, source)) is not None}
    return report.merges([(batch.source, labels) for batch, labels in read_batches if isinstance(labels, Labels)], maps)


def _refuse_outside(what: str, path_text: str) -> None:
    path = PurePosixPath(path_text)
    if path.is_absolute() or path.parts[:1] != (ROOT,) or ".." in path.parts:
        known = f"{', '.join(label_map.available())}, or a CSV file " if what == "label_map" else ""
        msg = f"params.yaml: 'annotations.sources': {what} '{path_text}' must be {known}inside '{ROOT}/' of the raw folder"
        raise ParamsError(msg)


def _files(raw: Path, folder: str) -> Iterator[str]:
    for path in sorted((raw / folder).rglob("*")):
        relative = path.relative_to(raw)
        # Hidden files are editors' and file managers' own.
        if path.is_file() and not any(part.startswith(".") for part in relative.parts):
            yield relative.as_posix()


def _refuse_strays(raw: Path, sources: Sequence[SourceParams], faults: Faults) -> None:
    # A misspelt folder would otherwise leave its labels out in silence.
    paths = [PurePosixPath(path) for source in sources for path in (source.folder, source.label_map or "")]
    known = {path.parts[1] for path in paths if len(path.parts) > 1}
    if any(PurePosixPath(source.folder) == PurePosixPath(ROOT) for source in sources) or not (raw / ROOT).is_dir():
        return
    for path in sorted((raw / ROOT).iterdir()):
        if path.is_dir() and not path.name.startswith(".") and path.name not in known:
            near = difflib.get_close_matches(path.name, known, n=1)
            fix = f"did you mean '{ROOT}/{near[0]}'?" if near else "add it to annotations.sources in params.yaml, or move it away"
            faults.error(f"{ROOT}/{path.name}", "folder-unread", "no source in params.yaml reads this folder", fix)


def _near(name: str, names: Collection[str], otherwise: str = "name the file like the recording, or move it away") -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean '{near[0]}'?" if near else otherwise
