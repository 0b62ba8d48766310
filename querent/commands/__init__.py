"""The commands of `querent`, each in a file."""
