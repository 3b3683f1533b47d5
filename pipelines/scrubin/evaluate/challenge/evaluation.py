"""What happens to a submission on every platform: it is unpacked, checked against frames without labels, then scored."""

from __future__ import annotations

import json
import math
import re
import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.base import files, strangers
from scrubin.base.errors import MetricsError, ScrubinError
from scrubin.base.faults import Faults, hint, printable, summary
from scrubin.base.text import csv_text
from scrubin.base.vocabulary import vocabulary
from scrubin.evaluate import submission
from scrubin.evaluate.challenge import FRAMES, Challenge, Column, handed_in, label_files
from scrubin.evaluate.contest_tasks import ContestTask
from scrubin.evaluate.metrics import registry
from scrubin.evaluate.metrics.result import Result, Value
from scrubin.evaluate.score_document import is_lone_deviation
from scrubin.evaluate.side import Source
from scrubin.evaluate.submission import CheckedSubmission
from scrubin.evaluate.tasks import entries
from scrubin.evaluate.tasks.scoring import Order, scoring
from scrubin.evaluate.training_overlap import with_training_data
from scrubin.labels.choices import TASKS
from scrubin.labels.formats.submission import documents
from scrubin.labels.parse.documents import SURROGATE

MOST_FILES = 10_000
SPARE_BYTES = 64 << 20
"""Beside what the frames can need, for descriptions and the like."""
BYTES_PER_FRAME = 1 << 20
"""Of masks, boxes or criteria: far more than any can need."""
_NAME = re.compile(r"\w[\w. -]*")
"""Of a video, as it can be that of a file."""
MOST_LETTERS = 255
"""Of the name of a file, in bytes, as file systems take it."""
MOST_OF_VIDEO = 240
"""Of the name of a video, in bytes: its file has an ending, too."""


def folder_of(path: Path, place: Path, challenge: Challenge) -> Path:
    """Return a submission as a folder of files, one per video.

    Parameters
    ----------
    path
        A folder, which is taken as it is; a zip; or a JSON object with one entry per video.
    place
        An empty folder for what has to be unpacked.

    Raises
    ------
    MetricsError
        For archives and documents that cannot be unpacked. It tells nothing of the ground truth.
    """
    if path.is_dir():
        return path
    if zipfile.is_zipfile(path):
        _unpack(path, place, challenge)
    elif _should_be_zip(path):
        raise MetricsError(f"{_shown(path.name)}: the zip is cut off or damaged; zip the files and upload it again")
    elif _is_whole(path, challenge):
        shutil.copyfile(path, place / path.name)
    else:
        _split(path, place, challenge)
    return place


def _should_be_zip(path: Path) -> bool:
    """Return whether a file is a zip by its name or its first bytes: what is cut off in an upload lacks the end by which a zip is known."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return path.suffix.lower() == ".zip" or file.read(2) == b"PK"


def _is_whole(path: Path, challenge: Challenge) -> bool:
    """Return whether a file is a submission by itself: a table, or a list of COCO results, where files are read as `scrubin score` does."""
    if challenge.declared.has_file_per_video:
        return False
    return path.suffix.lower() != ".json" or isinstance(_json(path, path.name, challenge), list)


def of_jobs(jobs: list[Any], inputs: Path, place: Path, challenge: Challenge) -> Path:
    """Return the outputs of an algorithm on Grand Challenge, a job per video, as a folder of files.

    Parameters
    ----------
    jobs
        The list in ``predictions.json``: each has ``pk``, ``inputs`` and ``outputs`` with the place of every file.
    inputs
        The folder that has ``<pk>/output/<relative_path>``.

    Raises
    ------
    MetricsError
        When a job names no video of the challenge, did not succeed, or has no JSON output.
    """
    values: dict[str, Any] = {}
    for number, job in enumerate(jobs):
        where = f"predictions.json, job {number}"
        if not isinstance(job, dict) or not isinstance(job.get("inputs"), list) or not isinstance(job.get("outputs"), list):
            raise MetricsError(f"{where}: expected an object with pk, inputs and outputs, as Grand Challenge writes it")
        video = _video_of(job["inputs"], challenge)
        if video is None:
            msg = f"{where}: no input is named after a video of the challenge, such as <video>.mp4; the videos are {_some(challenge)}"
            raise MetricsError(msg)
        _refuse_unless_succeeded(job, f"{where}, {video}")
        value = _json(_output(job, inputs, where), f"{where}, {video}", challenge, _of_job(challenge))
        if video in values:
            raise MetricsError(f"{where}: {video} is predicted by two jobs; each video must be one input")
        values[video] = value
    _write(place, values, challenge)
    return place


def refuse_links(folder: Path) -> None:
    """Refuse links: they could lead to the ground truth, which lies on the same machine.

    Raises
    ------
    MetricsError
        Names the first one.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            raise MetricsError(f"{printable(path.name)}: is a link; hand in the file itself")


