"""From a question to its answer: links knowledge, runs the n best queries, ranks them and calibrates the confidence."""
