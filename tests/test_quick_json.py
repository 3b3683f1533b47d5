"""What is read quickly is what Python's own reader says, to the type; whatever is doubtful is left to it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubin.base import strangers
from scrubin.base.faults import Faults
from scrubin.labels.formats.submission import documents

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=25,
)


@pytest.mark.skipif(strangers.orjson is None, reason="orjson is not installed")
@given(VALUES, st.booleans())
def test_a_value_is_the_same_or_left_to_the_slow_reader(value, is_spaced):
    written = json.dumps(value, indent=1 if is_spaced else None)
    read = strangers.quick_value(written.encode())
    if read is not strangers.DOUBTFUL:
        assert repr(read) == repr(json.loads(written))


@pytest.mark.parametrize(
    "written",
    [
        '{"a": 1, "a": 2}',
        '[[1.5, {"b": {"c": 1, "c": 1}}]]',
        '[1, {"a": 1, "a": 1}]',
        '{"a": 123456789012345678901}',
        "[-1000000000000000000]",
        "[NaN]",
        "[1e999]",
        "[1,]",
        '["\\ud800"]',
        '{"a":',
        "",
    ],
)
def test_what_is_doubtful_is_left_to_the_slow_reader(written):
    assert strangers.quick_value(written.encode()) is strangers.DOUBTFUL


def test_submissions_are_read_alike_with_and_without_the_quick_reader(monkeypatch):
    frames = {str(frame): {"recognition": [0.0123456789012345678, 1e-9, 1], "detection": []} for frame in range(3)}
    for data in (json.dumps(frames).encode(), b'{"0": {"recognition": [1], "recognition": [2]}}', b"null", b"[1"):
        said = []
        for quick in (True, False):
            with monkeypatch.context() as patched:
                if not quick:
                    patched.setattr(strangers, "orjson", None)
                faults = Faults()
                value = documents.json_value("VID01.json", data, faults)
                said.append((repr(value), type(value), [fault.as_json() for fault in faults.all()]))
        assert said[0] == said[1]


def test_numbers_with_many_decimals_are_not_doubtful():
    if strangers.orjson is not None:
        assert strangers.quick_value(b'{"a": [0.016527635528529094]}') == {"a": [0.016527635528529094]}
    assert math.isclose(json.loads("0.016527635528529094"), 0.016527635528529094, rel_tol=0)
