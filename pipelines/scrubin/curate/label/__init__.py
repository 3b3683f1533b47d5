"""Labels and ratings that are made here: who labels what, what stands, where people disagree, what is exported."""
