import pytest

from scrubin.base.errors import AnnotationError
from scrubin.labels.formats.workflow import cholec80

PHASE = "annotations/cholec80/case one-phase.txt"
TOOL = "annotations/cholec80/case one-tool.txt"


def test_phases_are_read_at_every_source_frame(make):
    labels = cholec80.read(make.named({PHASE: make.phase_txt(["Preparation"] * 3 + ["CalotTriangleDissection"])}))
    assert labels.clock.period_s is None
    assert labels.phases.every_frame
    assert labels.phases.rows["position"].tolist() == [0, 1, 2, 3]
    assert labels.phases.rows["phase_id"].tolist() == [0, 0, 0, 1]
    assert labels.instances is None


def test_tools_are_instruments_without_verb_target_or_box(make):
    labels = cholec80.read(make.named({TOOL: make.tool_txt([[1, 0, 1, 0, 0, 0, 0], [0] * 7, [0, 0, 0, 0, 0, 1, 1]])}))
    rows = labels.instances.rows
    assert labels.detail == "instrument"
    assert labels.instances.positions.tolist() == [0, 25, 50]
    assert list(zip(rows["position"], rows["instrument_id"], strict=True)) == [(0, 0), (0, 2), (50, 5)]
    assert rows[["verb_id", "target_id", "triplet_id", "x", "score"]].isna().all(axis=None)


def test_columns_of_the_tool_file_go_by_their_header(make):
    data = b"Frame\tHook\tGrasper\tBipolar\tScissors\tClipper\tIrrigator\tSpecimenBag\n0\t1\t0\t0\t0\t0\t0\t0\n"
    assert cholec80.read(make.named({TOOL: data})).instances.rows["instrument_id"].tolist() == [2]


def test_windows_line_ends_a_byte_order_mark_and_trailing_blank_lines_are_fine(make):
    data = b"\xef\xbb\xbf" + make.phase_txt(["Preparation", "ClippingCutting"]).replace(b"\n", b"\r\n") + b"\r\n\r\n"
    assert cholec80.read(make.named({PHASE: data})).phases.rows["phase_id"].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", r"line 1: the header is \[\]; expected Frame<TAB>Phase"),
        (b"Frame,Phase\n0,Preparation\n", "line 1: the header is"),
        (b"0\t0\n1\t0\n", "line 1: the header is .*phases without a header are the format phase-tables"),
        (b"Frame\tPhase\n", "has no rows"),
        (b"Frame\tPhase\n0\tPreparation\nx\tPreparation\n", "line 3: frame 'x' is no frame number"),
        (b"Frame\tPhase\n0\tPreparation\n1\n", "line 3: 1 values, expected 2"),
        (b"Frame\tPhase\n0\tPreparation\n2\tPreparation\n", "line 3: frame 2 follows frame 0, expected 1"),
        (b"Frame\tPhase\n0\tPreparation\n0\tPreparation\n", "line 3: frame 0 follows frame 0, expected 1"),
        (
            b"Frame\tPhase\n0\tPreparation\n1\tPreperation\n2\tPreperation\n",
            "line 3: 'Preperation' is no phase .* did you mean 'preparation'",
        ),
        (b"Frame\tPhase\n0\t\xff\n", "line 2: byte 0xff is not UTF-8"),
    ],
)
def test_a_broken_phase_file_is_refused_with_line_and_value(make, data, text):
    with pytest.raises(AnnotationError, match=rf"case one-phase\.txt.*{text}"):
        cholec80.read(make.named({PHASE: data}))


def test_an_unknown_phase_is_named_once_and_not_on_every_line(make):
    with pytest.raises(AnnotationError) as caught:
        cholec80.read(make.named({PHASE: make.phase_txt(["Preperation"] * 1000)}))
    assert len(caught.value.faults) == 1


def test_a_presence_other_than_zero_or_one_is_refused(make):
    with pytest.raises(AnnotationError, match=r"case one-tool\.txt, line 3: Hook is '2', expected 0 or 1"):
        cholec80.read(make.named({TOOL: make.tool_txt([[0] * 7, [0, 0, 2, 0, 0, 0, 0]])}))


def test_uneven_steps_of_the_tool_file_are_refused(make):
    data = make.tool_txt([[0] * 7] * 3).replace(b"\n50\t", b"\n51\t")
    with pytest.raises(AnnotationError, match="line 4: frame 51 follows frame 25, expected 50"):
        cholec80.read(make.named({TOOL: data}))
