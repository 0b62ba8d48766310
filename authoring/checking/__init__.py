"""What is wrong with a domain, as ``querent check`` tells it.

`check` makes the report and `view` shows it; `findings` are of pairs, `review` of prototypes.
"""
