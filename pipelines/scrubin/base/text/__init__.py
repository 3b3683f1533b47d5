"""Text that people write: cells of a CSV, names, keys of a YAML file."""
