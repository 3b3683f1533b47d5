"""Pictures as a release holds them: frames of its videos by number, extracted frames, DICOM objects."""
