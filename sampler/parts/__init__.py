"""What questions are drawn with: phrases in two languages, filters, spans of time, flags, twin columns."""
