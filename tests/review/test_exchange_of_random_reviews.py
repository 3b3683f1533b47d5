"""Random proposals, people and sheets: what is hidden here is hidden where the export is imported, by rules that were written apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import review_study
from scrubin.stages.review import exchange, study
from scrubin.stages.review.events import Decided, DecidedSpan

BOXES = [None, (0, 0, 8, 8), (0, 0, 16, 16), (8, 8, 8, 8), (8, 0, 24, 16)]
SPANS = st.tuples(st.integers(0, 40), st.integers(1, 20)).map(lambda span: (span[0] / 20, (span[0] + span[1]) / 20))
PLACES = st.tuples(st.sampled_from(["left", "right"]), st.sampled_from(["text", "other", "out_of_body"]), SPANS, st.sampled_from(BOXES))


@pytest.fixture(scope="module")
def pair(study_to_review):
    return study.load(1, 0.2, study_to_review / "data/raw", study_to_review)


def painted(of, standing, but=""):
    """Return what is hidden, but for a source, as points: camera, step of 0.025 s, block of the picture."""
    points = set()
    for camera in ("left", "right"):
        for row in of.redactions(("pair", camera), standing):
            if not row["accepted"] or row["source"] == but:
                continue
            x, y, w, h = (0, 0, 96, 64) if row["x"] is None else (row["x"], row["y"], row["w"], row["h"])
            blocks = [(a, b) for a in range(12) for b in range(8) if x <= 8 * a < x + w and y <= 8 * b < y + h]
            # Steps between the ends of spans: no point lies on one.
            steps = [step for step in range(120) if row["start_s"] <= step / 40 + 0.0125 < row["end_s"]]
            points |= {(camera, step, block) for step in steps for block in blocks}
    return points


def decided(of, number, person, what, place, asked):
    camera, kind, span, box = place
    spans = (DecidedSpan(what, int(span[0] * 20), int(span[1] * 20) - 1, *span),)
    key = f"text:{kind}:asked" if asked else ""
    return number, (person, Decided("pair", camera, of.files["pair", camera].sha256, kind, spans, box, "", key, "1"))


@given(
    reviewers=st.integers(1, 2),
    proposals=st.lists(PLACES, max_size=3),
    decisions=st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["accept", "reject", "reject", "add"]), PLACES, st.booleans()), max_size=6
    ),
)
def test_nothing_that_is_hidden_here_is_shown_where_the_export_is_imported(pair, reviewers, proposals, decisions):
    by_file = {
        ("pair", camera): [study.Proposed(kind, "text", span, box) for side, kind, span, box in proposals if side == camera]
        for camera in ("left", "right")
    }
    of = replace(pair, reviewers=reviewers, proposals=by_file)
    here = of.standing()
    for number, (person, what, place, asked) in enumerate(decisions):
        # Who decides mostly decides about what is proposed.
        about = proposals[number % len(proposals)] if proposals and asked and what != "add" else place
        line, entry = decided(of, number, person, what, about, asked and what != "add")
        here.decided.setdefault(("pair", about[0]), {})[line] = entry
    text = exchange.sheet_text(of, here)
    elsewhere = replace(of, reviewers=1)
    there = elsewhere.standing()
    times_s = dict.fromkeys(of.files, np.arange(61) / 20)
    imported = exchange.read_sheet(text.encode(), elsewhere, there, times_s, "c")
    for number, event in enumerate(imported.events[:-1]):
        there.decided.setdefault((event.recording, event.camera), {})[number] = ("c", event)
    assert painted(of, here) <= painted(elsewhere, there)
    # What needs no rejection to be left out is all there.
    if reviewers == 1 and not any(what == "reject" for _, what, _, _ in decisions):
        assert painted(of, here) == painted(elsewhere, there)


# The rules of docs/lists.md once more, by steps of 0.05 s and blocks of 8 pixels, and with nothing of the library.
FILM_STEPS = 70


def blocks(box):
    x, y, w, h = box or (0, 0, 96, 64)
    return {(a, b) for a in range(x // 8, -(-(x + w) // 8)) for b in range(y // 8, -(-(y + h) // 8))}


def steps(span):
    return range(round(span[0] * 20), min(round(span[1] * 20), FILM_STEPS))


def is_about(what, box, asked, proposed):
    if what == "accept":
        return box is None or (proposed is not None and bool(blocks(box) & blocks(proposed)))
    if asked and box is None:
        return proposed is None
    return box is None or (proposed is not None and blocks(proposed) <= blocks(box))


def said_of(proposal, sayings):
    """Return by step what one person said last."""
    kind, span, box = proposal
    last = {}
    for said_kind, said_span, said_box, what, asked in sayings:
        if what != "add" and said_kind == kind and is_about(what, said_box, asked, box):
            last |= {step: what for step in steps(said_span) if step in steps(span)}
    return last


def hidden_by_the_rules(proposals, decisions, reviewers):
    """Return what is hidden as points, given what is proposed and ``(person, kind, span, box, what, asked)`` in order."""
    people = {"": [one[1:] for one in decisions]} if reviewers == 1 else {}
    if reviewers > 1:
        for who, *saying in decisions:
            people.setdefault(who, []).append(tuple(saying))
    points = set()
    for proposal in proposals:
        each = [said_of(proposal, sayings) for sayings in people.values()]
        for step in steps(proposal[1]):
            says = [one.get(step) for one in each]
            if "accept" in says or says.count("reject") < reviewers:
                points |= {(step, block) for block in blocks(proposal[2])}
    for sayings in people.values():
        for place, (kind, span, box, what, _) in enumerate(sayings):
            later = [
                one for one in sayings[place + 1 :] if one[0] == kind and one[3] == "reject" and is_about("reject", one[2], one[4], box)
            ]
            taken = {step for one in later for step in steps(one[1])} if what == "accept" else set()
            if what != "reject":
                points |= {(step, block) for step in set(steps(span)) - taken for block in blocks(box)}
    return points


def in_gaps(of, standing):
    rows = [row for row in of.redactions(("single", "mono"), standing) if row["source"] == "gap" and row["accepted"]]
    return {(step, block) for row in rows for step in steps((row["start_s"], row["end_s"])) for block in blocks(None)}


FILM_SPANS = st.tuples(st.integers(0, 55), st.integers(1, 20)).map(lambda span: (span[0] / 20, min(span[0] + span[1], FILM_STEPS) / 20))
FILM_PLACES = st.tuples(st.sampled_from(["text", "other"]), FILM_SPANS, st.sampled_from(BOXES))


@given(
    reviewers=st.integers(1, 2),
    proposals=st.lists(FILM_PLACES, min_size=1, max_size=3),
    wishes=st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from(["accept", "reject", "reject", "add"]), FILM_PLACES, st.integers(0, 2), st.booleans()
        ),
        max_size=6,
    ),
)
def test_by_the_rules_alone_an_export_shows_nothing_elsewhere_that_is_hidden_here(pair, reviewers, proposals, wishes):
    file = pair.files["single", "mono"]
    proposed = [study.Proposed(kind, "text", span, box) for kind, span, box in proposals]
    of = replace(pair, reviewers=reviewers, proposals={file.key: proposed})
    standing, decisions = of.standing(), []
    for number, (person, what, place, about, asked) in enumerate(wishes, start=1):
        kind, span, box = proposals[about % len(proposals)] if asked and what != "add" else place
        decisions.append((person, kind, span, box, what, asked and what != "add"))
        spans = (DecidedSpan(what, round(span[0] * 20), round(span[1] * 20) - 1, *span),)
        one = Decided(*file.key, file.sha256, kind, spans, box, "", "text:asked" if decisions[-1][5] else "", "1")
        standing.decided.setdefault(file.key, {})[number] = person, one
    here = hidden_by_the_rules(proposals, decisions, reviewers)
    rows = [line.split(",") for line in exchange.sheet_text(of, standing).splitlines()[1:]]
    typed = [
        ("c", kind, (float(start), float(end)), tuple(map(int, box)) if box[0] else None, what, False)
        for _, _, kind, start, end, *box, what in rows
    ]
    ordered = sorted(typed, key=lambda one: one[4] == "reject")
    elsewhere = replace(of, reviewers=1)
    there = elsewhere.standing()
    times_s = {key: np.arange(one.frame_count + 1) / 20 for key, one in of.files.items()}
    for number, event in enumerate(
        exchange.read_sheet(exchange.sheet_text(of, standing).encode(), elsewhere, there, times_s, "c").events[:-1]
    ):
        there.decided.setdefault(file.key, {})[number + 1] = "c", event
    assert here <= hidden_by_the_rules(proposals, ordered, 1) | in_gaps(elsewhere, there)


def typed(places):
    """Return rows of a sheet: what they decide, and where; the place ends with kind, span and rectangle."""
    rows = st.tuples(st.sampled_from(["accept", "reject", "reject", "add"]), places)
    return st.lists(rows.filter(lambda row: row[0] != "accept" or "text" not in row[1] or row[1][-1] is not None), min_size=1, max_size=4)


def typed_sheet(rows):
    lines = (
        f"{','.join(file or ('single', 'mono'))},{kind},{a},{b},{','.join(map(str, box or ('',) * 4))},{what}\n"
        for what, (*file, kind, (a, b), box) in rows
    )
    return (review_study.SHEET + "".join(lines)).encode()


@given(
    proposals=st.lists(PLACES, min_size=1, max_size=3), rows=typed(PLACES), moved=st.lists(st.tuples(*[st.integers(-5, 5)] * 2), max_size=3)
)
def test_of_what_is_proposed_a_sheet_shows_no_frame_that_its_rejections_do_not_cover(pair, proposals, rows, moved):
    """In neither camera: what one of them no longer hides is no longer proposed in the other."""
    by_file = {
        ("pair", camera): [study.Proposed(kind, "text", span, box) for side, kind, span, box in proposals if side == camera]
        for camera in ("left", "right")
    }
    of = replace(pair, proposals=by_file)
    there = of.standing()
    before = painted(of, there, but="gap")
    # Most rejections are of something that is proposed, but for some steps at its ends.
    moves = [
        (side, kind, (max(a + by / 20, 0), b + to / 20), box) for (side, kind, (a, b), box), (by, to) in zip(proposals, moved, strict=False)
    ]
    rows = [*rows, *(("reject", place) for place in moves if place[2][0] < place[2][1])]
    sheet = typed_sheet([(what, ("pair", *place)) for what, place in rows])
    events = exchange.read_sheet(sheet, of, there, dict.fromkeys(of.files, np.arange(61) / 20), "c").events
    for number, event in enumerate(events[:-1], start=1):
        there.decided.setdefault((event.recording, event.camera), {})[number] = "c", event
    covered = {half for what, (_, _, span, _) in rows if what == "reject" for step in steps(span) for half in (2 * step, 2 * step + 1)}
    assert {point for point in before if point[1] not in covered} <= painted(of, there)


@given(proposals=st.lists(FILM_PLACES, max_size=3), sheets=st.lists(typed(FILM_PLACES), min_size=1, max_size=3))
def test_the_last_sheet_that_is_imported_stands_whatever_was_imported_before(pair, proposals, sheets):
    """As if all its rows were written behind all others, and a second time it says nothing new."""
    key = ("single", "mono")
    of = replace(pair, proposals={key: [study.Proposed(kind, "text", span, box) for kind, span, box in proposals]})
    times_s = {one: np.arange(file.frame_count + 1) / 20 for one, file in of.files.items()}
    standing, before = of.standing(), of.standing()
    for text in (*map(typed_sheet, sheets), typed_sheet(sheets[0])):
        before.decided[key] = dict(standing.decided.get(key, {}))
        events = exchange.read_sheet(text, of, standing, times_s, "ann").events
        for event in events[:-1]:
            mine = standing.decided.setdefault(key, {})
            mine[len(mine) + 1] = "ann", event
        assert len(exchange.read_sheet(text, of, standing, times_s, "ann").events) == 1
    for event in exchange.read_sheet(text, of, of.standing(), times_s, "ann").events[:-1]:
        before.decided[key][len(before.decided[key]) + 1] = "ann", event
    assert painted_film(of, before) == painted_film(of, standing)


def painted_film(of, standing):
    rows = [row for row in of.redactions(("single", "mono"), standing) if row["accepted"]]
    boxes = [(row, None if row["x"] is None else tuple(row[name] for name in "xywh")) for row in rows]
    return {(step, block) for row, box in boxes for step in steps((row["start_s"], row["end_s"])) for block in blocks(box)}
