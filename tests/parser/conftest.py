"""What every test of the parser stands on."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep indexes out of the user's cache."""
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "cache"))
