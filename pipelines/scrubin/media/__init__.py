"""What is inside video files, pictures, calibrations of cameras."""
