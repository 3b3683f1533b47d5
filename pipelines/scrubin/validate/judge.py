"""Great Expectations as the judge: expectations of a data frame in, one verdict each out.

Only verdicts come from it. Naming 20 keys through it takes a minute per rule when all of two
million rows are wrong (measured with 1.24); the rules themselves name them in a fraction of a second.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence

import pandas as pd

from scrubin.core.errors import StageError
from scrubin.validate.check import Expectation

os.environ["GX_ANALYTICS_ENABLED"] = "false"  # read when the package is imported


class Judge:
    """A Great Expectations context in memory, without progress bars and without a word to the network."""

    def __init__(self) -> None:
        # Five seconds, and an extra: only for who judges by it.
        import great_expectations as gx
        from great_expectations.data_context.types.base import ProgressBarsConfig

        # It would announce, with the path, a temporary folder that it makes for pages nobody needs.
        logging.getLogger("great_expectations.data_context.types.base").setLevel(logging.WARNING)
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        # One asset for all frames: each that is added or deleted rewrites the configuration of the whole context.
        asset = context.data_sources.add_pandas("study").add_dataframe_asset("frame")
        self._batch = asset.add_batch_definition_whole_dataframe("all")

    def verdicts(self, name: str, frame: pd.DataFrame, expectations: Sequence[Expectation]) -> list[bool]:
        """Return for each expectation whether the frame meets it.

        Raises
        ------
        StageError
            When Great Expectations cannot evaluate one: that is no verdict.
        """
        if not expectations:
            return []
        import great_expectations as gx
        import great_expectations.expectations as gxe

        numbered = [getattr(gxe, one.name)(**one.arguments, meta={"number": i}) for i, one in enumerate(expectations)]
        suite = gx.ExpectationSuite(name=name, expectations=numbered)
        results = self._batch.get_batch(batch_parameters={"dataframe": frame}).validate(suite, result_format="BOOLEAN_ONLY")
        verdicts: dict[int, bool] = {}
        for result in results.results:
            config = result.expectation_config
            if config is None or config.meta is None or (result.exception_info or {}).get("raised_exception", True):
                msg = f"Great Expectations cannot evaluate {config} on '{name}': {result.exception_info}"
                raise StageError(msg)
            verdicts[config.meta["number"]] = bool(result.success)
        return [verdicts[i] for i in range(len(expectations))]
