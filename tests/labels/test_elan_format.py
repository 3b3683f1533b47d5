"""ELAN: what tiers say, times that are missing or shared, and what is refused."""

from fractions import Fraction

import pytest

from each import each
from label_examples import EXAMPLES, faults_of, read_files, write_files
from scrubin.base.errors import AnnotationError
from scrubin.labels.formats.programs.elan import SUFFIX
from scrubin.labels.rates import NS

MS = NS // 1000


def eaf(tiers, slots, header="", tail=""):
    """Return a document of tiers: name with attributes -> annotations, each of attributes and a value."""
    order = "".join(f'<TIME_SLOT TIME_SLOT_ID="{name}"{"" if at is None else f" TIME_VALUE={str(at)!r}"}/>' for name, at in slots.items())
    text = ""
    for attributes, annotations in tiers.items():
        inner = "".join(
            f"<ANNOTATION><{'REF' if 'ANNOTATION_REF' in of else 'ALIGNABLE'}_ANNOTATION {of}><ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>"
            f"</{'REF' if 'ANNOTATION_REF' in of else 'ALIGNABLE'}_ANNOTATION></ANNOTATION>"
            for of, value in annotations
        )
        text += f"<TIER {attributes}>{inner}</TIER>"
    head = f'<HEADER TIME_UNITS="milliseconds">{header}</HEADER><TIME_ORDER>{order}</TIME_ORDER>'
    return {f"a/op{SUFFIX}": f'<?xml version="1.0"?><ANNOTATION_DOCUMENT>{head}{text}{tail}</ANNOTATION_DOCUMENT>'.encode()}


def aligned(name, start, end):
    return f'ANNOTATION_ID="{name}" TIME_SLOT_REF1="{start}" TIME_SLOT_REF2="{end}"'


def spans_ms(files, **options):
    """Return the segments of a file: label, start and end in milliseconds."""
    (labels,) = read_files("elan", files, **options).recordings
    rows = labels.segments.itertuples(index=False)
    return [(labels.vocabulary.names(kind)[id_], Fraction(start, MS), Fraction(end, MS)) for kind, start, end, id_ in rows]


PHASES = 'TIER_ID="Phases@AB" LINGUISTIC_TYPE_REF="t"'


def test_an_instant_without_a_time_lies_evenly_between_its_neighbours():
    slots = {"t1": 0, "t2": None, "t3": None, "t4": 900, "other": 100}
    files = eaf({PHASES: [(aligned(f"a{i}", f"t{i}", f"t{i + 1}"), "preparation") for i in (1, 2, 3)]}, slots)
    assert [span[1:] for span in spans_ms(files)] == [(0, 300), (300, 600), (600, 900)]
    assert "3 labels with an instant that has no time" in faults_of("elan", files)[0].sentence


def test_an_instant_without_any_neighbour_that_has_a_time_is_an_error():
    files = eaf({PHASES: [(aligned("a1", "t1", "t2"), "preparation")]}, {"t1": 0, "t2": None})
    with pytest.raises(AnnotationError, match=r"tier 'Phases@AB', annotation a1: an instant has no time"):
        read_files("elan", files)


def test_labels_that_refer_to_one_label_share_its_time():
    of = 'TIER_ID="steps" PARENT_REF="Phases@AB" LINGUISTIC_TYPE_REF="t"'
    shared = [('ANNOTATION_ID="b2" ANNOTATION_REF="a1" PREVIOUS_ANNOTATION="b1"', "two"), ('ANNOTATION_ID="b1" ANNOTATION_REF="a1"', "one")]
    files = eaf({PHASES: [(aligned("a1", "t1", "t2"), "main")], of: shared}, {"t1": 100, "t2": 300})
    assert sorted(spans_ms(files)) == [("main", 100, 300), ("one", 100, 200), ("two", 200, 300)]


def test_the_offset_of_the_medium_of_the_recording_is_added():
    media = "".join(f'<MEDIA_DESCRIPTOR MEDIA_URL="file:///x/{name}.mp4" TIME_ORIGIN="{ms}"/>' for name, ms in (("room", 7), ("op", 250)))
    files = eaf({PHASES: [(aligned("a1", "t1", "t2"), "preparation")]}, {"t1": 100, "t2": 300}, media)
    assert spans_ms(files) == [("preparation", 350, 550)]
    assert "those of medium 1, 'op'" in faults_of("elan", files)[0].sentence


