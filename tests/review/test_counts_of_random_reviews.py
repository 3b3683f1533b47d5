"""Random reviews: what the certificate counts is what a small model counts, by frames and with nothing of the library."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from unittest import mock

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from scrubin.media.source import Source
from scrubin.stages.release.certificate import public_form
from scrubin.stages.review import Line, exchange, result
from scrubin.stages.review.desk import _spans
from scrubin.stages.review.events import Decided, Withdrawn, facts
from scrubin.stages.review.outcome import Proposed
from scrubin.stages.review.redaction_sheet import COLUMNS
from scrubin.stages.review.status import judged
from scrubin.stages.review.study import ReviewedStudy, StudyFile, _sheet_there

BOX = (8, 8, 24, 8)
SLOT = 100
"""So many frames, 5 s, has each proposal for itself: what is changed in one meets nothing of another."""
FILES = [("Rec", "mono"), ("Twin", "left"), ("Twin", "right")]
# By slot what stands there: its file, kind, place, who proposes it, and its frames.
PLACES = {
    "program": (FILES[0], "out_of_body", None, "appearance", range(40, 60)),
    "rectangle": (FILES[0], "text", BOX, "text", range(140, 160)),
    "gap": (FILES[0], "out_of_body", None, "gap", range(240, 250)),
    "sheet": (FILES[0], "other", None, "sheet", range(340, 360)),
    "imported": (FILES[0], "other", BOX, "inset", range(440, 460)),
    "drawn": (FILES[0], "black", None, "", range(540, 560)),
    "pair": (FILES[2], "out_of_body", None, "pair", range(40, 60)),
}
# Of these the programs find themselves what people are asked, or what is hidden around it.
FOUND = {
    "program": [PLACES["program"]],
    "rectangle": [PLACES["rectangle"]],
    "gap": [(*PLACES["gap"][:3], "appearance", frames) for frames in (range(220, 240), range(250, 270))],
    "imported": [PLACES["imported"]],
    "pair": [(FILES[1], *PLACES["pair"][1:3], "appearance", range(40, 60))],
}
TIMES_S = dict.fromkeys(FILES, np.arange(601) / 20)


def sheet(*slots):
    rows = [(PLACES[slot], slot) for slot in slots]
    lines = [
        f"{','.join(file)},{kind},{frames[0] / 20},{frames[-1] / 20 + 0.05},{','.join(map(str, box or ('',) * 4))},accept"
        for (file, kind, box, _, frames), _ in rows
    ]
    return "\n".join([",".join(COLUMNS), *lines, ""]).encode()


def reviewed_study(slots, there):
    files = {key: StudyFile(*key, Source.of_file(f"{key}.mp4", key[1]), (96, 64), 600, 30.0, (0.0, 30.0), "20", False) for key in FILES}
    proposals = {key: [] for key in FILES}
    for file, kind, box, source, frames in (one for slot in slots for one in FOUND.get(slot, ())):
        proposals[file].append(Proposed(kind, source, (frames[0] / 20, (frames[-1] + 1) / 20), box))
    names = {"Rec": ("mono",), "Twin": ("left", "right")}
    return ReviewedStudy(files, proposals, {}, "1", 1, 0.2, _sheet_there(there, files, set(names), ()))


class Review:
    """A ledger, and beside it what the model remembers of it: by line its file, kind, place and what it said of which frames."""

    def __init__(self, of):
        self.of, self.standing, self.lines, self.said = of, of.standing(), [], {}

    def append(self, name, event):
        line = Line(len(self.lines) + 1, "", f"2026-01-01T00:{len(self.lines):02d}:00Z", "ann", "", "", name, facts(event), "")
        self.lines.append(line)
        self.standing.apply([line])
        if isinstance(event, Decided):
            spans = [(span.what, range(span.first, span.last + 1)) for span in event.spans]
            self.said[line.number] = ((event.recording, event.camera), event.kind, event.box_xywh, spans)

    def decide(self, slot, what, moved):
        file, kind, box, source, frames = PLACES[slot]
        key, first, last = "", frames[0], frames[-1]
        if slot != "drawn":
            near = [one for one in judged(self.of, file, self.standing, TIMES_S) if one.first // SLOT == frames[0] // SLOT]
            asked = [one for one in near if one.proposal.source == source]
            if not asked:
                return
            key, first, last = asked[0].proposal.key, asked[0].first, asked[0].last
        target = first + moved[0], last + moved[1]
        if (what == "change" and (target[1] < target[0] or target[1] < first or last < target[0])) or (slot == "drawn") != (what == "add"):
            return
        spans = _spans(what, (first, last), target if what == "change" else (first, last), TIMES_S[file])
        self.append("decided", Decided(*file, self.of.files[file].sha256, kind, spans, box, "", key, "1"))

    def undo(self, back):
        if self.said:
            number = sorted(self.said)[-1 - back % len(self.said)]
            self.append("withdrawn", Withdrawn(number, "", undoable=True))
            del self.said[number]

    def import_sheet(self, data):
        for event in exchange.read_sheet(data, self.of, self.standing, TIMES_S, "ann").events:
            self.append("decided" if isinstance(event, Decided) else "imported", event)


def painted(said, place):
    """Return by frame what was said last of the kind and the rectangle of a place, around it as well."""
    last = {}
    for file, kind, box, spans in said.values():
        if (file, kind, box) == place[:3]:
            for what, frames in spans:
                last |= dict.fromkeys((frame for frame in frames if frame // SLOT == place[4][0] // SLOT), what)
    return last


def is_in_one_piece(said, slot):
    frames = sorted(frame for frame, what in painted(said, PLACES[slot]).items() if what == "accept")
    return frames == list(range(frames[0], frames[-1] + 1)) if frames else True


def counted_by_the_model(said, slots, imported):
    """Count each thing once: it is proposed, or it was drawn, or somebody accepted something of it that still counts."""
    counts = Counter()
    asked = [*((slot, one) for slot in slots for one in FOUND.get(slot, ())), *((slot, PLACES[slot]) for slot in {"gap", "pair"} & slots)]
    asked += [("sheet", PLACES["sheet"])] if "sheet" not in imported else []
    for _, place in asked:
        last = painted(said, place)
        states = {last.get(frame, "nothing") for frame in place[4]}
        is_so = {"proposed": True, "hidden": states != {"reject"}, "undecided": "nothing" in states, "shown": "reject" in states}
        counts += Counter({(place[0], place[1], name): int(is_there) for name, is_there in is_so.items()})
    for slot, place in PLACES.items():
        says = painted(said, place).values()
        if slot not in dict(asked) and "accept" in says:
            counts[place[0], place[1], "kept"] += 1
        counts[place[0], place[1], "drawn"] += int("add" in says)
    return +counts


OPS = st.tuples(
    st.sampled_from(sorted(PLACES)),
    st.sampled_from(["accept", "reject", "change", "change", "change", "add", "undo", "import"]),
    st.tuples(st.integers(-15, 15), st.integers(-15, 15)),
)
WIDER, WIDEST = (-5, 6), (-8, 6)


@given(
    before=st.booleans(),
    wishes=st.lists(OPS, max_size=8),
    lost=st.sets(st.sampled_from(sorted(FOUND))),
)
@example(before=False, wishes=[("program", "change", WIDER)], lost=set())
@example(before=False, wishes=[("program", "change", WIDER), ("program", "change", WIDEST), ("program", "reject", (0, 0))], lost=set())
@example(before=False, wishes=[("program", "change", WIDER), ("program", "change", WIDEST)], lost={"program"})
@example(before=False, wishes=[("gap", "change", WIDER), ("pair", "change", WIDER)], lost=set())
@example(before=False, wishes=[("sheet", "accept", (0, 0))], lost=set())
@example(before=True, wishes=[("imported", "change", WIDER)], lost=set())
def test_a_proposal_counts_once_in_the_certificate_whatever_people_said_of_it(before, wishes, lost):
    """Decisions, several changes of edges, sheets imported before and after; in the end the programs no longer find some of it."""
    slots, there = set(FOUND), sheet("sheet")
    review = Review(reviewed_study(slots, there))
    imported = {"imported"}
    if before:
        review.import_sheet(sheet("imported"))
    for slot, what, moved in wishes:
        if what == "undo":
            review.undo(abs(moved[0]))
        elif what == "import":
            review.import_sheet(there)
            imported |= {"sheet"}
        else:
            review.decide(slot, what, moved)
    # Between two stretches that people hide a gap is proposed, which is no program's loss.
    slots -= {slot for slot in lost if is_in_one_piece(review.said, slot)}
    review.of = reviewed_study(slots, there)
    with mock.patch.object(result, "FrameTimes", return_value=TIMES_S):
        document = result.document(review.of, review.standing, review.lines, Path("nowhere"))
    files = {(file["recording"], file["camera"]): file for one in document["recordings"] for file in one["files"]}
    counted = Counter()
    for key, file in files.items():
        for row in (*file["proposed"], *file["by_people"]):
            # What hides more in one camera than was asked is proposed in the other.
            if (key, row.get("source")) != (FILES[1], "pair"):
                counted += Counter({(key, row["kind"], name): row.get(name, 0) for name in public_form.COUNTS})
    assert +counted == counted_by_the_model(review.said, slots, imported)
    kinds = public_form.kinds(document)
    assert sum(of_kind["proposed"] for of_kind in kinds.values()) == public_form.coverage(document)["proposals"]
