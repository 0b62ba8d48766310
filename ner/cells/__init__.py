"""The cells of a database, and the index file that has them under their keys."""
