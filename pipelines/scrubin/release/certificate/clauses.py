"""The clauses of the law that the rules serve. Their names stand in the private form alone: a word of the release is a public word.

Sources: 45 CFR 164.514, https://www.ecfr.gov/current/title-45/section-164.514; Regulation (EU) 2016/679,
https://eur-lex.europa.eu/eli/reg/2016/679/oj.
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
