"""The first list of a study: recordings, cameras and parts drafted from a folder of files, each guess to be confirmed."""
