"""Formulas from and to what others use: semantic layers, benchmarks' knowledge, and Querent's own files."""
