from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clips
from screen_params import SCREEN
from scrubin.base.pixels import shared_px
from scrubin.media.networks import reading
from scrubin.media.networks.misreadings import WordFinder
from scrubin.media.networks.reading import Reading
from scrubin.stages.screen import text_detector, text_looking
from scrubin.stages.screen.detector import ObservedFile
from scrubin.stages.screen.pass_over_file import Observed, observe
from scrubin.stages.screen.text_detector import covering
from scrubin.stages.screen.text_looking import SAMPLE_S, Looking, sample_numbers
from scrubin.stages.screen.text_places import History, Place, Strokes, regions, strokes, text_cells

FPS = 25
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX)


def written(pictures, words, *, height_px=16, opacity=1.0, colour=(255, 255, 255), font=cv2.FONT_HERSHEY_SIMPLEX, at=(12, 28)):
    """The pictures with text burned in; ``words`` may hold {n}, the number of the picture."""
    scale = cv2.getFontScaleFromHeight(font, height_px, 1)
    shown = []
    for n, picture in enumerate(pictures):
        marked = cv2.putText(picture.copy(), words.format(n=n), at, font, scale, colour, max(1, height_px // 12), cv2.LINE_AA)
        shown.append(cv2.addWeighted(marked, opacity, picture, 1 - opacity, 0))
    return shown


def proposals(path, count, size=(320, 136), private=()):
    times_s = np.arange(count + 1) / FPS
    seen = observe(path, path.name, [text_detector.observer(SCREEN)], times_s[:-1])
    return text_detector.propose(ObservedFile(times_s, size, seen, private_words=WordFinder(private)), SCREEN)


@pytest.fixture(scope="module")
def bikes():
    return clips.pictures(clips.REAL["bikes"], (320, 136))


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"height_px": 10}, "Brenner 4711"),
        ({"height_px": 16, "opacity": 0.6, "font": FONTS[1]}, "Brenner 4711"),
        ({"height_px": 24, "colour": (255, 255, 0), "font": FONTS[2], "at": (12, 120)}, "Brenner 4711"),
        ({"height_px": 12}, "Brenner 10:20:{n:02d}"),
    ],
)
def test_burned_in_text_of_several_kinds_is_found_in_a_moving_scene(tmp_path, bikes, more, words):
    path = clips.film(tmp_path / "a.mkv", written(bikes[:150], words, **more), FPS, preset="superfast")
    found = [one for one in proposals(path, 150) if one.text and "Brenner" in one.text]
    assert [(one.kind, one.source, one.interval_s) for one in found] == [("text", "text", (0.0, 6.0))]
    assert found[0].score > 0.6
    x, y, w, h = found[0].box_xywh
    baseline = more.get("at", (12, 28))[1]
    assert x <= 12
    assert y <= baseline - more["height_px"]
    assert y + h >= baseline
    assert all(side % 8 == 0 for side in (x, y, w)), found[0].box_xywh


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count", "size"),
    [
        ("bikes", 250, (640, 272)),
        pytest.param("bigbuckbunny", 132, (1280, 720), marks=pytest.mark.slow),
        ("carphone_pristine", 120, (176, 144)),
    ],
)
def test_pictures_without_text_are_left_alone(name, count, size):
    assert proposals(clips.REAL[name], count, size) == []


def test_text_that_stands_for_a_second_is_hidden_from_its_first_frame_to_its_last_and_not_much_longer(tmp_path, bikes):
    shown = [*bikes[:101], *written(bikes[101:128], "Brenner 4711"), *bikes[128:]]
    (found,) = proposals(clips.film(tmp_path / "a.mkv", shown, FPS, preset="ultrafast"), 250)
    start_s, end_s = found.interval_s
    assert 101 / FPS - 0.8 <= start_s <= 101 / FPS
    assert 128 / FPS <= end_s <= 128 / FPS + 0.8


def test_text_that_comes_back_has_two_spans(tmp_path, bikes):
    marked = written(bikes, "Brenner 4711")
    shown = [*bikes[:50], *marked[50:90], *bikes[90:170], *marked[170:210], *bikes[210:]]
    found = sorted(proposals(clips.film(tmp_path / "a.mkv", shown, FPS, preset="ultrafast"), 250), key=lambda one: one.interval_s)
    assert len(found) == 2
    for one, (start, end) in zip(found, [(50, 90), (170, 210)], strict=True):
        assert one.interval_s[0] <= start / FPS
        assert end / FPS <= one.interval_s[1] <= end / FPS + 0.8
    assert found[0].interval_s[1] < found[1].interval_s[0] - 1


