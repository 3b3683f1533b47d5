"""The rules of every release as its public form states them, each with the clauses of the law that it serves.

Sources: 45 CFR 164.514, https://www.ecfr.gov/current/title-45/section-164.514; Regulation (EU) 2016/679,
https://eur-lex.europa.eu/eli/reg/2016/679/oj.

Their vocabulary passes in the documents about a release (``audit.permitted``), and nowhere else: a participant called like one of
these words is looked for in every other file. A test lists the vocabulary, so that it does not grow unseen.
"""

from __future__ import annotations

from dataclasses import dataclass

SAFE_HARBOR = "45 CFR 164.514(b)(2)(i)"
ALL_LETTERS = tuple("ABCDEFGHIJKLMNOPQR")
IN_A_PICTURE = "only if it is burned into the picture or spoken: the sound is removed, for the picture see the rules on text and review"


@dataclass(frozen=True)
class Clause:
    """A clause: what it names, and what that is in a video dataset."""

    reference: str
    says: str
    here: str


CLAUSES = (
    Clause("A", "names", "in tags, file names, tables, sound and text in the picture; ids replace them"),
    Clause("B", "geographic subdivisions smaller than a state", "positions in tags; file names, tables, sound, text in the picture"),
    Clause("C", "all elements of dates but the year, and ages over 89", "in tags, timecodes, file times and names, clocks in the picture"),
    Clause("D", "telephone numbers", IN_A_PICTURE),
    Clause("E", "fax numbers", IN_A_PICTURE),
    Clause("F", "electronic mail addresses", IN_A_PICTURE),
    Clause("G", "social security numbers", IN_A_PICTURE),
    Clause("H", "medical record numbers", "in tags, file names and text in the picture; spoken"),
    Clause("I", "health plan beneficiary numbers", IN_A_PICTURE),
    Clause("J", "account numbers", IN_A_PICTURE),
    Clause("K", "certificate and license numbers", IN_A_PICTURE),
    Clause("L", "vehicle identifiers and license plates", IN_A_PICTURE),
    Clause("M", "device identifiers and serial numbers", "in tags and messages of the encoder; on screens and devices in the picture"),
    Clause("N", "web addresses", IN_A_PICTURE),
    Clause("O", "IP addresses", IN_A_PICTURE),
    Clause("P", "biometric identifiers, finger and voice prints", "voices in the sound"),
    Clause("Q", "full-face photographs and comparable images", "faces outside the body, or reflected"),
    Clause(
        "R",
        "any other unique identifying number, characteristic or code",
        "names and order of files, lengths; what is rare stays rare",
    ),
)
ARTICLES = (
    Clause("164.514(b)(2)(ii)", "no actual knowledge that what is left could identify somebody", "for people to say: not proven here"),
    Clause(
        "164.514(c)",
        "a code to find the record again is not derived from information about the person, and its mechanism is not disclosed",
        "ids are drawn by a secret key over the curator's own names of recordings; the key is not released",
    ),
    Clause("GDPR 4(5)", "pseudonymisation: additional information is kept apart", "key and linkage stay private"),
    Clause(
        "GDPR 25",
        "data protection by design and by default",
        "what is proposed is hidden until rejected; what people looked at before the release is stated",
    ),
    Clause("GDPR 32", "security of processing, tested regularly", "the audit of every release; a sample, where one was drawn"),
    Clause(
        "GDPR recital 26",
        "identifiable by means reasonably likely to be used",
        "a sample, where one was drawn; the lengths, and what is not proven",
    ),
)

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
        "every file is parsed to its end, and text is searched behind each picture; videos and frames by code that had no part in "
        "writing them",
        ("A", "B", "C", "H", "M", "P", "R", "GDPR 32"),
    ),
    Rule(
        "audit of pictures",
        CHECKED,
        "every frame of every video is decoded: what is hidden is black, and extracted frames are those of their video",
        (*ALL_LETTERS, "GDPR 32"),
    ),
    Rule(
        "audit of masks and points",
        CHECKED,
        "no mask and no point in the tables shows what is inside the black rectangles of its frame, one pixel of each edge left out, or is "
        "of a black frame; boxes are not checked",
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
    "that nothing stands behind the compressed data of a picture: text is searched there, and other bytes can look like these data",
    "that tables, scores and labels single out nobody, or that the length of a recording is in no other log",
    "that whoever has the key, the raw recordings or the decisions cannot name everybody: these must stay private",
    "that regulations are satisfied: consent, purpose and the opinion of an expert are not in this file",
)
