"""What a program predicts, as proposals of labels: read, put on released frames, taken in whole or in part."""
