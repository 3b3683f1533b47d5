"""The measured facts in plain words, for all documents: each number stands in ``facts.json``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scrubin.stages.release.certificate import attention

FIXED = """
recording recordings videos hours tasks people were recorded not released excluded by the curator longer than its task allows cannot be used
withdrawn in the review frames extracted have no file too poor black rectangles hidden shown by a decision proposed of all video frames
are and more proven no split is better by more than the allowed gap
rated raters each to ratings agreement interval absolute of one rater of the mean disagree strongly failed no number errors occurred in
by task labelled instances phases boxes spans vocabulary split folds train validation test smallest largest imbalance mean worst proven
masks key points with a place the number of track marks annotators
annotator by frame was were blind without names days what others had places place in differed somebody else decided
a program person took each of them label changed proposal proposals taken
programs proposed to hide undecided ICC alpha Krippendorff
"""
"""Words that the sentences use, beside those of the facts themselves."""
HIDING = (
    "Videos hold pictures only: no sound, no tags, no messages. Programs searched for scenes outside the body, faces, text, black and "
    "frozen pictures; what they proposed is black unless people decided otherwise."
)
PSEUDONYMS = (
    "Each recording has an invented id, drawn with a key that is not released. No table names a person, a site or a day, and the "
    "order of rows says nothing."
)
PICTURES_REMAIN = (
    "Pictures of operations and exercises remain. The release was searched for the names, sites and days that the study knows; "
    "that nobody can be recognised is not proven."
)
NOT_IMPUTED = "Nothing is imputed: what is undefined stays missing."
MISSING = "Missing values are null and undefined, never zero; the data dictionary says of each column what that means."
CUT = "Recordings are cut to their interval, cameras of a pair at the same instants."
RAW = "Videos of operations or exercises, sheets of raters and files of labels; they are not released."
TABLED = "Labels and ratings of all formats became tables with one declaration, and were held to its rules."
STEPS = (
    ("Selection", "Files were probed; what cannot be used, what the curator excludes and what is too long was left out."),
    ("Pseudonymisation", PSEUDONYMS),
    ("Redaction", HIDING),
    ("Review", "Who looked at the recordings before the release is stated in the certificate."),
    (
        "Scoring",
        "Skill is the mean over raters of scores normalised per rater; marks of errors of several raters became one by a fixed rule.",
    ),
    ("Splitting", "Subsets hold whole people and are balanced by search; how far they miss is measured."),
    ("Validation", "Every table was held to its rules, and the finished release was audited file by file."),
)
"""What the pipeline did, as activities."""
COUNTED_OUT = "{recordings} not released ({reasons})."


def number(value: Any, digits: int = 2) -> str:
    """Return a number for reading; what is undefined says so.

    >>> number(0.64986), number(None), number(45)
    ('0.65', 'undefined', '45')
    """
    if value is None:
        return "undefined"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def share(value: float | None) -> str:
    """Return a share in per cent.

    >>> share(0.0664), share(0.00004), share(None)
    ('6.6 %', 'less than 0.1 %', 'undefined')
    """
    if value is None:
        return "undefined"
    return "less than 0.1 %" if 0 < value < 0.001 else f"{100 * value:.1f} %"


def count(n: int, one: str, more: str) -> str:
    """Return a number with its noun.

    >>> count(1, "fold", "folds"), count(5, "fold", "folds")
    ('1 fold', '5 folds')
    """
    return f"{n} {one if n == 1 else more}"


def listed(parts: Sequence[str]) -> str:
    """Return parts as a list in words.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def spread(low: int, high: int) -> str:
    """Return a range of numbers, one number where both ends are equal."""
    return str(low) if low == high else f"{low} to {high}"


def size(facts: Mapping[str, Any]) -> str:
    """Return how much there is."""
    of = facts["size"]
    tasks = listed([f"{task['name']} ({task['released']})" for task in of["tasks"]])
    people = "" if of["people"] is None else f" of {count(of['people'], 'person', 'people')}"
    return (
        f"{count(of['released'], 'recording', 'recordings')}{people} in {count(of['videos'], 'video', 'videos')}, "
        f"{number(of['hours'])} hours: {tasks}. {of['frames']} extracted frames."
    )


def left_out(facts: Mapping[str, Any]) -> str:
    """Return what was not released, and why."""
    reasons: Mapping[str, int] = facts["left_out"]
    if not reasons:
        return "No recording was left out."
    each = listed([f"{reason}: {n}" for reason, n in sorted(reasons.items())])
    return COUNTED_OUT.format(recordings=count(sum(reasons.values()), "recording was", "recordings were"), reasons=each)


def hidden(facts: Mapping[str, Any]) -> list[str]:
    """Return how much is hidden."""
    of, frames = facts["hidden"], facts["size"]["frames"]
    lines = [f"Of {frames} extracted frames {of['extracted_frames']} ({share(of['extracted_share'])}) are hidden, which is black."]
    if len(of["by_task"]) > 1:
        each = [f"{one['name']} {one['extracted_frames']} ({share(one['extracted_share'])})" for one in of["by_task"]]
        lines.append(f"Hidden extracted frames by task: {listed(each)}.")
    if of.get("black_frames") is not None:
        total = facts["size"]["video_frames"]
        lines.append(
            f"Of {total} video frames {of['black_frames']} ({share(of['black_share'])}) are black, and {of['partly_black_frames']} "
            f"({share(of['partly_black_share'])}) more have black rectangles."
        )
    if facts["size"]["frames_dropped"]:
        lines.append(f"{facts['size']['frames_dropped']} extracted frames are too poor to be used and have no file.")
    return lines


