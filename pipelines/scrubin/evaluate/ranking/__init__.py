"""Teams by rank: measures, clips, significance, stability, the leaderboard."""
