"""Scores as JSON, CSV or a table to read; two such files side by side."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from scrubin.base import files, strangers
from scrubin.base.errors import MetricsError
from scrubin.base.faults import count_text, sheet_cell, summary
from scrubin.base.vocabulary.vocabulary import COMPONENTS, Component, Vocabulary, related
from scrubin.evaluate.computation import Computed, Scoring
from scrubin.evaluate.metrics.bootstrap import Interval
from scrubin.evaluate.metrics.detection import average_precision
from scrubin.evaluate.metrics.recognition.average_precision import METRIC as RECOGNITION
from scrubin.evaluate.metrics.recognition.top_k import top_classes
from scrubin.evaluate.metrics.result import Result, Value, Variant, difference
from scrubin.evaluate.released_truth import ReleasedTruth, line_of

COLUMNS = ("metric", "semantics", "options", "level", "key", "name", "value", "n", "low", "high", "interval", "release")
"""Of the sheet; ``release`` is the last, so that who takes columns by their number takes the same as before."""
DIGITS = 4
Names = Mapping[str, str]
BEST = 10


@dataclass(frozen=True)
class ScoredResult:
    """A result with what is known beside it.

    Parameters
    ----------
    result
        The numbers.
    interval
        Confidence interval of the overall value, where one was wanted.
    class_names
        Names of the classes that the result numbers.
    """

    result: Result
    interval: Interval | None
    class_names: Names


def document(metric: str, truth: Path, predictions: Sequence[Path], scoring: Scoring, scored: Sequence[ScoredResult]) -> dict[str, Any]:
    """Return everything as JSON: undefined is null, with its n; infinity is the text "Infinity".

    ``scored`` says what counted: vocabulary, and the videos with the number of their frames (null where a recording is one row).

    Files are named without their folders and by the SHA-256 of what they hold, so that the same input gives the same bytes.
    """
    faults = [replace(fault, file=PurePosixPath(fault.file).name) for fault in scoring.faults]
    return {
        "metric": metric,
        "ground_truth": {**source_of(truth), "release": None if scoring.release is None else scoring.release.as_json()},
        "predictions": [source_of(path) for path in predictions],
        "scored": [_counted(one) for one in scoring.parts],
        "notes": notes_of(replace(scoring, faults=faults)),
        "faults": [fault.as_json() for fault in faults],
        "results": [_result(one) for one in scored],
    }


def _counted(one: Computed) -> dict[str, Any]:
    return {"vocabulary": one.vocabulary or None, "videos": {name: one.frames.get(name) for name in sorted(one.names)}}


def notes_of(scoring: Scoring) -> list[str]:
    """Return what the user should know, for reading: what was assumed, and the faults that stopped nothing."""
    return [*scoring.notes, *summary(scoring.faults)]


def source_of(path: Path) -> dict[str, str]:
    """Return the name of a file or folder, and the SHA-256 of its content: of a folder, of the names and hashes of its files."""
    if path.is_file():
        return {"name": path.name, "sha256": files.sha256_of(path)}
    digest = hashlib.sha256()
    for file in sorted(one for one in path.rglob("*") if one.is_file()):
        digest.update(f"{files.sha256_of(file)}  {file.relative_to(path).as_posix()}\n".encode())
    return {"name": path.name, "sha256": digest.hexdigest()}


def text_of(document: Mapping[str, Any]) -> str:
    """Return the JSON text."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def sheet(scored: Sequence[ScoredResult], release: ReleasedTruth | None = None) -> str:
    """Return CSV for people: one row per number, with the release that labels are of; undefined is empty, and no name is a formula."""
    of = "" if release is None else sheet_cell(line_of(release.as_json()))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in scored:
        result, interval = one.result, one.interval
        options = "; ".join(f"{key}={value}" for key, value in sorted(result.variant.said.items()))
        head = (result.variant.metric, result.variant.semantics, options)
        bounds = ("", "", "") if interval is None else (_cell(interval.low), _cell(interval.high), interval.variant.options["interval"])
        writer.writerow([*head, "overall", "", "", _cell(result.overall), result.overall.n, *bounds, of])
        for id_, value in result.classes.items():
            writer.writerow(
                [*head, "class", sheet_cell(id_), sheet_cell(one.class_names.get(id_, "")), _cell(value), value.n, "", "", "", of]
            )
        for name, value in result.videos.items():
            writer.writerow([*head, "video", sheet_cell(name), "", _cell(value), value.n, "", "", "", of])
    return text.getvalue()


