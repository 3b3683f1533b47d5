"""A downloaded release held to what was released: needs numpy, pandas and pyarrow only, and no network."""
