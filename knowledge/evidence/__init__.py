"""Evidence beside questions, as BIRD writes it: «long refers to distance > 100», read as formulas."""