def table(scored: Sequence[ScoredResult]) -> Iterator[str]:
    """Yield lines: per metric its name with the options that all its numbers share, then what distinguishes each, value, n, interval."""
    scored = [one for one in scored if not is_lone_deviation(one.result)]
    metrics = dict.fromkeys((one.result.variant.metric, one.result.variant.semantics) for one in scored)
    for metric, semantics in metrics:
        own = [one for one in scored if (one.result.variant.metric, one.result.variant.semantics) == (metric, semantics)]
        shared = shared_options([one.result.variant.said for one in own])
        yield "; ".join([f"{metric} ({semantics})", *(f"{key}={value}" for key, value in sorted(shared.items()))])
        rows = [_row(one, shared) for one in own]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        for options, value, n, bounds in rows:
            yield f"  {options:<{widths[0]}}  {value:>{widths[1]}}  {n:<{widths[2]}}  {bounds}".rstrip()


def best_classes(scored: Sequence[ScoredResult]) -> Iterator[str]:
    """Yield lines with the classes that are recognised best, of the last average precision whose classes have names."""
    precisions = [one for one in scored if one.class_names and one.result.classes and one.result.variant.metric == RECOGNITION]
    # Of several runs their mean: a deviation is no precision.
    named = [one for one in precisions if one.result.variant.options.get("runs", "mean") == "mean"]
    if not named:
        return
    options = named[-1].result.variant.options
    yield f"best classes; component={options['component']}; scope={options['scope']}"
    for id_, value in top_classes(named[-1].result, BEST):
        yield f"  {value.value:.{DIGITS}f}  n={value.n}  {id_} {named[-1].class_names.get(id_, '')}"


def _row(one: ScoredResult, shared: Mapping[str, str]) -> tuple[str, str, str, str]:
    result, interval = one.result, one.interval
    options = "  ".join(f"{key}={value}" for key, value in sorted(result.variant.said.items()) if key not in shared)
    bounds = "" if interval is None else f"[{_shown(interval.low.value)}, {_shown(interval.high.value)}]"
    return options, _shown(result.overall.value), f"n={result.overall.n}", bounds


