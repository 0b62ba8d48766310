"""What every test of the parser stands on."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_cache(cache: Path) -> None:
    """Keep indexes out of the user's cache."""
