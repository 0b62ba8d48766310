"""Databases and what they tell of themselves: opened to read, never to write."""
