"""The checks of a domain, which ``querent check`` reports.

`check` makes the report and `view` shows it; `findings` are of pairs, `review` of prototypes.
"""
