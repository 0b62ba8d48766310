"""The domains that come with Querent; their databases are generated on first use."""

from __future__ import annotations

import hashlib
import importlib
import os
from pathlib import Path

from ..errors import DatabaseError, did_you_mean

__all__ = [
    "DATABASES",
    "REHEARSED",
    "SHIPPED",
    "cache_folder",
    "generated",
    "is_shipped",
    "nearest_path",
    "shipped_database",
    "shipped_folder",
]

SHIPPED = ("plant", "library")
"""Domains: a database with prototypes and pairs."""

DATABASES = {
    "plant": "querent.data.plant.generate",
    "shop": "querent.data.shop",
    "library": "querent.data.library.generate",
}
"""Databases that can be asked by their name, and the modules that generate them."""

REHEARSED = ("plant", "shop")
"""Small ones of them, over which every training samples queries, so that a base keeps reading other schemas."""

_SOURCES = {".py", ".sql", ".csv", ".toml"}


def shipped_folder(name: str) -> Path:
    """Return the domain folder of one of `SHIPPED`."""
    return Path(__file__).parent.parent / name


def is_shipped(spec: str) -> bool:
    """Tell whether a spec names one of `SHIPPED`; a domain folder of that name, where people work, comes first."""
    own = Path(spec, "domain.toml")
    return spec in SHIPPED and not (own.is_file() and own.parent.resolve() != shipped_folder(spec).resolve())


def shipped_database(name: str) -> Path:
    """Return the SQLite file of one of `DATABASES`.

    Raises:
        DatabaseError: the cache cannot be written.
    """
    return generated(DATABASES[name], name=name)


def nearest_path(path: Path) -> str | None:
    """Return a hint at what is called nearly as a path that leads nowhere: beside it, or among shipped databases."""
    if os.path.exists(path):  # noqa: PTH110 - which has no trouble with what is too long to be a name
        return None
    beside = [one.name for one in path.parent.glob("*")]
    return did_you_mean(path.name, beside + [name for name in DATABASES if path.name == str(path)])


def cache_folder() -> Path:
    """Return where generated databases are kept: $QUERENT_CACHE, $XDG_CACHE_HOME/querent or ~/.cache/querent."""
    if own := os.environ.get("QUERENT_CACHE"):
        return Path(own)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "querent"
    return Path.home() / ".cache" / "querent"


def generated(generator: str, *, name: str, seed: int = 0) -> Path:
    """Return the SQLite file that a generator module writes, made now unless the cache has it.

    Args:
        generator: module with ``build(path, *, seed)``, which leaves a whole file there or none.
        name: of the domain, begins the file's name.
        seed: for the generator; its source and the seed make the rest of the name, so that a file
            of another version is never taken for this one.

    Raises:
        DatabaseError: the cache cannot be written.
    """
    module = importlib.import_module(generator)
    source = Path(str(module.__file__)).parent
    path = cache_folder() / f"{name}-{_digest(source, seed)}.sqlite"
    if not path.is_file():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            module.build(path, seed=seed)
        except OSError as error:
            problem = f"cannot keep the generated database of {name!r} here: {error.strerror}"
            raise DatabaseError(problem, file=path, hint="set QUERENT_CACHE to a folder that can be written") from error
    return path


def _digest(folder: Path, seed: int) -> str:
    digest = hashlib.sha256(str(seed).encode())
    for file in sorted(p for p in folder.iterdir() if p.suffix in _SOURCES):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
