"""The release: what goes out, and the proof that nothing private goes with it."""
