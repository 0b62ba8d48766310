"""What the cells of one column say: times, flags, numbers, and what the column is for."""