@pytest.mark.slow
def test_other_text_at_the_place_of_one_that_has_gone_is_found(tmp_path, bikes):
    pictures = written(bikes[:75], "Brenner 4711", height_px=24) + bikes[75:150] + written(bikes[150:], "Kestner 0815", height_px=24)
    path = clips.film(tmp_path / "a.mkv", pictures, FPS)
    # Two regions of one text may follow each other or overlap: which, the rounding of a processor decides.
    spans_s = sorted(one.interval_s for one in proposals(path, len(bikes)) if "Kestner" in one.text)
    assert spans_s[0][0] <= 6.0
    assert max(end_s for _, end_s in spans_s) == 10.0
    assert all(start_s <= end_s for (_, end_s), (start_s, _) in pairwise(spans_s))


def test_text_that_moves_is_hidden_on_all_its_way(tmp_path, bikes):
    ways = [written([picture], "Brenner", height_px=14, at=(12 + n, 60))[0] for n, picture in enumerate(bikes[:150])]
    path = clips.film(tmp_path / "a.mkv", bikes[150:200] + ways + bikes[200:], FPS)
    (found,) = [one for one in proposals(path, len(bikes)) if one.text and "renner" in one.text]
    assert found.interval_s[0] <= 2.0
    assert found.interval_s[1] >= 8.0
    x, y, w, h = found.box_xywh
    assert x <= 12
    assert y <= 46
    assert x + w >= 12 + 150 + 55
    assert y + h >= 60


def test_what_stands_is_read_whatever_was_read_before(tmp_path, bikes, monkeypatch):
    monkeypatch.setattr(text_looking, "FIRST_PX", 0)
    monkeypatch.setattr(text_looking, "PX_PER_DECODED_PX", 0)
    path = clips.film(tmp_path / "a.mkv", [*bikes[:50], *written(bikes[50:100], "Brenner 4711"), *bikes[100:125]], FPS)
    (found,) = proposals(path, 125)
    assert found.interval_s[0] <= 2.0
    assert found.interval_s[1] >= 4.0


def test_text_in_a_recording_that_is_displayed_rotated_is_found_where_it_is_displayed(tmp_path, bikes):
    clips.film(tmp_path / "flat.mp4", [np.rot90(picture).copy() for picture in written(bikes[:60], "Brenner 4711")], FPS)
    clips.ffmpeg("-display_rotation", "-90", "-i", tmp_path / "flat.mp4", "-c", "copy", tmp_path / "a.mp4")
    (found,) = proposals(tmp_path / "a.mp4", 60)
    assert "Brenner" in found.text
    assert found.box_xywh[1] <= 12
    assert found.box_xywh[1] + found.box_xywh[3] <= 48


def test_a_private_word_has_the_highest_score(tmp_path, bikes):
    path = clips.film(tmp_path / "a.mkv", written(bikes[:75], "8renner 4711", height_px=10, opacity=0.5), FPS)
    (found,) = proposals(path, 75, private=["Brenner"])
    assert found.score == 1.0


def test_the_reader_says_and_downloads_nothing(bikes, capfd, monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("it wants the network"))
    reading._network.cache_clear()
    found = reading.read(written(bikes[:1], "Brenner 4711")[0])
    assert "Brenner 4711" in [one.text for one in found]
    assert capfd.readouterr() == ("", "")
    assert reading._network("text-detection") is reading._network("text-detection")


SCRIPTS = Path(__file__).parents[1] / "data/scripts"


@pytest.mark.slow
@pytest.mark.parametrize("script", ["cyrillic", "arabic", "thai", "korean"])
def test_a_line_that_stands_is_found_in_letters_that_the_reader_does_not_know(tmp_path, bikes, script):
    line = cv2.imread(str(SCRIPTS / f"{script}.png"), cv2.IMREAD_GRAYSCALE)
    h, w = line.shape
    marked = [picture.copy() for picture in bikes[:100]]
    for picture in marked:
        part = picture[20 : 20 + h, 12 : 12 + w]
        part[:] = np.maximum(part, line[:, :, None])
    found = proposals(clips.film(tmp_path / "a.mkv", marked, FPS, preset="superfast"), 100)
    covering = [one for one in found if shared_px(one.box_xywh, (12, 20, w, h)) >= 0.9 * w * h]
    assert [one.interval_s for one in covering] == [(0.0, 4.0)]


