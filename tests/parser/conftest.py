"""One small run for all tests that need a parser which knows something."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``domain``, ``encoder``, and ``run``, which knows the domain's pairs by heart."""
    from tiny_domain import learnt

    folder = tmp_path_factory.mktemp("tiny")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUERENT_CACHE", str(folder / "cache"))
        learnt(folder)
    return folder


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep indexes out of the user's cache."""
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "cache"))