def _refuse_unless_succeeded(job: Mapping[str, Any], where: str) -> None:
    """Refuse a job that failed, was cancelled or still runs: Grand Challenge evaluates nothing before all have succeeded."""
    status = job.get("status")
    if status is not None and str(status).casefold() != "succeeded":
        msg = f"{where}: the job is '{printable(str(status))}', and only what succeeded is scored; run the algorithm on this video again"
        raise MetricsError(msg)


def _output(job: Mapping[str, Any], inputs: Path, where: str) -> Path:
    pk, relative = str(job.get("pk", "")), [_relative_path(value) for value in job["outputs"]]
    documents_of = [one for one in relative if one.suffix.lower() == ".json"]
    if not re.fullmatch(r"[\w-]+", pk):
        raise MetricsError(f"{where}: its pk is '{printable(pk)}', which is no name of a folder; expected it as Grand Challenge writes it")
    if len(documents_of) != 1:
        raise MetricsError(f"{where}: expected one output that is a JSON file, but there are {len(documents_of)}")
    (output,) = documents_of
    if output.is_absolute() or ".." in output.parts:
        raise MetricsError(f"{where}: the output lies outside of the job")
    path = inputs / pk / "output" / output
    # No folder above the file may be one, or it could lead to the ground truth.
    if any(_is_link(folder) for folder in path.parents if inputs in folder.parents):
        raise MetricsError(f"{where}: a folder of its output is a link; hand in the folder itself")
    return path


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):  # no name of a file, which is said where it is read
        return False


def _relative_path(value: Any) -> PurePosixPath:
    interface = value.get("interface") if isinstance(value, dict) else None
    # Older packs name it interface, newer ones socket.
    interface = interface or (value.get("socket") if isinstance(value, dict) else None) or {}
    return PurePosixPath(str(interface.get("relative_path", "")) if isinstance(interface, dict) else "")


def _video_of(values: list[Any], challenge: Challenge) -> str | None:
    """Return the video that an input is named after: its file, its picture, or its value."""
    names = set()
    for value in values:
        if not isinstance(value, dict):
            continue
        image = value.get("image")
        for text in (value.get("file"), image.get("name") if isinstance(image, dict) else None, value.get("value")):
            if isinstance(text, str):
                name = PurePosixPath(text.split("?", 1)[0]).name
                names |= {name, name.split(".", 1)[0]}
    fitting = sorted(names & set(challenge.frames or {}))
    return fitting[0] if len(fitting) == 1 else None


def _unpack(archive: Path, place: Path, challenge: Challenge) -> None:
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [one for one in opened.infolist() if not one.filename.endswith("/")]
            if len(members) > MOST_FILES:
                raise MetricsError(f"the zip has {len(members)} files, more than {MOST_FILES}; write one per video")
            left = _most_bytes(challenge)
            for name, member in _by_name(members).items():
                left -= _copied(opened, member, place.joinpath(*name.parts), left)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError) as error:
        raise MetricsError(f"the zip cannot be unpacked ({_why(error)}); zip the files again, without a password") from error


