"""What the audit holds a release against: what must be in it, what must not, what a breach is called."""
