"""What the audit sees in the pictures of a release."""
