"""A release says how many recordings went, with which version and why; a number that hides it is refused."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scrubin.audit.expected.withdrawal_memory import Memory
from scrubin.base.errors import ParamsError, ReleaseError
from scrubin.curate.lists.withdrawal import with_raised_version
from scrubin.stages.withdrawals import releases

NUMBERS = st.tuples(*[st.integers(0, 30)] * 3)


def test_recordings_are_counted_by_version_and_reason_in_the_order_of_versions():
    first = releases.tombstones([], {"a": "request", "b": "consent", "c": "consent"}, "2.0.0")
    assert first == [{"version": "2.0.0", "recordings": 2, "reason": "consent"}, {"version": "2.0.0", "recordings": 1, "reason": "request"}]
    later = releases.tombstones(first, {"d": "legal"}, "10.0.0")
    assert later == [*first, {"version": "10.0.0", "recordings": 1, "reason": "legal"}]
    assert releases.tombstones(later, {}, "10.0.1") == later


def test_only_what_was_released_leaves_a_tombstone():
    withdrawn = Memory().with_recording("a", "consent", {}, []).with_recording("never released", "consent", {}, [])
    assert releases.gone(["a", "lost otherwise"], withdrawn) == {"a": "consent"}


@given(NUMBERS, NUMBERS)
def test_a_release_without_somebody_is_a_major_step_above_the_last(last, now):
    numbers = [".".join(map(str, one)) for one in (last, now)]
    if now[0] > last[0]:
        releases.refuse_number(*numbers, {"a": "consent"})
    else:
        with pytest.raises(ReleaseError, match=rf"1 recording, .*set release.version in params.yaml to {last[0] + 1}\.0\.0, it is"):
            releases.refuse_number(*numbers, {"a": "consent"})
    releases.refuse_number(*numbers, {})


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_raising_the_number_leaves_everything_else_in_params_yaml_as_it_was(end):
    text = end.join(
        ["other:", "  version: 1.0.0", "release: # what", "  name: a", "  # the number", "  version: 1.2.3 # ours", "  x: 1", "z: {}", ""]
    )
    raised = with_raised_version(text, "2.0.0")
    assert raised == text.replace("1.2.3", "2.0.0")
    assert yaml.safe_load(raised)["release"]["version"] == "2.0.0"


@pytest.mark.parametrize("text", ["", "release: {version: 1.0.0}\n", "release:\n  name: a\nother:\n  version: 1.0.0\n"])
def test_a_number_that_is_not_where_it_should_be_is_left_to_the_curator(text):
    with pytest.raises(ParamsError, match=r"'release.version' was not found; set it to 2\.0\.0 by hand"):
        with_raised_version(text, "2.0.0")
