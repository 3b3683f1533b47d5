"""What several people say of the same recording: how far they agree, where they differ, what stands."""
