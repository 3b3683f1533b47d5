"""Does a submission's program look ahead? It runs on videos whose future is changed; what it said before must stay."""
