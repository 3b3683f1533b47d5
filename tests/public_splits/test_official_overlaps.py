"""Shared operations: never clean what is unknown, and never more left out than needed."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from scrubin.base.errors import SplitError
from scrubin.public_splits import catalogue
from scrubin.public_splits.datasets import dataset, names
from scrubin.public_splits.leak import leak, public_operations, smallest_cover
from scrubin.public_splits.relations import Block, Operations, Relations, Video, corpora, corpus, known
from scrubin.public_splits.selection import leak_of, select

PUBLIC = public_operations()


def found(train, test):
    train, test = ([train] if isinstance(train, str) else train), ([test] if isinstance(test, str) else test)
    sides = [[video for text in texts for video in select(text).videos] for texts in (train, test)]
    return leak(*sides, PUBLIC, known())


def ids(videos):
    return {video.id for video in videos}


# --- the facts ---


@pytest.mark.slow
@each(
    "one, other, count",
    [
        ("cholect50", "cholec80", 45),
        ("cholect45", "cholec80", 45),
        ("cholectrack20", "cholec80", 15),
        ("cholectrack20", "cholect50", 14),
        ("cholectrack20", "cholect50/challenge:test", 5),
        ("cholecinstanceseg:train", "cholect50/challenge:test", 5),
        ("cholecinstanceseg:train", "cholectrack20", 13),
        ("cholecseg8k", "cholec80", 17),
        ("cholecseg8k", "cholect50", 10),
        ("cholec80-cvs", "cholec80", 80),
        ("endoscapes", "cholec80", 6),
        ("endoscapes", "cholect50", 6),
        ("endoscapes:train", "cholec80", 5),
        ("endoscapes:val", "cholec80", 1),
        ("endoscapes", "cholectrack20", 3),
        ("cholec80/40-40:train", "cholect50/rdv:test", 4),
        ("cholec80/40-40:train", "cholec80-cvs:test", 12),
        ("cholecinstanceseg", "cholec80", 80),
        ("cholecinstanceseg", "cholect50", 50),
        ("cholecinstanceseg", "cholecseg8k", 17),
        ("cholecinstanceseg", "cholectrack20", 20),
        ("cholecinstanceseg:train", "cholec80/40-40:test", 22),
        ("cholectrack20:train", "cholec80/40-40:train", 8),
        ("cholecseg8k/endovit:train", "cholectrack20:test", 2),
        ("grasp:train", "psi-ava", 8),
        ("grasp", "prostatd", 8),
        ("ssg-vqa", "cholect50/rdv:test", 9),
        ("prostatd", "psi-ava", 8),
        ("prostatd", "esad", 4),
        ("gensurgery", "surgenet-youtube", 1),
    ],
)
def test_known_overlaps_have_their_sizes(one, other, count):
    said = found(one, other)
    assert (len(said.shared), said.verdict) == (count, "overlap")


def test_every_stated_count_is_that_of_the_lists():
    from scrubin.public_splits import datasets

    for fact in datasets.document("relations.json")["same_ids"]:
        one, other = fact["datasets"]
        assert len(set(dataset(one).videos) & set(dataset(other).videos)) == fact["count"]


@each(
    "one, other",
    [
        ("cholec80/40-40:train", "cholec80/40-40:test"),
        ("cholect50/cv@1:train", "cholect50/cv@1:test"),
        ("cholec80/40-40:train", "m2cai16-tool"),
        ("cholec80", "cholect50/challenge:test"),
        ("cholecseg8k", "cholect50/challenge:test"),
        ("cholec80", "prostatd"),
        ("prostatd", "m2cai16-workflow"),
        ("endoscapes:1,2,3", "cholec80/40-40:train"),
        ("multibypasst40:released", "multibypasst40:hidden"),
        ("heichole", "cholec80"),
        ("heichole", "m2cai16-workflow"),
        ("autolaparo", "cholec80"),
        ("cholecinstanceseg:not-train", "cholect50/challenge:test"),
        ("grasp:test", "psi-ava"),
        ("sar-rarp50", "cholec80"),
        ("jigsaws", "cholec80"),
        ("imagenet-1k", "multibypasst40"),
        ("selfsupsurg", "cholec80/40-8-32:test"),
    ],
)
def test_what_is_completely_known_is_clean(one, other):
    said = found(one, other)
    assert (said.verdict, said.fix) == ("clean", None)


@pytest.mark.slow
@each(
    "one, other",
    [
        ("m2cai16-workflow", "cholec80"),
        ("m2cai16-workflow", "m2cai16-tool"),
        ("multibypasst40", "multibypass140"),
        ("multibypasst40", "cholec80"),
        ("multibypass140", "prostatd"),
        ("endoscapes:test", "cholec80"),
        ("endoscapes:test", "cholecseg8k"),
        ("endoscapes:162-201", "m2cai16-tool"),
        ("heichole", "cholect50"),
        ("heichole:test", "cholect50/challenge:test"),
        ("multibypass140", "cholec80"),
        ("multibypass140", "m2cai16-workflow"),
        ("autolaparo", "cholect50/challenge:test"),
        ("grasp", "sar-rarp50"),
        ("grasp:test", "prostatd"),
        ("sar-rarp50", "prostatd"),
        ("pitvis", "cholec80"),
        *[(corpus, "cholec80") for corpus in ("lemon", "surglavi", "surglavi-beta", "gensurgery", "surgatlas", "svl", "surgenet-youtube")],
    ],
)
def test_what_is_unknown_is_unverified_both_ways(one, other):
    assert found(one, other).verdict == found(other, one).verdict == "unverified"
    assert found(one, other).unverified


def test_transitive_pairs_are_shared():
    """Endoscapes 2 is Cholec80 68, which is CholecT50 68; Endoscapes 10 is CholecT50 96, which is CholecTrack20 96."""
    assert PUBLIC.members(Video("endoscapes", "10")) >= {Video("cholectrack20", "96"), Video("cholecinstanceseg", "96")}
    assert PUBLIC.members(Video("endoscapes", "2")) == {
        Video(name, "68") for name in ("cholec80", "cholec80-cvs", "cholecinstanceseg", "cholect50", "cholect45", "ssg-vqa")
    } | {Video("endoscapes", "2")}


@each(
    "train, test, at_least, verdict",
    [
        ("m2cai16-tool", "cholec80:61", [1], "overlap"),
        # One of 61 62 64 65 66 is M2CAI16-tool 11; nobody says which.
        ("m2cai16-tool:11", "cholec80:61", [0], "unverified"),
        ("m2cai16-tool:11", "cholec80:61,62,64,65,66", [1], "overlap"),
        ("m2cai16-tool:11-13", "cholec80:61,62,64", [1], "overlap"),
        ("m2cai16-tool:1", "cholec80:61", [], "clean"),
    ],
)
def test_sets_without_a_known_pairing_are_certain_only_when_they_must_meet(train, test, at_least, verdict):
    got = found(train, test)
    assert ([block.at_least for block in got.sets], got.verdict, got.shared) == (at_least, verdict, ())


def test_all_of_a_set_without_a_known_pairing_are_met_by_all_of_the_other():
    assert sum(block.at_least for block in found("m2cai16-tool", "cholec80/40-40:test").sets[:2]) == 15


def test_endoscapes_and_m2cai_meet_through_cholec80():
    both = found("endoscapes:train", "m2cai16-tool")
    assert both.verdict == "overlap"
    assert [(ids(block.train), block.at_least) for block in both.sets] == [({"1", "2", "3", "4", "7"}, 5)]
    assert ids(both.fix.smallest_train) == {"1", "2", "3", "4", "7"}
    assert both.fix.smallest_test == ()
    assert len(both.fix.from_test) == 10
    assert both.fix.then == "unverified"


def test_the_example_of_the_readers():
    got = found("cholec80/40-40:train", "cholect50/rdv:test")
    assert [ids(shared.train) for shared in got.shared] == [{"6"}, {"10"}, {"14"}, {"32"}]
    assert [video.id for video in got.fix.smallest_train] == ["6", "10", "14", "32"]
    assert got.fix.then == "clean"


def test_copies_in_training_make_the_test_side_the_smallest_fix():
    got = found(["cholec80:68", "cholect50:68"], "endoscapes:2")
    assert (ids(got.fix.from_train), ids(got.fix.smallest_test), got.fix.smallest_train) == ({"68"}, {"2"}, ())
    assert len(got.fix.from_train) == 2


# --- properties ---

ALL = [video for name in names() for video in select(name).videos]
SOME = st.lists(st.sampled_from(ALL), min_size=1, max_size=25)
OF_STRASBOURG = "cholec80 cholec80-cvs cholecinstanceseg cholecseg8k cholect45 cholect50 cholectrack20 m2cai16-tool ssg-vqa"
COMPLETE_HERE = {frozenset(pair) for pair in itertools.combinations_with_replacement(OF_STRASBOURG.split(), 2)}
KNOWN_ELSEWHERE = {frozenset(["prostatd", "psi-ava"]), frozenset(["grasp", "psi-ava"]), frozenset(["gensurgery", "surgenet-youtube"])}
COMPLETE_HERE |= KNOWN_ELSEWHERE
# Recorded in hospitals that are not the same: Hong Kong, and Heidelberg, against Strasbourg, Bern and Munich.
OTHER_HOSPITALS = ("cholec80", "cholec80-cvs", "cholecseg8k", "cholect45", "m2cai16-tool", "multibypass140", "ssg-vqa")
COMPLETE_HERE |= {frozenset([apart, name]) for apart in ("autolaparo", "heichole") for name in (*OTHER_HOSPITALS, "m2cai16-workflow")}
COMPLETE_HERE |= {frozenset(["autolaparo", "heichole"])}
COMPLETE_HERE |= {frozenset(["imagenet-1k", name]) for name in names()}


@given(SOME, SOME)
def test_the_verdict_is_symmetric(train, test):
    there, back = leak(train, test, PUBLIC, known()), leak(test, train, PUBLIC, known())
    assert there.verdict == back.verdict
    assert {(shared.train, shared.test) for shared in there.shared} == {(shared.test, shared.train) for shared in back.shared}
    assert (there.fix is None) == (back.fix is None)
    if there.fix:
        assert (there.fix.from_train, there.fix.from_test) == (back.fix.from_test, back.fix.from_train)


@given(SOME, SOME, SOME)
def test_more_videos_never_turn_an_overlap_or_a_doubt_into_clean(train, test, more):
    before, after = leak(train, test, PUBLIC, known()), leak([*train, *more], test, PUBLIC, known())
    assert before.verdict == "clean" or after.verdict != "clean"
    assert before.verdict != "overlap" or after.verdict == "overlap"


OPERATIONS = ("cholecystectomy", "prostatectomy", "gastric bypass", "hysterectomy")
NEVER_THE_SAME = {frozenset(["cholecystectomy", "prostatectomy"]), *(frozenset(["bench-top tasks", kind]) for kind in OPERATIONS)}
PAIRS = list(itertools.combinations_with_replacement(names(), 2))
QUICK = [pair for pair in PAIRS if "cholec80" in pair or pair[0] == pair[1] or frozenset(pair) in KNOWN_ELSEWHERE]


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [QUICK, pytest.param(sorted({*PAIRS} - {*QUICK}), marks=pytest.mark.slow)], ids=["quick", "others"])
def test_whole_datasets_are_never_clean_without_a_complete_relation(pairs):
    for one, other in pairs:
        kinds = {dataset(one).kind, dataset(other).kind}
        complete = frozenset([one, other]) in COMPLETE_HERE or frozenset(kinds) in NEVER_THE_SAME
        got = found(one, other)
        assert complete or got.verdict != "clean", (one, other)
        assert bool(got.unverified) == (not complete and one != other), (one, other)


@given(SOME, SOME)
def test_after_the_fix_nothing_known_is_shared(train, test):
    fix = leak(train, test, PUBLIC, known()).fix
    if fix is None:
        return
    for at, drop in enumerate(((fix.smallest_train, fix.smallest_test), (fix.from_train, ()), ((), fix.from_test))):
        kept = [[video for video in side if video not in dropped] for side, dropped in zip((train, test), drop, strict=True)]
        after = leak(*kept, PUBLIC, known())
        assert (after.verdict != "overlap", after.shared, after.sets) == (True, (), ())
        assert at or fix.then == after.verdict


def a_world():
    """Videos of three datasets, random pairs, and a set of two that pair in an unknown order."""
    videos = st.builds(Video, st.sampled_from("ABC"), st.sampled_from("12345"))
    pairs = st.lists(st.tuples(videos, videos).filter(lambda pair: pair[0].dataset != pair[1].dataset), max_size=6)
    complete = st.sets(st.sampled_from([frozenset("AB"), frozenset("AC"), frozenset("BC")]))
    block = Block(frozenset([Video("A", "4"), Video("A", "5")]), frozenset([Video("C", "1"), Video("C", "2")]), "somebody")
    facts = (pairs.map(tuple), st.sampled_from([(), (block,)]), complete.map(frozenset))
    return st.builds(Relations, *facts), st.lists(videos, min_size=1, max_size=6, unique=True)


WORLDS, SIDES = a_world()


@given(WORLDS, SIDES, SIDES)
def test_the_fix_is_the_smallest_of_all(world, train, test):
    operations = Operations(world, {})
    got = leak(train, test, operations, world)
    edges = [(a, b) for a in train for b in test if operations.relation(a, b) in ("same", "paired")]
    if not edges:
        assert got.fix is None
        return
    size = len(got.fix.smallest_train) + len(got.fix.smallest_test)
    assert all(a in got.fix.smallest_train or b in got.fix.smallest_test for a, b in edges)
    nodes = [("train", v) for v in train] + [("test", v) for v in test]
    for chosen in itertools.combinations(nodes, size - 1):
        assert not all(("train", a) in chosen or ("test", b) in chosen for a, b in edges)


@given(WORLDS, SIDES, SIDES)
def test_relations_are_symmetric_and_a_pair_is_never_different(world, train, test):
    operations = Operations(world, {})
    for one, other in itertools.product(train, test):
        assert operations.relation(one, other) == operations.relation(other, one)
        if other in operations.members(one):
            assert operations.relation(one, other) == "same"
    for one, other in world.links:
        assert operations.relation(one, other) == "same"


@given(SIDES, SIDES)
def test_without_facts_only_one_dataset_is_clean(train, test):
    nothing = Relations(())
    verdict = leak(train, test, Operations(nothing, {}), nothing).verdict
    assert (verdict == "overlap") == bool(set(train) & set(test))
    assert verdict != "clean" or len({video.dataset for video in [*train, *test]}) == 1


@given(st.dictionaries(st.integers(0, 5), st.lists(st.integers(0, 5), unique=True), max_size=6))
def test_the_cover_touches_every_edge_and_none_is_smaller(edges):
    left, right = smallest_cover(edges)
    pairs = [(a, b) for a, others in edges.items() for b in others]
    assert all(a in left or b in right for a, b in pairs)
    nodes = [(0, a) for a in edges] + [(1, b) for b in range(6)]
    smaller = len(left) + len(right) - 1
    if smaller >= 0:
        assert not any(all((0, a) in chosen or (1, b) in chosen for a, b in pairs) for chosen in itertools.combinations(nodes, smaller))


def test_of_equal_covers_the_training_side_is_taken():
    assert smallest_cover({"a": ["a"], "b": ["b"]}) == (frozenset("ab"), frozenset())


# --- what is named ---


@each(
    "text, count",
    [
        ("cholect50/challenge:trainval", 45),
        ("cholect50/challenge:train+test", 45),
        ("cholect50/cv", 50),
        ("cholect50/cv@2:Testing", 10),
        ("cholect50/cv:VID68,1", 2),
        ("cholec80:41-80", 40),
        ("cholec80-cvs:validation", 15),
        ("prostatd:ESADv1 psiv7", 2),
        ("dsad", 1),
        ("m2cai16-workflow:test", 14),
        ("multibypasst40", 3),
        ("cholecinstanceseg:train", 45),
        ("cholecinstanceseg:not-train", 40),
        ("cholecinstanceseg", 85),
        ("heichole:train", 24),
        ("heichole:test", 1),
        ("jigsaws:knot-tying", 36),
        ("jigsaws/suturing-louo@7:test", 4),
        ("endoscapes", 201),
    ],
)
def test_selections(text, count):
    assert len(select(text).videos) == count


@each(
    "text, message",
    [
        ("cholec80/40-40:tran", r"'tran' is no subset; did you mean 'train'\?"),
        ("cholec80/40-40:val", r"'val' is no subset; known are train, test"),
        ("cholect50/cv:train", r"its folds are 1 to 5; name one, such as cholect50/cv@1:train"),
        ("cholect50/cv@0:train", r"'0' is no fold of 'cholect50/cv'; its folds are 1 to 5"),
        ("cholec80/40-40@1:train", r"'1' is no fold of 'cholec80/40-40'; it has no folds"),
        ("cholec80:train", r"'cholec80' is a whole dataset and has no subset 'train'; name one of its splits"),
        ("cholec80:99", r"'99' is no video of 'cholec80', which has 80 videos from 1 to 80"),
        ("cholec80:9-3", r"'9-3' is no range"),
        ("cholec80/4fold@1:7", r"'7' is no video of 'cholec80', which has 40 videos from 41 to 80"),
        ("colec80", r"neither an official split nor a dataset nor a corpus; did you mean 'cholec80'\?"),
        ("cholec80@1", r"'cholec80' is a dataset without folds; leave out '@1'"),
        ("cholec80:", r"names no subset after ':'"),
        ("", r"'' names nothing; write NAME:SUBSET"),
    ],
)
def test_what_is_not_there_is_named_with_the_nearest(text, message):
    with pytest.raises(SplitError, match=message):
        select(text)


def test_every_official_split_is_clean_in_itself():
    for name in catalogue.available():
        for fold, placed in catalogue.load(name).placed.items():
            at = f"@{fold}" if fold else ""
            for one, other in itertools.combinations(placed, 2):
                assert found(f"{name}{at}:{one}", f"{name}{at}:{other}").verdict == "clean"


# --- corpora, of which it is published what is in them, or only how much ---


def asked(train, test):
    return leak_of([select(train)], [select(test)])


def test_every_corpus_is_of_datasets_that_there_are_and_has_sources_with_a_date():
    for name in corpora():
        stated = corpus(name)
        assert select(name).note.startswith(stated.about)
        for member in stated.members:
            select(member.selection)
            assert re.search(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", member.source), member.source
        for spelling in stated.weights:
            assert corpus(spelling.upper()) == stated
            assert corpus(spelling.replace("_", " ")) == stated


@each(
    "weights, test, verdict",
    [
        ("EndoViT_SPR", "cholec80/40-40:train", "overlap"),
        # Its Cholec80 part is clean; the other data sets are not known to be.
        ("EndoViT_SPR", "cholec80/40-40:test", "unverified"),
        ("EndoViT_ATD", "cholect45/cv@5:test", "unverified"),
        ("EndoViT_ATD", "cholect45/cv@1:test", "overlap"),
        ("EndoViT_Seg", "cholecseg8k:12,17,27,52", "unverified"),
        ("EndoViT_Seg", "cholecseg8k", "overlap"),
        ("PeskaVLP", "cholec80", "unverified"),
        ("surgenet-rarp", "prostatd", "overlap"),
        ("surgenet-rarp", "grasp:train", "overlap"),
        ("CholecTriplet2022", "cholect50/challenge:test", "clean"),
        ("CholecTriplet2022", "cholectrack20:test", "overlap"),
    ],
)
def test_weights_are_known_by_what_they_were_trained_on(weights, test, verdict):
    assert asked(weights, test).verdict == verdict


def test_when_only_the_number_is_published_so_many_are_shared_at_least():
    """SurgeNet has 76 of the 80 videos of Cholec80, and does not say which."""
    for videos, at_least in (("1-80", 76), ("41-80", 36), ("1-5", 1), ("1-4", 0)):
        got = asked("surgenet-cholec", f"cholec80:{videos}")
        assert [one.at_least for one in got.sets] == [at_least]
        assert got.verdict == ("overlap" if at_least else "unverified")
    assert asked("cholec80:1-40", "surgenet-cholec").sets[0].at_least == 36
    assert asked("surgenet-small", "cholec80").sets[0].at_least == 0


def test_doubts_about_a_corpus_never_become_clean():
    assert asked("surgenet-cholec", "prostatd").verdict == "unverified"
    assert asked("surgenet-cholec", "cholect50/challenge:test").verdict == "unverified"


def test_a_corpus_has_no_subset():
    with pytest.raises(SplitError, match="is a corpus and has no subset"):
        select("surgenet:train")
