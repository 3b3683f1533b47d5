"""A format is one module: found without naming it anywhere else."""

import sys

from scrubin.labels import formats

MADE_UP = '"""A format."""\n'


def test_modules_and_those_of_packages_are_found_in_sorted_order(tmp_path, monkeypatch):
    package = tmp_path / "made_up_formats"
    (package / "inner").mkdir(parents=True)
    for file in ("__init__.py", "b.py", "a.py", "submission.py", "inner/__init__.py", "inner/reader.py"):
        (package / file).write_text(MADE_UP)
    monkeypatch.syspath_prepend(str(tmp_path))
    names = list(formats.modules([str(package)], package.name))
    assert names == [f"made_up_formats.{name}" for name in ("a", "b", "inner", "inner.reader")]


def test_every_module_of_a_format_is_imported():
    names = list(formats.modules(formats.__path__, formats.__name__))
    assert "scrubin.labels.formats.triplets.cholect50" in names
    assert all(name in sys.modules for name in names)
