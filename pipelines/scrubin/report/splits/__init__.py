"""The report's section on splits."""