def shared_options(options: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return what all of some options have alike."""
    return {key: value for key, value in options[0].items() if all(other.get(key) == value for other in options)}


def _result(one: ScoredResult) -> dict[str, Any]:
    result, interval = one.result, one.interval
    named = {id_: {"name": one.class_names[id_]} if id_ in one.class_names else {} for id_ in result.classes}
    document: dict[str, Any] = {
        "variant": result.variant.name,
        "metric": result.variant.metric,
        "semantics": result.variant.semantics,
        "options": dict(sorted(result.variant.options.items())),
        "stated": dict(sorted(result.variant.stated.items())),
        "overall": _value(result.overall),
        "classes": {id_: {**named[id_], **_value(value)} for id_, value in result.classes.items()},
        "videos": {name: _value(value) for name, value in result.videos.items()},
    }
    if result.curves:
        document["curves"] = {id_: {**named.get(id_, {}), **curve} for id_, curve in result.curves.items()}
    if interval is not None:
        document["interval"] = {
            "variant": interval.variant.options["interval"],
            "low": _value(interval.low),
            "high": _value(interval.high),
        }
    return document


def json_number(number: float) -> float | str | None:
    """Return a number as JSON has it: undefined is null, infinity a text.

    >>> json_number(0.5), json_number(math.nan), json_number(-math.inf)
    (0.5, None, '-Infinity')
    """
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return None if math.isnan(number) else number


def _value(value: Value) -> dict[str, Any]:
    return {"value": json_number(value.value), "n": value.n}


def _cell(value: Value) -> str:
    return repr(value.value) if value.defined else ""


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.{DIGITS}f}"


def class_names(vocabulary: Vocabulary, *, by_position: bool = False) -> dict[str, dict[str, str]]:
    """Return names by component and by the key that results have.

    Parameters
    ----------
    vocabulary
        Names and ids.
    by_position
        Whether keys are positions among the ids that occur, as published programs number them, instead of ids.

    >>> from scrubin.base.vocabulary.vocabulary import load
    >>> class_names(load("cholect50"))["iv"]["12"], class_names(load("cholect50"), by_position=True)["iv"]["7"]
    ('bipolar,dissect', 'bipolar,dissect')
    """
    if not vocabulary.triplets:
        return {"i": {str(id_): name for id_, name in enumerate(vocabulary.instruments)}}
    spelled: Mapping[Component, Callable[[int], str]] = {
        "i": lambda id_: vocabulary.instruments[id_],
        "v": lambda id_: vocabulary.verbs[id_],
        "t": lambda id_: vocabulary.targets[id_],
        "iv": lambda id_: f"{vocabulary.instruments[id_ // len(vocabulary.verbs)]},{vocabulary.verbs[id_ % len(vocabulary.verbs)]}",
        "it": lambda id_: f"{vocabulary.instruments[id_ // len(vocabulary.targets)]},{vocabulary.targets[id_ % len(vocabulary.targets)]}",
        "ivt": vocabulary.triplet_name,
    }
    names: dict[str, dict[str, str]] = {
        name: {str(place if by_position else id_): spelled[name](id_) for place, id_ in enumerate(vocabulary.component_ids(name))}
        for name in COMPONENTS
    }
    # Boxes have instruments that are in no triplet, too, such as CholecTrack20's specimen-bag.
    return names if by_position else {**names, "i": {str(id_): name for id_, name in enumerate(vocabulary.instruments)}}


def is_lone_deviation(result: Result) -> bool:
    """Whether a result is the standard deviation of one value, which is undefined and tells nothing."""
    return result.variant.options.get("statistic", "").startswith("SD") and result.overall.n <= 1 and math.isnan(result.overall.value)


def reading_aids(results: Iterable[Result]) -> Iterator[str]:
    """Yield a sentence for each kind of odd number among the results."""
    results = list(results)
    if lone := sum(is_lone_deviation(result) for result in results):
        yield f"{count_text(lone, 'standard deviation')} of one video or one run: undefined, so not shown; --out has them as null"
    relaxed = [result for result in results if "relaxed" in result.variant.metric and result.variant.options.get("above one") == "kept"]
    odd = sorted({result.variant.metric.rpartition(" ")[2] for result in relaxed if result.overall.value > 1})
    if odd:
        yield (
            f"relaxed {' and '.join(odd)} above 1: by definition frames of the phase on either side count, while those of one side divide; "
            "so a phase that is excused but never predicted has infinite precision; the alternatives are "
            "--variant counted=own and --variant above-one=clipped ('scrubin score differences' has the sources)"
        )


ComparedScores = tuple[str, float, float, float]
Counted = Mapping[str, int | None]
NOWHERE = "not scored"


EARLIER: Mapping[str, str] = {
    "recognition": "which classes take part",
    "detection": "what size images have",
    "tracks": "which classes take part",
    "points": "what size images have",
    "phases": "at which rate frames are seconds",
    "errors": "which errors are scored",
}
"""What files of scores of an earlier version do not state, by metric; those of the others lack nothing."""
BY_OPTION: Mapping[str, str] = {
    **dict.fromkeys(("detection", "tracks", "points"), "what --image-size was given"),
    "phases": "what --instant was given",
}
"""What they do not state either, by metric, and others only where an option decided it: silence of both is not the same."""

EARLIER_RULE: Mapping[str, str] = dict.fromkeys(
    (average_precision.METRIC, *average_precision.AT_BEST.values()), "equal confidences in a frame were one threshold each"
)
"""What was another rule in earlier versions, by metric of the semantics ``paper``: such a number is of another definition."""


@dataclass(frozen=True)
class _File:
    """What a file of scores says.

    Parameters
    ----------
    name
        Its own.
    metric, truth
        What was scored, and the hash of the ground truth.
    counted, vocabularies
        Videos and vocabulary of each part.
    results
        By variant.
    is_earlier
        Whether a version wrote it that stated nothing but options.
    release
        The one of the ground truth, as `ReleasedTruth.as_json`; empty where the file does not say it.
    """

    name: str
    metric: str
    truth: str
    counted: Sequence[Counted]
    vocabularies: Sequence[str | None]
    results: Mapping[str, Result]
    is_earlier: bool
    release: Mapping[str, Any] = field(default_factory=dict)

    @property
    def of_truth(self) -> str:
        """Of what ground truth the scores are, for reading."""
        return f"{self.truth[:12]}{f' of {line_of(self.release)}' if self.release else ''}"

    @property
    def version(self) -> str | None:
        """Name and version of the release of the ground truth; None where the file does not say it."""
        return f"{self.release.get('name')} {self.release['version']}" if self.release.get("version") else None


def compared(one: Path, other: Path) -> tuple[list[ComparedScores], list[str]]:
    """Return per variant both values and ``one - other``, and what is not compared: what only one has, or states otherwise than the other.

    A file of an earlier version does not state what others do, and has some numbers by another rule. Such numbers are not compared: whether
    they are of the same cannot be told.
    Where neither states anything they are, and a sentence says what cannot be told.

    Raises
    ------
    MetricsError
        When a file holds no scores, the ground truths differ, or no variant is in both: says how the nearest ones differ.
    """
    first, second = _read(one), _read(other)
    if first.truth != second.truth:
        msg = (
            f"{one} and {other} were scored against different ground truth ({first.of_truth}; {second.of_truth}); "
            "score both against the same"
        )
        raise MetricsError(msg)
    if first.counted != second.counted:
        msg = f"{one} and {other} were scored on different videos or frames{_apart(first.counted, second.counted)}; score both on the same"
        raise MetricsError(msg)
    for ours, theirs in zip(first.vocabularies, second.vocabularies, strict=False):
        if ours and theirs and not related(ours, theirs):
            raise MetricsError(f"{one} and {other} were scored in the classes of '{ours}' and '{theirs}'; score both in the same")
    shared = [name for name in first.results if name in second.results]
    if not shared:
        difference(next(iter(first.results.values())), next(iter(second.results.values())))
    rows: list[ComparedScores] = []
    unlike: dict[str, list[str]] = {}
    of_rule = ""
    for name in shared:
        left, right = first.results[name], second.results[name]
        if first.is_earlier != second.is_earlier and left.variant.semantics == "paper" and left.variant.metric in EARLIER_RULE:
            old = first if first.is_earlier else second
            why = f"an earlier version wrote {old.name}, in which {EARLIER_RULE[left.variant.metric]}"
            unlike.setdefault(why, []).append(name)
            of_rule = why
        elif left.variant.apart(right.variant):
            unlike.setdefault(_stated_otherwise(first, second, name), []).append(name)
        else:
            rows.append((name, left.overall.value, right.overall.value, difference(left, right)))
    if not rows:
        oldest = next((file.name for file in (first, second) if file.is_earlier), "")
        # What an earlier version counted otherwise is no choice of this one.
        fix = f"score again with this version what {oldest} has" if list(unlike) == [of_rule] else "score both in the same way"
        raise MetricsError(f"{one} and {other} have no number that can be compared: {'; '.join(unlike)}; {fix}")
    apart = sorted(set(first.results) ^ set(second.results))
    told = [f"only in {one.name if name in first.results else other.name}: {name}" for name in apart]
    told += [f"not compared, {why}: {name}" for why, names in unlike.items() for name in names]
    if None not in (first.version, second.version) and first.version != second.version:
        told.append(f"the ground truth is of {first.version} and {second.version}, which have the same files of it")
    return rows, [*told, *_untold(first, second)]


def _untold(one: _File, other: _File) -> list[str]:
    """Return a sentence of what files of an earlier version do not say of numbers that are compared; none where they lack nothing."""
    earlier = [file.name for file in (one, other) if file.is_earlier]
    # What this version always states is not compared with a number that does not.
    lacks = [BY_OPTION.get(one.metric, "")] if earlier else []
    lacks = [EARLIER.get(one.metric, ""), *lacks] if len(earlier) == 2 else lacks
    said = " and ".join(filter(None, lacks))
    which = "both files, which do" if len(earlier) == 2 else f"{''.join(earlier)}, which does"
    why = f"an earlier version wrote {which} not say {said}"
    return [f"{why}: whether that is the same in both cannot be told; score again"] if said else []


def _stated_otherwise(one: _File, other: _File, variant: str) -> str:
    """Return what two files state of a number, where they differ; two files of one name are told apart by their order."""
    first, second = (file.results[variant].variant for file in (one, other))
    names = (one.name, other.name) if one.name != other.name else ("the first", "the second")
    sides = []
    for name, file, of in zip(names, (one, other), (first, second), strict=True):
        says = ", ".join(f"{key}={of.stated[key]}" for key in first.apart(second) if key in of.stated)
        sides.append(f"{name} has {says}" if says else f"{name} does not say{', as an earlier version wrote it' * file.is_earlier}")
    return " and ".join(sides)


def _apart(one: Sequence[Counted], other: Sequence[Counted]) -> str:
    """Return the first video that is not the same in both, in brackets."""
    for left, right in zip(one, other, strict=False):
        for name in sorted({*left, *right}):
            if left.get(name, NOWHERE) != right.get(name, NOWHERE):
                shown = [NOWHERE if name not in side else f"{side[name]} frames" for side in (left, right)]
                return f" ({name}: {shown[0]}, {shown[1]})"
    return ""


def _read(path: Path) -> _File:
    try:
        document = strangers.read_json(path)
        results = {str(item["variant"]): _read_result(item) for item in document["results"]}
        truth = str(document["ground_truth"]["sha256"])
        counted = [dict(part["videos"]) for part in document["scored"]]
        vocabularies = [part.get("vocabulary") for part in document["scored"]]
        is_earlier = not any("stated" in item for item in document["results"])
        metric = str(document.get("metric"))
        release = dict(document["ground_truth"].get("release") or {})
    except OSError as error:
        raise MetricsError(f"{path}: cannot be read: {error.strerror}; name a file that 'scrubin score --out' wrote") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{path}: holds no scores ({type(error).__name__}: {error}); name a file that 'scrubin score --out' wrote"
        raise MetricsError(msg) from error
    if not results:
        raise MetricsError(f"{path}: holds no scores; score again")
    return _File(path.name, metric, truth, counted, vocabularies, results, is_earlier, release)


def _read_result(item: Mapping[str, Any]) -> Result:
    value = item["overall"]["value"]
    number = math.nan if value is None else float(value)
    variant = Variant(item["metric"], item["semantics"], dict(item["options"]), dict(item.get("stated", {})))
    return Result(variant, Value(number, int(item["overall"]["n"])))
