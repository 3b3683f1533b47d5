from __future__ import annotations

import time

import numpy as np
import pytest

from scrubin.base.errors import StageError
from scrubin.media.networks import reading, weights
from scrubin.media.networks.weights import NETWORKS

SUM = 2695033
TEXT = ("text-detection", "text-recognition")


def test_every_network_of_the_registry_has_a_proof():
    assert set(weights.EXPECTED) == set(weights.SIZES_PX) == set(NETWORKS)


@pytest.mark.parametrize("name", TEXT)
def test_this_processor_gives_the_scores_that_the_registry_names(name):
    reading._network.cache_clear()
    reading._network(name)


@pytest.mark.parametrize("name", TEXT)
@pytest.mark.parametrize("fault", [lambda out: out * 0.99, lambda out: np.roll(out, 1, axis=-2), np.zeros_like, lambda out: out * np.nan])
def test_other_scores_are_an_error_that_names_the_network_and_the_fix(name, fault):
    network = reading._network(name)
    with pytest.raises(StageError, match=rf"'{name}' gives other scores on this processor.*another processor"):
        weights.proven(name, lambda bgr: fault(reading._scores(network, bgr)))


def test_a_network_is_proven_before_its_first_use_and_once(monkeypatch):
    proven = []
    monkeypatch.setattr(reading, "proven", lambda name, _: proven.append(name))
    reading._network.cache_clear()
    picture = np.zeros((64, 64, 3), np.uint8)
    assert reading.read(picture) == []
    assert reading.read(picture) == []
    assert proven == ["text-detection"]  # the second network is not even loaded where there is no line
    reading._network.cache_clear()


@pytest.mark.parametrize("name", TEXT)
def test_a_proof_takes_a_twentieth_of_a_second_at_most(name):
    network = reading._network(name)
    used = []
    for _ in range(3):
        start = time.process_time()
        weights.proven(name, lambda bgr: reading._scores(network, bgr))
        used.append(time.process_time() - start)
    assert min(used) < 0.05


def test_the_picture_is_drawn_by_whole_numbers_alone():
    shown = weights.picture(64, 128)
    assert (shown.dtype, shown.shape) == (np.uint8, (64, 128, 3))
    assert int(shown.astype(int).sum()) == SUM
