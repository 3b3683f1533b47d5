"""Every table of the study, declared once: schema, checks and data dictionary follow."""
