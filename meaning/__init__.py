"""What the columns of a database hold, found from a sample: times and their storage, flags, numbers in text."""

from __future__ import annotations
