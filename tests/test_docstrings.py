"""What a docstring shows is what its function returns."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

PIPELINES = Path(__file__).parents[1] / "pipelines"


def test_every_example_in_a_docstring_is_true():
    """One test imports the modules that show an example; pytest would import every module in every worker."""
    runner, wrong, shown = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS), [], 0
    for path in sorted((PIPELINES / "scrubin").rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(PIPELINES).with_suffix("").parts).removesuffix(".__init__")
            found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name), name)
            assert any(test.examples for test in found), f"{name} has an example that is not found"
            for test in found:
                shown += len(test.examples)
                runner.run(test, out=wrong.append)
    assert not wrong, "\n".join(wrong)
    assert shown > 300
