"""Files of strangers: what reads them, sound ones, hostile ones, damaged ones, and a command that is watched while it reads."""
