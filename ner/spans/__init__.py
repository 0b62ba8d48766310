"""Time expressions of a question as intervals: «in Q3 2023», «after March», «the last 30 days», 上个月."""
