"""Names that labels are made of, as data files with their source."""
