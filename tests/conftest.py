"""Fixtures that every room's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the public sets, or skip: users do not have it."""
    if not SHARED.is_dir():
        pytest.skip("the public text-to-SQL sets are not at ../shared/data")
    return SHARED
