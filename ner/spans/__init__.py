"""Times that a question says, as intervals: «in Q3 2023», «after March», «the last 30 days», 上个月."""
