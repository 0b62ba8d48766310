"""The cells of a database, and the index file that stores them under their search keys."""