def test_the_entry_of_a_controlled_vocabulary_counts():
    entry = '<CV_ENTRY_ML CVE_ID="c1"><CVE_VALUE LANG_REF="en">preparation</CVE_VALUE></CV_ENTRY_ML>'
    tail = f'<CONTROLLED_VOCABULARY CV_ID="v">{entry}</CONTROLLED_VOCABULARY>'
    named = [(f'{aligned("a1", "t1", "t2")} CVE_REF="c1"', ""), (f'{aligned("a2", "t2", "t3")} CVE_REF="c1"', "prep")]
    files = eaf({PHASES: named}, {"t1": 0, "t2": 40, "t3": 80}, tail=tail)
    assert [span[0] for span in spans_ms(files)] == ["preparation", "preparation"]
    assert "annotation a2: it says 'prep'" in faults_of("elan", files)[0].sentence


def test_a_tier_of_another_name_is_what_the_vocabulary_says_or_is_named_as_not_kept():
    tiers = {
        'TIER_ID="Ablauf"': [(aligned("a1", "t1", "t2"), "preparation")],
        'TIER_ID="remarks"': [(aligned("a2", "t1", "t2"), "blurred")],
    }
    files = eaf(tiers, {"t1": 0, "t2": 40})
    assert spans_ms(files) == [("preparation", 0, 40)]
    assert [fault.sentence for fault in faults_of("elan", files)] == [f"a/op{SUFFIX}: not kept: tier 'remarks' (1 label)"]


def test_no_tier_of_surgery_is_refused_with_what_to_do():
    files = eaf({'TIER_ID="K-Spch"': [(aligned("a1", "t1", "t2"), "so you go")]}, {"t1": 0, "t2": 40})
    with pytest.raises(AnnotationError, match=r"no tier has phases, steps.*name one 'phase'"):
        read_files("elan", files)


def test_two_annotators_of_phases_are_refused():
    tiers = {f'TIER_ID="phase@{who}" ANNOTATOR="{who}"': [(aligned(f"a{who}", "t1", "t2"), "preparation")] for who in "AB"}
    with pytest.raises(AnnotationError, match="2 annotators have tiers of phases"):
        read_files("elan", eaf(tiers, {"t1": 0, "t2": 40}))


BOMB = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><ANNOTATION_DOCUMENT>&b;</ANNOTATION_DOCUMENT>'


@each(
    "data, said",
    [
        (BOMB, r"declares a document type \(DOCTYPE\)"),
        (BOMB.decode().encode("utf-16"), r"declares a document type \(DOCTYPE\)"),
        (b"<ANNOTATION_DOCUMENT>\n<TIER>", "line 2: not XML: no element found"),
        (b'<?xml version="1.0" encoding="x"?><a/>', "not XML: unknown encoding"),
        (b"<annotations/>", "outermost element is <annotations>"),
    ],
)
def test_a_file_that_is_none_is_refused(data, said):
    with pytest.raises(AnnotationError, match=rf"a/op\.eaf.*{said}"):
        read_files("elan", {f"a/op{SUFFIX}": data})


@each(
    "old, new, said",
    [
        ('TIME_VALUE="31500"', 'TIME_VALUE="1"', "tier 'phase', annotation a2: it ends at 0.001 s, but starts at 12.04 s"),
        ('TIME_VALUE="31500"', 'TIME_VALUE="soon"', "time slot ts3: TIME_VALUE is 'soon', expected whole milliseconds"),
        ('TIME_SLOT_REF2="ts3"', 'TIME_SLOT_REF2="ts99"', "annotation a2: there is no time slot 'ts99'"),
        (">hook<", ">hok<", "annotation a4: 'hok' is no instrument of the vocabulary"),
        (">grasper,retract,gallbladder<", ">grasper,retract<", "is no instrument, and no instrument,verb,target"),
        ('TIME_UNITS="milliseconds"', 'TIME_UNITS="PAL-frames"', "HEADER: times are in 'PAL-frames'"),
    ],
)
def test_a_fault_names_its_place(old, new, said):
    ((file, data),) = EXAMPLES["elan"].items()
    with pytest.raises(AnnotationError, match=said):
        read_files("elan", {file: data.decode().replace(old, new).encode()}, vocabulary="cholect50")


def test_two_of_a_class_keep_their_numbers_and_get_two_tiers():
    tool = 'TIER_ID="tools left" LINGUISTIC_TYPE_REF="t"'
    named = [(aligned("a1", "t1", "t3"), "grasper #1"), (aligned("a2", "t2", "t4"), "grasper,retract,gallbladder")]
    files = eaf({tool: [*named, (aligned("a3", "t4", "t5"), "nothing in view")]}, {f"t{i}": 10 * i for i in range(1, 6)})
    first = read_files("elan", files)
    out = write_files("elan", first)
    (again,) = read_files("elan", out.files).recordings
    assert first.recordings[0].spans["instance"].tolist()[:2] == [1, 0]
    assert again.spans.equals(first.recordings[0].spans)
    assert b'TIER_ID="instrument grasper 2"' in out.files[f"op{SUFFIX}"]
