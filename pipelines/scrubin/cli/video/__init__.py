"""Commands on one video: told, looked through, hidden in, taken apart into frames."""
