"""Everything cheap is checked before a frame is decoded: lists, sheets, labels, parameters, room, networks, the release's own words."""
