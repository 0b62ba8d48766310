"""Writes files and folders completely or not at all, even if a process is killed."""

import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """Yield a file beside ``path`` to write, which then takes its place, so that no reader ever sees a part.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=".partial")
    os.close(handle)
    try:
        yield Path(partial)
        Path(partial).replace(path)
    finally:
        with suppress(OSError):
            Path(partial).unlink(missing_ok=True)


def write_text(file: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    draft = file.with_name(f".{file.name}.draft")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)


def replace_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Let ``fill`` write a new folder, then put it in the place of ``folder``.

    A folder cannot be renamed over a full one, so the old one steps aside first; `recover` brings
    it back if the process dies between the two renames.
    """
    draft, old = folder.with_name(f".{folder.name}.draft"), folder.with_name(f".{folder.name}.old")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    fill(draft)
    for file in draft.rglob("*"):  # on the disk before a rename makes them count
        if file.is_file():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    draft.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def recover(parent: Path) -> None:
    """Undo what a killed `replace_folder` or `write_text` left in ``parent``."""
    for old in parent.glob(".*.old"):
        place = parent / old.name[1 : -len(".old")]
        if not place.exists():
            old.rename(place)
    for leftover in [*parent.glob(".*.old"), *parent.glob(".*.draft")]:
        if leftover.is_dir():
            shutil.rmtree(leftover)
        else:
            leftover.unlink()