LINE = (10, 20, 100, 12)


def seen_of(*readings, spans=((5, 8),), stands=True, is_line=False, private=()) -> ObservedFile:
    listed = [{"box": LINE, "text": words, "confidence": sure} for words, sure in readings]
    places = [{"box": LINE, "spans": spans, "stands": stands, "is_line": is_line, "readings": listed}]
    value = {"samples": list(range(0, 401, 10)), "size_px": (320, 180), "places": places}
    return ObservedFile(np.arange(411) / FPS, (640, 360), {"text": Observed({}, value)}, private_words=WordFinder(private))


def test_a_rectangle_is_in_pixels_of_the_video_with_a_margin_on_a_grid():
    (found,) = text_detector.propose(seen_of(("Brenner", 0.9), ("Brenner 1", 0.8)), SCREEN)
    assert found.box_xywh == (8, 32, 224, 40)
    assert (found.text, found.score) == ("Brenner", 0.7)


def test_a_span_reaches_two_samples_farther_on_both_sides():
    (found,) = text_detector.propose(seen_of(("Brenner", 0.9)), SCREEN)
    assert found.interval_s == (31 / FPS, 100 / FPS)
    (found,) = text_detector.propose(seen_of(("Brenner", 0.9), spans=((0, 40),)), SCREEN)
    assert found.interval_s == (0.0, 410 / FPS)


def test_spans_less_than_two_seconds_apart_are_one():
    spans = [one.interval_s for one in text_detector.propose(seen_of(("Brenner", 0.9), spans=((5, 8), (12, 13), (25, 26))), SCREEN)]
    assert spans == [(31 / FPS, 150 / FPS), (231 / FPS, 280 / FPS)]


def test_readings_of_a_value_that_changes_are_one_text():
    seen = seen_of(("gas 1.2", 0.9))
    (place,) = seen.observed["text"].value["places"]
    later = place | {"box": (12, 20, 96, 12), "spans": [(25, 28)], "readings": [{"box": LINE, "text": "gas 3.8", "confidence": 0.95}]}
    elsewhere = place | {"box": (10, 60, 100, 12)}
    seen.observed["text"].value["places"] += [later, elsewhere]
    found = text_detector.propose(seen, SCREEN)
    assert [(one.text, one.interval_s) for one in found] == [
        ("gas 1.2", (31 / FPS, 100 / FPS)),
        ("gas 3.8", (231 / FPS, 300 / FPS)),
        ("gas 1.2", (31 / FPS, 100 / FPS)),
    ]


def test_a_small_text_inside_a_large_one_is_another_text():
    seen = seen_of(("Brenner", 0.9))
    places = seen.observed["text"].value["places"]
    places.append(places[0] | {"box": (10, 20, 40, 12), "readings": [{"box": LINE, "text": "Nordstadt", "confidence": 0.9}]})
    assert {one.text: one.box_xywh[2] for one in text_detector.propose(seen, SCREEN)} == {"Brenner": 224, "Nordstadt": 104}


def test_a_line_that_was_not_read_counts_where_it_stands_and_is_no_makers_mark():
    (found,) = text_detector.propose(seen_of(("", 0.0), is_line=True), SCREEN)
    assert (found.text, found.score) == (None, text_detector.UNREAD_SCORE)
    assert text_detector.propose(seen_of(("", 0.0), is_line=True, stands=False), SCREEN) == []
    assert text_detector.propose(seen_of(("KARLST", 0.4), is_line=True), SCREEN) == []
    (found,) = text_detector.propose(seen_of(("Brenner", 0.9), is_line=True), SCREEN)
    assert found.text == "Brenner"


@pytest.mark.parametrize(
    ("words", "confidence", "height_px", "counts"),
    [("apm", 0.44, 165, False), ("Brenner", 0.9, 165, True), ("Bren", 0.4, 90, False), ("apm", 0.44, 60, True), ("", 0.0, 12, True)],
)
def test_what_is_as_high_as_a_part_of_the_picture_is_a_line_only_when_it_is_read_well(words, confidence, height_px, counts):
    assert text_looking._is_likely(Reading((0, 0, 200, height_px), words, confidence, 0.9, height_px), 480) == counts


@pytest.mark.parametrize(
    ("is_line", "w", "height_px", "surely"), [(0.95, 80, 16, True), (0.8, 80, 16, False), (0.95, 18, 16, False), (0.95, 400, 120, False)]
)
def test_a_line_that_says_nothing_is_sure_wide_and_not_high(is_line, w, height_px, surely):
    watching = Looking(np.arange(500) / FPS, 60)
    watching._size_px = (854, 480)
    assert watching._is_line(Reading((0, 0, w, height_px), "", 0.0, is_line, height_px)) == surely


