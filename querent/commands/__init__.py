"""The commands of `querent`, one a file."""
