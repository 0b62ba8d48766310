"""Parts of sampled questions: phrases in two languages, filters, spans of time, flags, twin columns."""
