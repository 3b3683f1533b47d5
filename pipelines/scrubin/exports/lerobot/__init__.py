"""The layout of LeRobot v3: videos of all cameras, rows of their frames, and a table of episodes."""
