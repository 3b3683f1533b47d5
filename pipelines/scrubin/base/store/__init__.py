"""Results that are kept, with the code that they depend on."""
