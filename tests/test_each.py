"""A test over many cases says which of them fail, and lets none hide another."""

import pytest

from each import each


def test_every_case_that_fails_is_named():
    @each("number, other", [(1, 2), (3, 3), (5, 6), (7, 7)])
    def unequal(number, other):
        assert number != other

    with pytest.raises(AssertionError) as caught:
        unequal()
    assert caught.value.__notes__ == ["of unequal, 2 of 4 cases fail: (3, 3); (7, 7)"]


def test_a_case_that_raises_nothing_where_it_should_is_named_too():
    @each("error", [ValueError, KeyError], say=lambda error: error.__name__)
    def raises_value_error(error):
        with pytest.raises(error):
            raise ValueError

    @each("number", [1, 2], say=str)
    def raises_at_2(number):
        with pytest.raises(ZeroDivisionError):
            _ = 1 / (number - 1)

    with pytest.raises(ValueError) as caught:  # noqa: PT011
        raises_value_error()
    assert caught.value.__notes__ == ["of raises_value_error, 1 of 2 cases fail: KeyError"]
    with pytest.raises(pytest.fail.Exception) as failed:
        raises_at_2()
    assert failed.value.__notes__ == ["of raises_at_2, 1 of 2 cases fail: 2"]


@each("name", ["a", "a", "b"])
def test_every_case_has_its_own_folder_and_prints(name, tmp_path, capsys):
    assert not list(tmp_path.iterdir())
    (tmp_path / name).write_text(name)
    print(name)  # noqa: T201
    assert capsys.readouterr().out == f"{name}\n"


def test_no_case_at_all_is_no_test():
    with pytest.raises(AssertionError, match="has no case"):
        each("number", [])(lambda number: number)
