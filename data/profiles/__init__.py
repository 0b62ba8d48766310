"""What the columns of a database hold, found once from a sample: times and how they are stored, flags, numbers in text."""
