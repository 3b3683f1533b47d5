"""Small label files in the published layouts, made here: no published label is copied."""

import json
from fractions import Fraction

import numpy as np
import pytest

from scrubin.base.vocabulary import vocabulary
from scrubin.labels.model import LabelFiles
from scrubin.stages.annotations.placing import timeline

WORDS = vocabulary.load("cholect50")
BOX = (0.25, 0.25, 0.5, 0.25)
NO_BOX = (-1.0, -1.0, -1.0, -1.0)


def make_vector(triplet=17, *, box=BOX, phase=1, score=1.0):
    instrument, verb, target = WORDS.triplets[triplet] if triplet >= 0 else (-1, -1, -1)
    return [triplet, instrument, score, *box, verb, target, 1.0, *NO_BOX, phase]


def make_nothing(phase=1):
    return [-1, -1, -1.0, *NO_BOX, -1, -1, -1.0, *NO_BOX, phase]


def make_cholect50(annotations, **changes):
    # The published files say "carlot-triangle-dissection", and so does this one.
    phases = ["preparation", "carlot-triangle-dissection", *WORDS.phases[2:]]
    categories = {
        "instrument": dict(enumerate(WORDS.instruments)),
        "verb": dict(enumerate(WORDS.verbs)),
        "target": dict(enumerate(WORDS.targets)),
        "phase": dict(enumerate(phases)),
        "triplet": {i: WORDS.triplet_name(i) for i in range(100)},
    }
    document = {"video": 1, "fps": 1, "num_frames": len(annotations), "categories": categories, "annotations": annotations, **changes}
    return json.dumps(document).encode()


def make_shape(label="grasper", action="retract", target="gallbladder", points=((10, 20), (60, 70)), **changes):
    attributes = {"Action": action, "Target": target}
    shape = {"label": label, "points": [list(p) for p in points], "shape_type": "rectangle", "attributes": attributes}
    return {**shape, **changes}


def make_labelme(shapes, width=100, height=200, **changes):
    return json.dumps({"shapes": shapes, "imageWidth": width, "imageHeight": height, **changes}).encode()


def make_phase_txt(names):
    return ("Frame\tPhase\n" + "".join(f"{i}\t{name}\n" for i, name in enumerate(names))).encode()


def make_tool_txt(rows, step=25):
    header = "Frame\tGrasper\tBipolar\tHook\tScissors\tClipper\tIrrigator\tSpecimenBag\n"
    return (header + "".join("\t".join([str(i * step), *map(str, row)]) + "\n" for i, row in enumerate(rows))).encode()


def make_line(n=10, fps=Fraction(25), offset_s=Fraction(0), first_source_frame=None):
    """Timeline of a video of n seconds at a constant rate, cut at offset_s, by the frame contract."""
    numbers = [-(-k * fps.numerator // fps.denominator) for k in range(n)]
    frame_count = int(n * fps)
    first = int(offset_s * fps) if first_source_frame is None else first_source_frame
    return timeline(
        np.arange(n),
        np.array([float(number / fps) for number in numbers]),
        np.array(numbers),
        offset_s=offset_s,
        duration_s=float(frame_count / fps),
        first_source_frame=first,
        frame_count=frame_count,
    )


@pytest.fixture(scope="session")
def make():
    """The makers above, by name."""

    class Make:
        vector = staticmethod(make_vector)
        nothing = staticmethod(make_nothing)
        cholect50 = staticmethod(make_cholect50)
        shape = staticmethod(make_shape)
        labelme = staticmethod(make_labelme)
        phase_txt = staticmethod(make_phase_txt)
        tool_txt = staticmethod(make_tool_txt)
        line = staticmethod(make_line)

        @staticmethod
        def files(**contents):
            return LabelFiles("case one", {name.replace("__", "/"): data for name, data in contents.items()}, WORDS, 0.02)

        @staticmethod
        def named(files, recording="case one"):
            return LabelFiles(recording, files, WORDS, 0.02)

    return Make
