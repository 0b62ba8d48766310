"""Dialogue with a database: connections that answer questions, and conversations over several turns."""
