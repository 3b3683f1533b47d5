"""What people say at the label page, and what stands of it: blind, whole or not at all, undone without end, in source frames."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import labelled_study
import review_study
import sampled_release
from each import each
from labelled_study import FIRST, NONCES, PAIR, SINGLE, done, person, put, rate, say
from scrubin.base.errors import AnnotationError, ReviewError
from scrubin.base.files import sha256_of
from scrubin.base.store import store
from scrubin.base.tables import io
from scrubin.base.tables.private import PARTS, RECORDINGS
from scrubin.base.tables.public import VIDEOS
from scrubin.curate.label import events, people, progress, rewriting
from scrubin.curate.label.events import Span
from scrubin.curate.label.suspects import disputed

FRAMES = sampled_release.SINGLE_FRAMES


@pytest.fixture
def folk(bench, folder):
    """The two who label the single recording, one who does not, and the adjudicator."""
    assigned = bench.standing().assigned["single"]
    others = [number for number in (1, 2, 3) if number not in assigned]
    return [person(folder, number) for number in (*assigned, *others, 4)]


def spans(bench, who, layer="phases", id_=SINGLE):
    items = bench.view(who, id_)["items"].get(layer, {})
    return sorted((one["first"], one["end"], one["label"]) for one in items.values())


def test_a_label_is_kept_in_frames_of_the_source_with_its_hash_and_shown_in_released_ones(bench, folk, folder):
    say(bench, folk[0], put("a", 0, 30, "preparation"))
    assert spans(bench, folk[0]) == [(0, 30, "preparation")]
    line = json.loads((folder / events.LEDGER_PATH).read_text(encoding="utf-8").splitlines()[-1])
    (change,) = line["facts"]["changes"]
    assert (change["value"]["first"], change["value"]["end"]) == (FIRST, FIRST + 30)
    parts = io.records(io.read(PARTS, folder / "data/interim/parts.parquet"))
    assert line["facts"]["about"]["source_sha256"] == next(row["sha256"] for row in parts if row["recording"] == "single")
    assert line["by"] == str(folk[0].number)


def of_varying_rate(folder):
    """Let the single recording be one whose frames are not evenly apart."""
    path = folder / "data/interim/recordings.parquet"
    rows = io.read(RECORDINGS, path)
    rows["variable_rate"] = rows["recording"] == "single"
    io.write(RECORDINGS, rows, path)


@each("raw", ["there", "gone", "other"])
def test_where_the_rate_of_a_source_varies_its_times_are_those_of_the_released_video_whatever_became_of_the_raw_file(folder, raw):
    of_varying_rate(folder)
    for file in (folder / "data/raw/videos").iterdir() if raw != "there" else ():
        if raw == "gone":
            file.unlink()
        else:
            file.write_bytes(b"another file")
    with store.kept_in(folder / "store of another machine"):
        pictures = {id_: one.pictures for id_, one in labelled_study.opened(folder).recordings.items()}
    assert pictures[PAIR].boundaries_s is None
    times_s = pictures[SINGLE].boundaries_s
    assert len(times_s) == pictures[SINGLE].frame_count + 1
    assert times_s[FIRST] == 0
    assert np.diff(times_s) == pytest.approx(1 / sampled_release.FPS)


def test_a_film_that_closes_its_recording_is_read_again_only_when_it_is_another_file(bench, folder):
    film = folder / "data/release" / bench.recordings[SINGLE].videos["mono"].path
    data, asked = film.read_bytes(), []

    def read_s():
        asked.append(film.read_bytes())
        raise ReviewError("its film is another one")

    one = bench.recordings[SINGLE]
    one = replace(one, pictures=replace(one.pictures, read_s=read_s))
    done(bench)
    for content in (b"another file", data):
        film.write_bytes(content)
        assert [bench.settlement(one).closed for _ in range(3)] == ["its film is another one"] * 3
    film.unlink()
    assert asked == [b"another file", data]


@pytest.mark.parametrize(("varies", "is_listed"), [(True, False), (False, False), (True, True)])
def test_a_released_film_that_is_another_one_by_now_closes_its_own_recording_alone_and_says_what_to_run(folder, varies, is_listed):
    if varies:
        of_varying_rate(folder)
    bench = labelled_study.opened(folder)
    film = bench.recordings[SINGLE].videos["mono"].path
    (folder / "data/release" / film).write_bytes(b"another file")
    if is_listed:  # such as one that another version of the decoder read
        videos = io.read(VIDEOS, folder / "data/tables/videos.parquet")
        videos.loc[videos["path"] == film, "sha256"] = sha256_of(folder / "data/release" / film)
        io.write(VIDEOS, videos, folder / "data/tables/videos.parquet")
    stranger = person(folder, bench.standing().assigned["pair"][0])
    one, chief = labelled_study.annotator(bench), person(folder, 4)
    refused = rf"{film} cannot be read, or is another film than the one that was released; .* make repro, and starts 'scrubin label' again"
    with store.kept_in(folder / "store of another machine"):
        bench = labelled_study.opened(folder)
        done(bench)
        (summary,) = (of for of in bench.work(chief)["recordings"] if of["id"] == SINGLE)
        assert (summary["done"], bool(re.match(refused, summary["closed"]))) == (not varies, varies)
        with pytest.raises(ReviewError, match=refused):
            bench.released_times_s(SINGLE)
        for who in (one, chief) if varies else ():
            with pytest.raises(ReviewError, match=refused):
                bench.view(who, SINGLE)
        say(bench, stranger, put("a", 0, 3, "preparation"), id_=PAIR)
        done(bench, name="pair")
        (dispute,) = disputed.suspects(bench)
        assert dispute.recording == "pair"
        document = progress.document(bench)
        assert document["recordings"] == {"all": 2, "assigned": 2, "several": 2, "finished": 2, "complete": int(not varies)}
        assert document["agreement"]["phases"]["recordings"] == 1
        assert any(re.match(f"{SINGLE}: {refused}", line) for line in progress.lines(document))
        waiting = progress.export(bench)[1]
        assert waiting.pop(PAIR) == "an adjudicator settles 1 place"
        assert [bool(re.match(refused, why)) for why in waiting.values()] == [True] * varies


def test_nobody_sees_names_or_anybody_elses_labels(bench, folk, folder):
    one, other, stranger, _ = folk
    say(bench, one, put("a", 0, 30, "preparation"))
    seen = json.dumps([bench.work(other), bench.view(other, SINGLE)])
    assert spans(bench, other) == []
    for private in ("single", "pair", *labelled_study.NAMES, "P"):
        assert json.dumps(private) not in seen
    with pytest.raises(ReviewError, match="not yours to label"):
        bench.view(stranger, SINGLE)
    with pytest.raises(ReviewError, match="not yours to label"):
        say(bench, stranger, put("a", 0, 30, "preparation"))


def test_changes_are_all_kept_or_none(bench, folk):
    one = folk[0]
    with pytest.raises(AnnotationError, match="'preparatoin' is no phase"):
        say(bench, one, put("a", 0, 30, "preparation"), put("b", 30, 40, "preparatoin"))
    assert spans(bench, one) == []
    with pytest.raises(ReviewError, match="at the same time; end one before the other"):
        say(bench, one, put("a", 0, 30, "preparation"), put("b", 29, 40, "clipping-and-cutting"))
    say(bench, one, put("a", 0, 30, "preparation"))
    # An edge that both have moves in one step.
    say(bench, one, put("a", 0, 20, "preparation"), put("b", 20, 40, "clipping-and-cutting"))
    assert spans(bench, one) == [(0, 20, "preparation"), (20, 40, "clipping-and-cutting")]


@each("first, end", [(-1, 5), (5, 5), (9, 3), (0, FRAMES + 1), (FRAMES, FRAMES + 1)])
def test_frames_outside_of_the_video_are_refused(bench, folk, first, end):
    with pytest.raises(ReviewError, match=f"must lie in the {FRAMES} frames"):
        say(bench, folk[0], put("a", first, end, "preparation"))


def test_names_are_kept_as_the_vocabulary_spells_them(bench, folk):
    action = put("x", 3, 9, "Grasper", "actions", verb="Grasp", target="Gallbladder")
    say(bench, folk[0], put("a", 0, 30, "Calot Triangle Dissection"), action)
    assert spans(bench, folk[0]) == [(0, 30, "calot-triangle-dissection")]
    (action,) = bench.view(folk[0], SINGLE)["items"]["actions"].values()
    assert (action["label"], action["verb"], action["target"]) == ("grasper", "grasp", "gallbladder")


def test_a_wish_that_is_sent_twice_is_one_line(bench, folk):
    nonce = next(NONCES)
    lines = [bench.label(folk[0], SINGLE, [put("a", 0, 30, "preparation")], nonce) for _ in range(2)]
    assert lines[0] == lines[1]
    nonce = next(NONCES)
    done = bench.say_done(folk[0], SINGLE, nonce, done=True)
    bench.say_done(folk[0], SINGLE, next(NONCES), done=False)
    assert bench.say_done(folk[0], SINGLE, nonce, done=True) == done
    assert bench.view(folk[0], SINGLE)["recording"]["done"] is False


def test_what_was_written_before_the_server_ended_and_is_sent_again_is_written_and_undone_once(bench, folk, folder):
    said = [next(NONCES) for _ in range(3)]
    for nonce, end in zip(said, (10, 20, 30), strict=True):
        bench.label(folk[0], SINGLE, [put("a", 0, end, "preparation")], nonce)
    again = labelled_study.opened(folder)
    again.label(folk[0], SINGLE, [put("a", 0, 30, "preparation")], said[-1])
    undone = again.undo(folk[0], SINGLE, nonce := next(NONCES))
    assert labelled_study.opened(folder).undo(folk[0], SINGLE, nonce) == undone
    assert spans(bench, folk[0]) == [(0, 20, "preparation")]


steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("abc"), st.integers(0, 30), st.integers(1, 9)),
        st.tuples(st.just("drop"), st.sampled_from("abc"), st.just(0), st.just(0)),
        st.tuples(st.just("undo"), st.just(""), st.just(0), st.just(0)),
    ),
    max_size=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_undo_goes_back_step_by_step_through_all_that_was_kept(bench, folk, steps):
    """Against a list of states; each example goes on where the last one ended, from whatever stands then."""
    one = folk[1]
    while bench.undo(one, SINGLE, next(NONCES)) is not None:
        pass
    states = [bench.view(one, SINGLE)["items"].get("quality", {})]
    for what, key, first, length in steps:
        if what == "undo":
            undone = bench.undo(one, SINGLE, next(NONCES))
            assert (undone is None) == (len(states) == 1)
            states = states[:-1] if len(states) > 1 else states
        else:
            value = Span(first, first + length, "smoke") if what == "put" else None
            bench.label(one, SINGLE, [events.Change("quality", key, value)], next(NONCES))
            now = dict(states[-1])
            now.pop(key, None)
            states.append(
                {**now, key: {"first": first, "end": first + length, "label": "smoke", "verb": "", "target": ""}} if value else now
            )
        assert bench.view(one, SINGLE)["items"].get("quality", {}) == states[-1]


def test_a_changed_file_keeps_its_labels_apart(bench, folk, folder):
    say(bench, folk[0], put("a", 0, 30, "preparation"))
    changed = {
        id_: replace(one, pictures=replace(one.pictures, about=replace(one.about, source_sha256="f" * 64))) if id_ == SINGLE else one
        for id_, one in bench.recordings.items()
    }
    again = labelled_study.opened(folder, recordings=changed)
    view = again.view(folk[0], SINGLE)
    assert view["items"] == {}
    assert view["apart"] == 1


def test_a_score_is_a_point_of_the_scale_and_a_failed_recording_has_none(bench, folk):
    one = folk[0]
    say(bench, one, rate(depth_perception=3, efficiency=4, errors={"object_dropped": True}))
    for wrong in (rate(depth_perception=3.5), rate(speed=3), rate(errors={"fell": True}), rate(depth_perception=6)):
        with pytest.raises(ReviewError, match="is no aspect or error of this task, or its score is no point"):
            say(bench, one, wrong)
    with pytest.raises(ReviewError, match="a failed recording has no scores"):
        say(bench, one, rate(failed=True, depth_perception=1))


def test_what_looks_wrong_is_said_at_its_place_and_stops_nobody(bench, folk):
    one = folk[0]
    say(bench, one, put("a", 0, 3, "preparation"), put("b", 3, 200, "gallbladder-extraction"), put("c", 200, 260, "preparation"))
    say(bench, one, put("x", 5, 9, "grasper", "actions"), put("y", 5, 9, "clipper", "actions", verb="clip", target="liver"))
    found = [(one["layer"], one["rule"], one["first"], one["end"]) for one in bench.view(one, SINGLE)["findings"]]
    assert ("phases", "short", 0, 3) in found
    assert ("phases", "unlabelled", 260, FRAMES) in found
    assert ("phases", "transition", 3, 200) in found
    assert ("actions", "incomplete", 5, 9) in found
    assert ("actions", "triplet", 5, 9) in found
    assert ("ratings", "missing", 0, FRAMES) in found


def test_an_adjudicator_sees_disputes_without_names_once_all_are_done(bench, folk):
    one, other, _, chief = folk
    say(bench, one, put("a", 0, 100, "preparation"))
    say(bench, other, put("a", 0, 60, "preparation"), put("b", 60, 100, "clipping-and-cutting"))
    bench.say_done(one, SINGLE, next(NONCES), done=True)
    assert [of["id"] for of in bench.work(chief)["recordings"]] == []
    bench.say_done(other, SINGLE, next(NONCES), done=True)
    view = bench.view(chief, SINGLE)
    (dispute,) = view["disputes"]
    assert (dispute["first"], dispute["end"]) == (60, 100)
    assert sorted(dispute["said"]) == ["A", "B"]
    assert {one["label"] for answers in dispute["said"].values() for one in answers} == {"preparation", "clipping-and-cutting"}
    with pytest.raises(ReviewError, match="nobody disputes these frames"):
        labelled_study.settle(bench, chief, "phases", (50, 100), [])
    with pytest.raises(ReviewError, match="a span leaves the frames that are in dispute"):
        labelled_study.settle(bench, chief, "phases", (60, 100), [Span(50, 100, "preparation")])
    with pytest.raises(ReviewError, match="only an adjudicator settles"):
        labelled_study.settle(bench, one, "phases", (60, 100), [Span(60, 100, "preparation")])
    labelled_study.settle(bench, chief, "phases", (60, 100), [Span(60, 80, "clipping-and-cutting")])
    settled = bench.view(chief, SINGLE)
    assert [(span["first"], span["end"], span["label"]) for span in settled["agreed"]["phases"]] == [
        (0, 60, "preparation"),
        (60, 80, "clipping-and-cutting"),
    ]
    assert [of["open"] for of in settled["disputes"]] == [False]
    # What each said stays.
    assert spans(bench, one) == [(0, 100, "preparation")]


def test_nobody_worked_longer_than_time_has_passed(bench, folk):
    now = [100.0]
    bench.now_s = lambda: now[0]
    one = folk[0]
    bench.worked(one, SINGLE, 30, next(NONCES))
    now[0] += 10
    bench.worked(one, SINGLE, 500, next(NONCES))
    assert bench.standing().worked_s[one.number, "single"] == 30 + 10 + 5


def test_who_withdraws_leaves_the_labels_and_all_others_stay(bench, folk, folder):
    pair = next(one for one in (person(folder, n) for n in (1, 2, 3)) if one.number in bench.standing().assigned["pair"])
    say(bench, folk[0], put("a", 0, 30, "preparation"))
    say(bench, folk[0], put("a", 0, 20, "preparation"))
    bench.undo(folk[0], SINGLE, next(NONCES))
    say(bench, pair, put("p", 0, 10, "preparation"), id_=PAIR)
    ledger = rewriting.ledger_of(folder)
    assert rewriting.forget(ledger, {"single"})
    assert not rewriting.forget(ledger, {"single"})
    assert b'"single"' not in (folder / events.LEDGER_PATH).read_bytes()
    again = labelled_study.opened(folder)
    assert spans(again, pair, id_=PAIR) == [(0, 10, "preparation")]
    assert set(again.standing().assigned) == {"pair"}


@pytest.mark.parametrize("task", ["to label", "to settle"])
def test_who_withdraws_while_the_page_is_open_is_shown_and_labelled_no_more_and_given_to_nobody(bench, folk, folder, task):
    who = folk[0] if task == "to label" else folk[-1]
    if task == "to settle":
        done(bench)
    before = bench.standing().assigned["pair"]
    assert bench.view(who, SINGLE)
    withdrawn = review_study.withdraw(folder, "single", id_=SINGLE)
    assert SINGLE not in {one["id"] for one in bench.work(who)["recordings"]}
    for ask in (bench.view, bench.recording, bench.proposals):
        with pytest.raises(ReviewError, match="this recording is not yours"):
            ask(who, SINGLE)
    with pytest.raises(ReviewError, match="this recording is not yours"):
        say(bench, who, put("a", 0, 30, "preparation"))
    rewriting.forget(rewriting.ledger_of(folder), withdrawn)
    assert bench.assign() == {}
    again = labelled_study.opened(folder)
    assert list(again.recordings) == [PAIR]
    assert again.assign() == {}
    assert again.standing().assigned == {"pair": before}


def test_a_new_name_of_a_recording_takes_its_labels_along(bench, folk, folder):
    say(bench, folk[0], put("a", 0, 30, "preparation"))
    say(bench, folk[0], put("a", 0, 20, "preparation"))
    bench.undo(folk[0], SINGLE, next(NONCES))
    ledger = rewriting.ledger_of(folder)
    assert rewriting.lines_about(ledger, "single") == 4
    assert rewriting.rename(ledger, "single", "other")
    lines = ledger.lines()
    assert b'"single"' not in (folder / events.LEDGER_PATH).read_bytes()
    assert [line.facts.get("undoes") for line in lines if line.event == "labelled"] == [0, 0, 4]


def test_a_line_that_no_version_wrote_is_named(bench, folk, folder):
    bench.ledger.append("guessed", {"x": 1}, by="1", session="s")
    with pytest.raises(ReviewError, match="line 2 of the labels is none that this version knows"):
        labelled_study.opened(folder).standing()


def test_after_a_rename_nothing_is_labelled_or_exported_before_the_next_run_has_the_new_name(folder):
    """The labels have the new name already; what is known of the release has the old one, of which nobody labels anything."""
    names = sorted(one.name for one in labelled_study.opened(folder).recordings.values())
    path = folder / "data/raw/recordings.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["recording", *names]))
    assert labelled_study.opened(folder).recordings
    path.write_text("\n".join(["recording", "another", *names[1:]]))
    with pytest.raises(ReviewError, match=rf"no longer has '{names[0]}', which the last run released: .*, run: make repro"):
        labelled_study.opened(folder)


@pytest.mark.parametrize("change", ["fewer people", "another role", "labels of somebody else", "shut out"])
def test_a_ledger_beside_the_people_of_another_clone_is_refused_and_who_was_shut_out_is_none_of_them(bench, folk, folder, change):
    say(bench, folk[0], put("a", 0, 30, "preparation"))
    listed, number = folder / people.PATH, folk[0].number
    rows = listed.read_text(encoding="utf-8").splitlines(keepends=True)
    if change == "fewer people":
        listed.write_text("".join(row for row in rows if not row.startswith(f"{number},")), encoding="utf-8")
    elif change == "another role":
        rows[number] = rows[number].replace("annotator", "adjudicator")
        listed.write_text("".join(rows), encoding="utf-8")
    elif change == "labels of somebody else":
        number = folk[2].number
        bench.ledger.append("done", {"recording": "single", "done": True}, by=str(number), session="s")
    else:
        people.shut_out(folk[0].name, listed)
    refusal = pytest.raises(
        ReviewError, match=rf"annotator {number} .* of two clones; bring both from one; .* one study is labelled in one folder"
    )
    with nullcontext() if change == "shut out" else refusal:
        labelled_study.opened(folder)
