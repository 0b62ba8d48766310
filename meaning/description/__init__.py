"""Description files: data dictionaries in which people correct and extend the detected profile."""
