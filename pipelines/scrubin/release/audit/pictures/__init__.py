"""What the released pictures show: which of them are looked at, the text and faces in them, and what follows."""
