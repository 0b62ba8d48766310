"""Which names a query may use where: its sources, the columns they show, and what FROM still owes."""
