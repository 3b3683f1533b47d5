"""Text in the pictures of a recording: cheap measures say where and when to read, places say from when to when it stands."""
