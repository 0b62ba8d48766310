"""What an expression may hold: abstract values, and what operators, functions and casts make of them."""
