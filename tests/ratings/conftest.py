"""Small studies of rated recordings."""

from rating_fixtures import edge, golden, golden_sheets, make_params, make_roster, make_tables, write_sheet

__all__ = ["edge", "golden", "golden_sheets", "make_params", "make_roster", "make_tables", "write_sheet"]