def seen(facts: Mapping[str, Any]) -> list[str]:
    """Return who looked before the release."""
    of = facts["seen"]
    if not of:
        return []
    return [
        of["says"],
        *of["looked"],
        f"Looked at: {of['seen_s']} of {of['required_s']} seconds of video, and both ends of {of['seen_ends']} "
        f"of {of['proposals']} proposals.{attention.further(of)}",
    ]


def ratings(facts: Mapping[str, Any]) -> list[str]:
    """Return who rated how much and how far they agree, one sentence per task."""
    return [_rating(one) for one in facts["ratings"]]


def _rating(of: Mapping[str, Any]) -> str:
    text = (
        f"{of['name']}: {of['rated']} recordings rated by {count(of['raters'], 'rater', 'raters')}, "
        f"{spread(*of['ratings_each'])} ratings each; {share(of['failed_share'])} of the ratings say failed"
    )
    if of["ICC(2,1)"] is not None:
        text += f"; agreement on the total score: {_icc('ICC(2,1)', of)}, {_icc('ICC(2,k)', of)}"
    if of["alpha"] is not None:
        text += f", Krippendorff's alpha {number(of['alpha'])}"
    if of["strong_disagreement"] is not None:
        text += f"; strong disagreement on {of['strong_disagreement']} recordings"
    return text + "."


def _icc(name: str, of: Mapping[str, Any]) -> str:
    value = of[name]
    return f"{name} {number(value['value'])} ({number(value['low'])} to {number(value['high'])})" if value else f"{name} undefined"


def labels(facts: Mapping[str, Any]) -> list[str]:
    """Return what was labelled."""
    of = facts["labels"]
    lines = [
        f"Labelled with {one['name']} (vocabulary {one['vocabulary']}): {one['frames']} frames of "
        f"{count(one['released'], 'recording', 'recordings')}."
        for one in of.get("labelled", ())
    ]
    if of.get("instances"):
        lines.append(f"{of['instances']} labelled instances of instruments, {of['boxes']} of them with a box.")
    kinds = {"masks": "masks", "points": "key points with a place", "tracks": "instances with the number of a track"}
    lines += [f"{of[name]} {said}." for name, said in kinds.items() if of.get(name)]
    if of.get("marks"):
        lines.append(f"{of['marks']} marks of annotators.")
    if "interpolated" in of:
        n, every = of["interpolated"]["n"], count(of["interpolated"]["of"], "box or point", "boxes and points")
        lines.append(f"{n} of {every} lie between key frames or are means: nobody said where they are.")
    return [*lines, *_provenance(of)]


def _provenance(of: Mapping[str, Any]) -> Iterator[str]:
    if "annotators" not in of:
        return
    each = [
        f"annotator {one['annotator']} {count(one['released'], 'recording', 'recordings')} ({number(one['hours'])} hours)"
        for one in of["annotators"]
    ]
    yield f"Labelled frame by frame: {listed(each)}."
    yield (
        f"{of['blind']['n']} of {count(of['blind']['released'], 'recording was', 'recordings were')} labelled blind: "
        "without names, days and what others had labelled."
    )
    yield f"In {count(of['settled'], 'place', 'places')} annotators differed and somebody else decided."
    changed = f", and changed {of['changed']} of them" if of["proposed"] and "changed" in of else ""
    yield f"A program had proposed {of['proposed']} of {count(of['given'], 'label', 'labels')}; a person took each of them{changed}."
    if of.get("refused"):
        yield f"{count(of['refused'], 'proposal was', 'proposals were')} not taken."


def errors(facts: Mapping[str, Any]) -> list[str]:
    """Return how often each error occurred."""
    return [f"{one['task']}, {one['name']}: in {one['occurred']} of {one['n']} recordings." for one in facts["errors"]]


def splits(facts: Mapping[str, Any]) -> list[str]:
    """Return how the recordings are split and how well that is balanced."""
    return [_split(one) for one in facts["splits"]]


def _split(of: Mapping[str, Any]) -> str:
    subsets = listed([f"{one['name']} {spread(one['fewest'], one['most'])}" for one in of["subsets"] if one["most"]])
    text = f"{of['name']}: {count(of['folds'], 'fold', 'folds')}, recordings in {subsets}"
    if empty := [one["name"] for one in of["subsets"] if not one["most"]]:
        text += f", no recordings in {listed(empty)}"
    if lacking := [one["name"] for one in of["subsets"] if one["most"] and not one["fewest"]]:
        text += f", in some folds none in {listed(lacking)}"
    if of["mean_imbalance"] is not None:
        text += f"; imbalance {number(of['mean_imbalance'])} in the mean and {number(of['worst_imbalance'])} at worst"
    if of["proofs"] == ["proven"]:
        text += "; proven: no split is better by more than the allowed gap"
    return text + "."


def validation(facts: Mapping[str, Any]) -> str | None:
    """Return what the rules of the tables found."""
    of = facts["validation"]
    if not of.get("verdict"):
        return None
    return (
        f"{of['asked']} rules were asked of the tables: {of['passed']} passed, {of['failed_error']} errors, "
        f"{of['failed_warning']} warnings, {of['failed_note']} notes; {of['not_applicable']} did not apply."
    )


def joined(lines: Iterable[str]) -> str:
    """Return sentences as one text."""
    return " ".join(lines)