def _by_name(members: Sequence[zipfile.ZipInfo]) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Return the files of a zip by their place; two of one place are refused, as the last one alone would be scored."""
    named: dict[PurePosixPath, zipfile.ZipInfo] = {}
    taken: dict[str, PurePosixPath] = {}
    for member in members:
        name = PurePosixPath(member.filename.replace("\\", "/"))
        if name.is_absolute() or ".." in name.parts or (member.external_attr >> 28) == 0xA:
            raise MetricsError(f"{_shown(member.filename)}: is a link, or lies outside of the zip; zip plain files")
        if not name.parts or not all(_has_at_most(MOST_LETTERS, part) for part in name.parts):
            raise MetricsError(f"the zip has a file whose name, '{_shown(member.filename)}', is empty or too long; give it another one")
        first = taken.setdefault(str(name).casefold(), name)
        if first == name and name in named:
            raise MetricsError(f"{_shown(str(name))}: stands twice in the zip; zip it once")
        if first != name:
            msg = f"{_shown(str(name))}: there is {_shown(str(first))} as well in the zip, which is the same name; keep one of them"
            raise MetricsError(msg)
        named[name] = member
    return named


def _has_at_most(most: int, name: str) -> bool:
    return len(name.encode("utf-8", "surrogatepass")) <= most


def _shown(name: str) -> str:
    """Return a name that somebody else gave, as a message shows it."""
    return printable(csv_text.shown(name))


def _why(error: Exception) -> str:
    """Return why something cannot be read; where it lies on the machine that scores it is nobody's business."""
    return printable(str((isinstance(error, OSError) and error.strerror) or error))


