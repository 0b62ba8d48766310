"""Caches of Querent that are empty but for what takes long and is the same in all of them."""

import functools
from pathlib import Path

import pytest


def new_cache(folder: Path) -> Path:
    """Make a cache with nothing but the user's encoders and shipped databases, each of which takes two seconds."""
    folder.mkdir(parents=True)
    for known in _users():
        (folder / known.name).symlink_to(known)
    return folder


@functools.cache
def _users() -> list[Path]:
    from querent.data.shipped import DATABASES, shipped_database
    from querent.encoders.convert import e5_folder

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("QUERENT_CACHE", raising=False)
        return [e5_folder().parent, *map(shipped_database, DATABASES)]
