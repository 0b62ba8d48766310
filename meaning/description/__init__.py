"""Description files: data dictionaries in which people correct and extend the detected profile."""

from __future__ import annotations
