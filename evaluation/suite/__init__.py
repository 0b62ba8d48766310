"""Test suites: small databases on which a query that differs from the gold query returns other rows.

After Zhong, Yu and Klein 2020, «Semantic Evaluation for Text-to-SQL with Distilled Test Suites».
"""

from __future__ import annotations

from .distill import Distilled, distill
from .engine import in_sqlite
from .shape import sqlite_file
from .store import Suite, find_suite, load_suite, save_suite, suite_folder

__all__ = [
    "Distilled",
    "Suite",
    "distill",
    "find_suite",
    "in_sqlite",
    "load_suite",
    "save_suite",
    "sqlite_file",
    "suite_folder",
]
