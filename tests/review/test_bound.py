"""What a sample proves: exact bounds, held against their closed forms and against SciPy's distributions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom, hypergeom

from scrubin.stages.review.sample import highest_share, most_clips

COUNTS = st.integers(1, 400)


@given(COUNTS)
def test_without_a_finding_the_bound_is_the_closed_form_which_is_about_three_by_n(n):
    exact = 1 - 0.05 ** (1 / n)
    assert exact <= highest_share(n, 0) + 1e-12 <= exact + 2e-6
    assert highest_share(n, 0) <= 3 / n


@pytest.mark.slow
@given(COUNTS, st.data())
def test_with_findings_it_is_clopper_and_pearsons(n, data):
    k = data.draw(st.integers(0, n - 1))
    assert highest_share(n, k) == pytest.approx(beta.ppf(0.95, k + 1, n - k), abs=1.1e-6)
    assert binom.cdf(k, n, highest_share(n, k)) <= 0.05 + 1e-9


@given(st.integers(1, 3000), st.data())
def test_without_replacement_one_more_bad_clip_would_be_too_unlikely_and_the_bound_itself_is_not(population, data):
    n = data.draw(st.integers(1, population))
    k = data.draw(st.integers(0, min(n, 8)))
    most = most_clips(population, n, k)
    assert k <= most <= population - (n - k)
    assert hypergeom.cdf(k, population, most, n) > 0.05 - 1e-9
    if most < population - (n - k):
        assert hypergeom.cdf(k, population, most + 1, n) <= 0.05 + 1e-9


@given(st.integers(1, 2000), st.data())
def test_the_bound_for_independent_clips_never_promises_more_than_the_exact_one(population, data):
    n = data.draw(st.integers(1, population))
    assert most_clips(population, n, 0) <= highest_share(n, 0) * population + 1e-9


def test_who_has_looked_at_everything_knows():
    assert most_clips(40, 40, 0) == 0
    assert most_clips(40, 40, 3) == 3
    assert highest_share(3, 3) == 1.0


@pytest.mark.parametrize(("checked", "findings"), [(0, 0), (3, 4), (3, -1)])
def test_what_cannot_be_proves_nothing(checked, findings):
    with pytest.raises(ValueError, match="nothing to conclude"):
        highest_share(checked, findings)
    with pytest.raises(ValueError, match="nothing to conclude"):
        most_clips(10, checked, findings)
    with pytest.raises(ValueError, match="but there are 10"):
        most_clips(10, 11, 0)
