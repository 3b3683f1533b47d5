"""The curator's data-quality report: private, one file, opens offline."""