def test_a_doubtful_reading_counts_only_when_it_hits_a_private_word():
    assert text_detector.propose(seen_of(("8renmer", 0.3)), SCREEN) == []
    (found,) = text_detector.propose(seen_of(("8renmer", 0.3), private=["Brenner"]), SCREEN)
    assert (found.text, found.score) == ("8renmer", 1.0)


@pytest.mark.parametrize(
    ("letters", "confidence", "count"), [("Jh", 0.7, 0), ("J.h.", 0.7, 0), ("Jh", 0.9, 1), ("Jhon", 0.7, 1), ("OP 2", 0.7, 0)]
)
def test_two_or_three_letters_count_when_the_reader_is_sure(letters, confidence, count):
    assert len(text_detector.propose(seen_of((letters, confidence)), SCREEN)) == count
    assert len(text_detector.propose(seen_of((letters, confidence), private=["Jh"]), SCREEN)) >= count


@pytest.mark.parametrize(
    ("mark", "count"), [("KARLST", 0), ("KARL STORZ", 0), ("OLYMP", 0), ("Karl", 1), ("Karlsson", 1), ("STORZ OP 2", 1)]
)
def test_a_part_of_a_makers_mark_names_nobody_even_where_it_stands(mark, count):
    assert len(text_detector.propose(seen_of((mark, 0.9)), SCREEN)) == count
    assert len(text_detector.propose(seen_of((mark, 0.9), private=[mark]), SCREEN)) == 1


def test_a_doubtful_reading_gets_a_low_score():
    (found,) = text_detector.propose(seen_of(("8renn", 0.55), ("Bre:n", 0.6)), SCREEN)
    assert found.score == pytest.approx(0.15)


def test_the_maker_of_an_instrument_that_moves_names_nobody_but_a_private_word_does():
    assert text_detector.propose(seen_of(("KARLST", 0.9), ("KARL STORZ", 0.9), stands=False), SCREEN) == []
    assert len(text_detector.propose(seen_of(("Karl Richard", 0.9), stands=True), SCREEN)) == 1
    (found,) = text_detector.propose(seen_of(("KARL STORZ", 0.9), stands=False, private=["Storz"]), SCREEN)
    assert found.score == 1.0


@given(length=st.floats(min_value=0.1, max_value=2000), fps=st.sampled_from([4, 25, 29.97, 60]))
def test_samples_are_a_third_of_a_second_apart_and_hold_the_first_and_the_last_frame(length, fps):
    times_s = np.arange(max(int(length * fps), 1)) / fps
    numbers = sample_numbers(times_s)
    assert (numbers[0], numbers[-1]) == (0, len(times_s) - 1)
    assert numbers == sorted(set(numbers))
    assert max(np.diff(times_s[numbers]), default=0) <= SAMPLE_S + 1 / fps + 1e-6


def test_a_file_without_frames_has_no_samples_and_no_places():
    assert sample_numbers(np.zeros(0)) == []
    assert Looking(np.zeros(0), 60).finish().value["places"] == []


def test_letters_are_cells_of_text_and_a_straight_edge_a_ramp_and_noise_are_none():
    plain = np.full((136, 320), 90, np.uint8)
    marked = cv2.putText(plain.copy(), "Brenner 4711", (40, 60), cv2.FONT_HERSHEY_SIMPLEX, 0.5, 200, 1, cv2.LINE_AA)
    (region,) = regions(text_cells(strokes(marked).either), (320, 136))
    (x, y, w, h), _ = region
    assert x <= 40
    assert y <= 50
    assert x + w >= 140
    assert y + h >= 60
    edge = plain.copy()
    edge[:, 160:] = 200
    ramp = np.tile(np.linspace(0, 255, 320).astype(np.uint8), (136, 1))
    noise = (plain + np.random.default_rng(0).normal(0, 3, plain.shape)).astype(np.uint8)
    for picture in (plain, edge, ramp, noise, edge.T.copy()):
        assert regions(text_cells(strokes(picture).either), picture.shape[::-1]) == []


def template_of(seed: int, share: float = 0.3) -> Strokes:
    drawn = (np.random.default_rng(seed).random((40, 80)) < share).astype(np.uint8)
    return Strokes(drawn, np.zeros_like(drawn))


