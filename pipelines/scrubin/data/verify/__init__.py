"""A downloaded release held to what was released: needs numpy, pandas, pyarrow only, no network."""
