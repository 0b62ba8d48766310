"""What gold queries mean by times, flags and numbers, whatever way they say it."""

from __future__ import annotations
