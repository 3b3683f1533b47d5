"""The search for a balanced split: program, start, descent, bound and obstacles."""
