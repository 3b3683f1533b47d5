"""Damaged files of every format are read or refused with a sentence that names the file; nothing else ever happens."""

import contextlib
import json

import pytest

from each import each
from label_examples import EXAMPLES, read_files
from scrubin.base.errors import ScrubinError
from scrubin.labels.files import loss
from scrubin.labels.files.loss import Fit
from scrubin.labels.files.output import render, writer_of
from scrubin.labels.registry import format_of

VALUES = [None, "x", "", -7, 101, 0.5, 1e300, float("nan"), True, [], [1], {}, {"a": 1}]
JSON = [(name, file) for name, files in EXAMPLES.items() for file in files if file.endswith(".json")]
TEXT = [(name, file) for name, files in EXAMPLES.items() for file in files if file.endswith((".txt", ".csv"))]
MANY_VALUES = ("coco", "cholectrack20", "endoscapes", "multibypasst40")
"""Formats whose files have so many values that trying all takes seconds."""
ALL = [(name, file) for name, files in EXAMPLES.items() for file in files]


def read_or_refuse(name, file, data, *, write=False):
    """Return whether the file was read; a refusal must name it."""
    try:
        found = read_files(name, {**EXAMPLES[name], file: data})
    except ScrubinError as error:
        message = str(error)
        assert file in message or file.rsplit("/", 1)[-1] in message, message
        assert "\n  " in message or message.count("\n") == 0, message
        return False
    if not write:
        return True
    for target in ("tables-csv", "cholect50"):
        with contextlib.suppress(ScrubinError):  # what was read can be written, or is refused as a whole
            render(loss.fitted(found, writer_of(target), Fit(name, source_fps=format_of(name).by_hand.fps))[0], writer_of(target))
    return True


def paths(value, path=()):
    """Yield the path of every value in a JSON tree; of long lists and objects only the ends."""
    yield path
    if isinstance(value, dict):
        keys = list(value)
        for key in [*keys[:12], *keys[-1:]] if len(keys) > 13 else keys:
            yield from paths(value[key], (*path, key))
    elif isinstance(value, list):
        for i in sorted({0, 1, len(value) - 1} & set(range(len(value)))) if len(value) > 15 else range(len(value)):
            yield from paths(value[i], (*path, i))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("name", "file"), [pytest.param(name, file, marks=[pytest.mark.slow] * (name in MANY_VALUES)) for name, file in JSON]
)
def test_any_value_of_any_type_anywhere_is_read_or_refused(name, file):
    document = json.loads(EXAMPLES[name][file])
    places = [path for path in paths(document) if not {"info", "licenses"} & set(path)]
    step = max(1, len(places) * len(VALUES) // 150)  # enough of each, and quick
    mutants = [(path, value) for path in places for value in VALUES][::step]
    outcomes = [
        read_or_refuse(name, file, json.dumps(replaced(document, path, value)).encode(), write=i % 4 == 0)
        for i, (path, value) in enumerate(mutants)
    ]
    assert False in outcomes


@pytest.mark.slow
@each("name, file", JSON)
def test_any_missing_key_is_read_or_refused(name, file):
    document = json.loads(EXAMPLES[name][file])

    def without(value, path):
        if len(path) == 1:
            copy = dict(value)
            del copy[path[0]]
            return copy
        copy = dict(value) if isinstance(value, dict) else list(value)
        copy[path[0]] = without(value[path[0]], path[1:])
        return copy

    for path in paths(document):
        if path and isinstance(path[-1], str):
            read_or_refuse(name, file, json.dumps(without(document, path)).encode())


@each("name, file", [one for one in JSON if one[0] in ("cholect50", "cholectrack20", "cholectriplet2022")])
@each("key", ["", "-1", "1.5", "x", "9" * 30, "٣", "²", " 7"])
def test_a_frame_key_that_is_no_number_is_refused(name, file, key):
    document = json.loads(EXAMPLES[name][file])
    frames = document.get("annotations", document)
    frames[key] = frames[next(iter(frames))]
    of_submissions = "no frame number: |frame numbers below 0, down to -1|the frame stands under two keys|the key is no plain whole number"
    expected = of_submissions if name == "cholectriplet2022" else r"frame '.*': the key is no frame number; keys are whole numbers from 0"
    with pytest.raises(ScrubinError, match=expected):
        read_files(name, {file: json.dumps(document).encode()})


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), TEXT)
def test_any_cell_of_text_is_read_or_refused(name, file):
    text = EXAMPLES[name][file].decode()
    separator = next(mark for mark in (";", ",", "\t", " ", "\n") if mark in text or mark == "\n")
    lines = text.split("\n")
    for number in sorted({0, 1, len(lines) - 2} & set(range(len(lines)))):
        cells = lines[number].split(separator)
        for i in sorted({0, 1, len(cells) - 1} & set(range(len(cells)))):
            for new in ("", "x", "-3", "1e400", "nan", "0,5", "\x00", "ä", "9" * 30):
                line = separator.join([*cells[:i], new, *cells[i + 1 :]])
                read_or_refuse(name, file, "\n".join([*lines[:number], line, *lines[number + 1 :]]).encode())
        read_or_refuse(name, file, "\n".join([*lines[:number], separator.join(cells[:-1]), *lines[number + 1 :]]).encode())


@pytest.mark.slow
@each("name, file", ALL)
@each("data", [b"\xff\xfe\x00", b"\x00" * 40, b"PK\x03\x04 no zip", b"{", b"[]", b"null", b"{}"], say=repr)
def test_files_of_another_kind_are_refused(name, file, data):
    if name in ("yolo", "yolo4", "endoscapes", "jigsaws") or not file.endswith(".json"):
        read_or_refuse(name, file, data)
    else:
        assert not read_or_refuse(name, file, data)


@each("name, file", ALL)
def test_empty_files_are_refused(name, file):
    if (name.startswith("yolo") and file.endswith(".txt")) or file == "mot/VID02.txt":
        assert read_or_refuse(name, file, b"")  # labelled as "no instrument"
    else:
        assert not read_or_refuse(name, file, b"")


@each("name, file", JSON)
def test_cut_off_files_are_refused_with_their_line(name, file):
    data = EXAMPLES[name][file]
    for share in (0.2, 0.5, 0.99):
        with pytest.raises(ScrubinError, match=r"line 1: not JSON: .*; the file may be cut off|is cut off at line 1"):
            read_files(name, {**EXAMPLES[name], file: data.rstrip()[: int(len(data) * share) - 1]})
