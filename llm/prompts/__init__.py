"""The prompt files, with a folder for each language."""
