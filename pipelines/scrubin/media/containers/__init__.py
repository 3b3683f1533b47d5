"""What a video file holds before anything is decoded: pieces of bytes, DICOM, QuickTime, H.264."""