def _copied(opened: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Unpack a member and return its bytes; what it says of its own size is not believed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with opened.open(member) as source, target.open("wb") as file:
        while chunk := source.read(1 << 20):
            size += len(chunk)
            if size > most:
                msg = "the zip unpacks to more than the frames of the challenge can need; write only these, without indentation"
                raise MetricsError(msg)
            file.write(chunk)
    return size


def _most_bytes(challenge: Challenge) -> int:
    frames = [len(of) for of in (challenge.frames or {}).values()]
    if not challenge.declared.has_file_per_video:
        return SPARE_BYTES + BYTES_PER_FRAME * sum(frames)
    classes = len(challenge.expected.vocabulary.triplets)
    most = SPARE_BYTES
    for count in frames:
        most += documents.most_bytes(count * max(1, classes))
    return most


def _split(path: Path, place: Path, challenge: Challenge) -> None:
    """Write one file per video of a document for all of them."""
    document = _json(path, path.name, challenge)
    if not isinstance(document, dict) or not document:
        raise MetricsError(f"{path.name}: expected an object with one entry per video, as in {_some(challenge)}")
    for name in document:
        if not _NAME.fullmatch(name) or not _has_at_most(MOST_OF_VIDEO, name):
            raise MetricsError(f"{path.name}: '{_shown(name)}' is no name of a video; name them as in {FRAMES}")
    _write(place, document, challenge)


def _write(place: Path, values: Mapping[str, Any], challenge: Challenge) -> None:
    for name, text in handed_in.files_of(challenge, values).items():
        files.write_text(place / name, text)


WHOLE = '{"<video>": ...}, or a zip with a file per video'


def _of_job(challenge: Challenge) -> str:
    """Return what the output of a job is: the value of one video."""
    return '{"<frame>": ...}' if challenge.declared.has_file_per_video else "what submission.json of the starting kit has of one video"


def _json(path: Path, name: str, challenge: Challenge, form: str = WHOLE) -> Any:
    try:
        if path.is_symlink() or not path.is_file():
            raise MetricsError(f"{name}: the file is missing")
        if path.stat().st_size > _most_bytes(challenge):
            raise MetricsError(f"{name}: is larger than the frames of the challenge can need; write only these, without indentation")
        data = strangers.read_bytes(path)
        value = strangers.json_value(data, "", once)
        if b"\\ud" in data.lower() and SURROGATE.search(json.dumps(value, ensure_ascii=False)):
            raise ValueError("a text has half a character, \\ud800 to \\udfff")
        return value
    except (OSError, ValueError, RecursionError) as error:
        raise MetricsError(f"{name}: cannot be read as JSON ({_why(error)}); write {form}") from error


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object in which no key stands twice; ValueError for any other."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return value


def _some(challenge: Challenge) -> str:
    names = sorted(challenge.frames or {})
    return ", ".join(names[:3]) + (" ..." if len(names) > 3 else "")


def write_sample(challenge: Challenge, folder: Path) -> None:
    """Write a submission that knows nothing."""
    for name, text in handed_in.sample_files(challenge).items():
        files.write_text(folder / name, text)


NOT_SCORED = "the submission is well formed, but its scores could not be computed; tell the organiser, who can see why with `scrubin score`"
"""All that a participant is told then: the reason may lie in the labels."""


@dataclass(frozen=True)
class ScoredSubmission:
    """The outcome of a submission.

    Parameters
    ----------
    accepted
        Whether it was scored.
    messages
        For the participant. They are made of the submission and of the public list of frames alone, never of a label.
    scores
        By key; None is undefined. Empty when it was not scored.
    videos
        By video, scores by key of the columns; only where the challenge shows them.
    """

    accepted: bool
    messages: tuple[str, ...]
    scores: Mapping[str, float | None]
    videos: Mapping[str, Mapping[str, float | None]]


def evaluate(challenge: Challenge, truth: Path, submitted: Path) -> ScoredSubmission:
    """Check and score a submission.

    Parameters
    ----------
    truth
        Folder of the hidden ground truth.
    submitted
        Folder of the submission; it is never changed.
    """
    try:
        refuse_links(submitted)
        found = checked(challenge, submitted)
        outcome = with_training_data(found, submitted, challenge.test)
    except ScrubinError as error:
        return ScoredSubmission(False, tuple(str(error).splitlines()), {}, {})
    messages = (*summary(outcome.faults, most=100), *(f"note: {note}" for note in outcome.notes))
    if outcome.errors:
        return ScoredSubmission(False, messages, {}, {})
    try:
        named = column_keys(results(challenge, truth, submitted))
    except ScrubinError:
        return ScoredSubmission(False, (*messages, NOT_SCORED), {}, {})
    if any(column.key not in named for column in challenge.columns):
        return ScoredSubmission(False, (*messages, NOT_SCORED), {}, {})
    scores = {key: shown(result.overall, challenge) for key, result in named.items()}
    return ScoredSubmission(True, messages, scores, _by_video(challenge, named) if challenge.show == "videos" else {})


def checked(challenge: Challenge, submitted: Path) -> CheckedSubmission:
    """Check a submission against the frames alone: no message can tell a label."""
    task = challenge.declared
    if task.has_file_per_video:
        return submission.check(submitted, challenge.expected, tasks=[one for one in TASKS if one == task.name])
    with label_files.on_disk(challenge.form) as form:
        return entries.check(submitted, entries.held_against(task.name, Source(form), variant=challenge.variant))


def results(challenge: Challenge, truth: Path, submitted: Path) -> list[Result]:
    """Return all numbers of a well-formed submission: those of `scrubin score`."""
    task = challenge.declared
    if not task.has_file_per_video:
        videos = dict.fromkeys(challenge.frames or {}, 0)
        order = Order(Source(truth), [Source(submitted)], challenge.semantics, task.variant(challenge.variant), videos)
        return _results(task, order)
    with tempfile.TemporaryDirectory() as place:
        # What else lies in the folder, such as a description, must not decide as which format it is read.
        alone = Path(place)
        wanted = submission.kind_of(task.name)
        for (kind, _), file in submission.sort_files(submitted, challenge.expected.videos, Faults()).files.items():
            if kind == wanted:
                shutil.copyfile(file, alone / file.name)
        sources = Source(truth), Source(alone, vocabulary=vocabulary.load(challenge.vocabulary))
        return _results(task, Order(sources[0], [sources[1]], challenge.semantics, task.variant(challenge.variant)))


def _results(task: ContestTask, order: Order) -> list[Result]:
    return [result for one in scoring(task.metric, order).parts for result in one.results(None)]


def shown(value: Value, challenge: Challenge) -> float | None:
    """Return a number as platforms take it: None where it is undefined, or infinite, which JSON cannot say."""
    number = value.value
    if not math.isfinite(number):
        return None
    return number if challenge.digits is None else round(number, challenge.digits)


def _by_video(challenge: Challenge, named: Mapping[str, Result]) -> dict[str, dict[str, float | None]]:
    wanted = [column.key for column in challenge.columns if column.key in named]
    return {
        video: {key: shown(named[key].videos[video], challenge) for key in wanted if video in named[key].videos}
        for video in sorted(challenge.frames or {})
    }


LEFT_OUT = ("classes", "phases", "bessel")
"""Options that tell nothing which the others do not."""


def column_keys(results: Sequence[Result]) -> dict[str, Result]:
    """Return results by key, in their order: metric and what distinguishes it from the others of its name.

    Standard deviations of one video are undefined by definition and left out. They count for the names: which of them are defined
    depends on a submission, and a key must be the same for all submissions.
    """
    named: dict[str, Result] = {}
    for result in results:
        alike = [one.variant.options for one in results if one.variant.metric == result.variant.metric]
        apart = [name for name in sorted({name for options in alike for name in options}) if len({_text(one, name) for one in alike}) > 1]
        options = result.variant.options
        parts = [f"{_text(options, name)}" for name in apart if name not in LEFT_OUT and name in options]
        key = _slug(" ".join([result.variant.metric, *parts]))
        if key in named:
            key = _slug(" ".join([result.variant.metric, *(f"{name} {_text(options, name)}" for name in apart)]))
        named[key] = result
    if len(named) != len(results):
        raise MetricsError("two numbers of this score have the same name; choose one by --variant")
    return {key: result for key, result in named.items() if not is_lone_deviation(result)}


def leaderboard(task: ContestTask, named: Mapping[str, Result], rank_by: str | None) -> tuple[Column, ...]:
    """Return the columns of a leaderboard, the one that ranks first.

    Raises
    ------
    MetricsError
        When ``rank_by`` is none of them.
    """
    shown = [number.of(list(named.values())) for number in task.numbers.values()]
    chosen = {key: _column(key, result) for key, result in named.items() if (result in shown if shown else _is_main(task, result))}
    if not chosen:
        chosen = {key: _column(key, result) for key, result in named.items()}
    first = rank_by or next((key for key, result in named.items() if key in chosen and _ranks(result)), next(iter(chosen)))
    if first not in chosen:
        raise MetricsError(f"--rank-by {first}: it is no column; {hint(first, sorted(chosen))}")
    return (chosen[first], *(column for key, column in chosen.items() if key != first))


def _column(key: str, result: Result) -> Column:
    return Column(key, _title(result), registry.named(result.variant.metric).less_is_better)


def _is_main(task: ContestTask, result: Result) -> bool:
    """Return whether people compare this number: one scope, no deviations."""
    options = result.variant.options
    if options.get("scope", "video-wise") != "video-wise" or options.get("statistic", "mean").startswith("SD"):
        return False
    if options.get("null", "counted") != "counted" or (task.name == "detection" and options.get("component") not in ("i", "ivt")):
        return False
    return registry.named(result.variant.metric).is_column


def _ranks(result: Result) -> bool:
    return registry.named(result.variant.metric).ranks and result.variant.options.get("component", "ivt") == "ivt"


def _title(result: Result) -> str:
    options = result.variant.options
    shown = [f"{value}" if name == "component" else f"{name} {value}" for name, value in sorted(options.items()) if name in _NAMED]
    return " ".join([result.variant.metric, *shown])


_NAMED = ("component", "iou", "k", "null", "statistic")


def _text(options: Mapping[str, str], name: str) -> str:
    return options.get(name, "")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")
