"""Where people differ, as suspects; and where the label page shows a suspect."""
