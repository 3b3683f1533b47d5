"""Video files: what they hold, their decoded frames, ffmpeg as a program."""
