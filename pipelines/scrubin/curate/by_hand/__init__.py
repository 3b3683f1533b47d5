"""A stage asked for by hand: of one table, one video, one draw of clips."""