def test_memory_says_since_when_text_stands_and_a_single_sample_without_it_is_no_gap():
    letters, empty = template_of(0), template_of(1, 0.0)
    place = Place((0, 0, 80, 40), letters, 9, 9)
    history = History(60)
    for shown in [empty, empty, empty, letters, letters, empty, letters, letters, letters, letters, letters]:
        history.add(shown)
    assert history.since(place, 10) == 3
    short = History(3)
    for _ in range(3):
        short.add(letters)
    assert short.since(place, 9) == 0  # it may have stood from the beginning


def test_a_place_closes_when_its_strokes_are_gone_twice_and_opens_again_with_them():
    letters, other = template_of(0), template_of(5)
    place = Place((0, 0, 80, 40), letters, 0, 0)
    for sample, shown in enumerate([letters, letters, other, letters, other, other, other, letters, letters]):
        place.see(sample, shown)
    place.close()
    assert place.spans == [(0, 3), (7, 8)]


def test_a_place_follows_its_strokes_holds_its_way_and_does_not_stand():
    letters, way = template_of(0), np.zeros((120, 300), np.uint8)
    place = Place((10, 20, 80, 40), letters, 0, 0)
    for sample in range(8):
        shown = way.copy()
        shown[20:60, 10 + 20 * sample : 90 + 20 * sample] = letters.bright
        place.see(sample, Strokes(shown, way))
    place.close()
    assert place.noted() | {"readings": []} == {
        "box": (0, 20, 270, 40),
        "spans": [(0, 7)],
        "stands": False,
        "is_line": False,
        "readings": [],
    }


def test_a_place_grows_to_a_line_of_which_it_held_the_beginning_and_takes_its_strokes():
    letters = template_of(0)
    shown = Strokes(np.hstack([letters.bright, letters.bright]), np.hstack([letters.dark, letters.dark]))
    place = Place((0, 0, 80, 40), letters, 0, 0)
    place.grow((60, 0, 100, 40), shown)
    assert place.box_xywh == place.now_xywh == (0, 0, 160, 40)
    assert place.template.count == shown.count
    place.grow((10, 0, 20, 20), shown)
    assert place.box_xywh == (0, 0, 160, 40)


@pytest.mark.parametrize(("read_again", "spans"), [(True, []), (False, [(0, 3)])])
def test_what_moves_is_read_again_and_ends_where_it_was_read_last(monkeypatch, read_again, spans):
    watching = Looking(np.arange(500) / FPS, 60)
    place = Place((0, 0, 80, 40), template_of(0), 0, 0, moves=True)
    watching._places = [place]
    monkeypatch.setattr(watching, "_readings", lambda *_, **__: [Reading((0, 0, 80, 12), "Brenner", 0.9)] if read_again else [])
    for sample in range(12):
        place.last = sample
        watching._follow_moving(sample, None)
    assert place.is_open == read_again
    assert place.spans == spans


def test_memory_follows_what_moves_back_to_where_it_began():
    letters, empty = template_of(0), np.zeros((120, 300), np.uint8)
    history = History(60)
    for sample in range(10):
        shown = empty.copy()
        if sample >= 3:
            shown[20:60, 10 + 20 * sample : 90 + 20 * sample] = letters.bright
        history.add(Strokes(shown, empty))
    place = Place((190, 20, 80, 40), letters, 9, 9)
    assert history.since(place, 9) == 3
    assert place.box_xywh == (70, 20, 200, 40)


def test_of_many_readings_the_surest_are_kept():
    place = Place((0, 0, 80, 40), None, 0, 0)
    for number in range(40):
        place.note(Reading((0, 0, 5, 5), f"reading {number}", number / 40))
    assert max(one.confidence for one in place.readings) == 39 / 40
    assert len(place.readings) <= 12


@given(
    box=st.tuples(st.integers(0, 300), st.integers(0, 160), st.integers(1, 150), st.integers(1, 40)), scale=st.sampled_from([0.5, 1.0, 1.5])
)
def test_the_rectangle_to_hide_covers_the_text_and_stays_inside_the_picture(box, scale):
    size = (round(450 * scale), round(200 * scale))
    x, y, w, h = covering(box, (scale, scale), size)
    assert x <= box[0] * scale
    assert y <= box[1] * scale
    assert x + w >= min((box[0] + box[2]) * scale, size[0])
    assert y + h >= min((box[1] + box[3]) * scale, size[1])
    assert x + w <= size[0]
    assert y + h <= size[1]
