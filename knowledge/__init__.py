"""Knowledge of people about a database: formulas, the grounding of their concepts, and solved questions."""
