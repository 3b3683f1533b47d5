"""The rules of every release, as its public form states them.

Their vocabulary passes in the documents about a release (``audit.permitted``), and nowhere else: a participant called like one of
these words is looked for in every other file. A test lists the vocabulary, so that it does not grow unseen.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrubin.release.certificate.clauses import ALL_LETTERS

REMOVED, RENAMED, HIDDEN, CHECKED = "removed", "renamed", "hidden", "checked"


@dataclass(frozen=True)
class Rule:
    """What was done with everything of a kind, and the clauses that it serves."""

    name: str
    action: str
    says: str
    serves: tuple[str, ...]


RULES = (
    Rule("sound", REMOVED, "no sound, subtitles or other streams: pictures only", ALL_LETTERS),
    Rule(
        "tags",
        REMOVED,
        "no tags, chapters, attachments, thumbnails, timecodes, or messages in the video stream (SEI)",
        ("A", "B", "C", "H", "M", "R"),
    ),
    Rule(
        "times",
        REMOVED,
        "every member of an archive has a fixed time; so has every file when it is released, and a later copy has its own",
        ("C",),
    ),
    Rule("columns", REMOVED, "no table has a column about participant, site, date, trial or source file", ("A", "B", "C", "H", "R")),
    Rule(
        "ids",
        RENAMED,
        "each recording has an invented id, drawn with a key that is not in the release; it is the same in all files",
        ("A", "B", "C", "H", "R", "164.514(c)", "GDPR 4(5)"),
    ),
    Rule("order", RENAMED, "rows, names and members are in the order of ids, never in that of the recordings", ("C", "R")),
    Rule(
        "pictures",
        HIDDEN,
        "programs search for scenes outside the body, faces, text, black and frozen pictures; what they propose is hidden until people "
        "reject it",
        (*ALL_LETTERS, "GDPR 25"),
    ),
    Rule("review", CHECKED, "who looked at the recordings before the release is stated below", (*ALL_LETTERS, "GDPR 25")),
    Rule(
        "audit of strings",
        CHECKED,
        "what can be read in any file, also inside archives, is searched again for the private strings of the study, and every byte for "
        "those that are too long to be there by chance",
        ("A", "B", "C", "H", "R", "GDPR 32"),
    ),
    Rule(
        "audit of files",
        CHECKED,
        "every file is parsed to its end; videos and frames by code that had no part in writing them",
        ("A", "B", "C", "H", "M", "P", "R", "GDPR 32"),
    ),
    Rule(
        "audit of pictures",
        CHECKED,
        "every frame of every video is decoded: what is hidden is black, and extracted frames are those of their video",
        (*ALL_LETTERS, "GDPR 32"),
    ),
    Rule(
        "audit of faces and text",
        CHECKED,
        "pictures of all scenes of the released videos are searched again, by programs: for faces by networks of their own, too; for text "
        "with private strings by the networks that proposed",
        ("A", "B", "C", "H", "Q", "R", "GDPR 32"),
    ),
    Rule("sample", CHECKED, "who looked at random clips of the finished release is stated below", (*ALL_LETTERS, "GDPR recital 26")),
)
AUDITED = (
    "The audit searches this file as every other one. If it finds anything, this file is removed again: where it is, and `SHA256SUMS` "
    "names it, the audit has passed."
)
NOT_PROVEN = (
    "that nobody can be recognised: whoever knows an operation can know its video, and what is unusual stays unusual",
    "that people and programs notice everything: they looked at single pictures, and something can escape them",
    "that any single clip is clean: a sample tells about the share of clips, as judged by those who looked",
    "that it has nothing which the study does not know of: the audit searches the private strings of the study",
    "that tables, scores and labels single out nobody, or that the length of a recording is in no other log",
    "that whoever has the key, the raw recordings or the decisions cannot name everybody: these must stay private",
    "that regulations are satisfied: consent, purpose and the opinion of an expert are not in this file",
)
