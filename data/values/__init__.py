"""Numbers and times as questions say them, and the values of a query found in its question."""
