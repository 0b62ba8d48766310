"""In which encoding a text file is written: UTF-8 wherever it can be read so; else a guess, which is told."""

from __future__ import annotations

import codecs
import warnings
from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError

__all__ = ["encoding_of"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as UTF-16's does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESSED = ("cp1252", "gb18030", "cp1250", "cp1251", "cp1253", "cp1254", "big5", "cp932", "cp949")
"""What spreadsheets write by themselves somewhere; those in front are taken where several are as likely."""

_CHUNK = 1 << 20
_SAMPLE = 1 << 16
"""Bytes of lines with signs that ASCII has not, from which the encoding is guessed."""


def encoding_of(file: Path) -> str:
    """Return the encoding of a text file, as Python names it.

    Raises:
        InputError: it is no text.

    Warns:
        UserWarning: it is a guess.
    """
    with file.open("rb") as stream:
        head = stream.read(1 << 12)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    if wide := _wide(head):
        return wide
    if b"\0" in head:
        raise InputError("not a text: it has zero bytes", file=file, hint="give a CSV, TSV, Excel or Parquet file")
    if _is_utf8(file):
        return "utf-8"
    guess = _guess(b"".join(_telling(file)))
    if guess is None:
        raise InputError("not a text in any known encoding", file=file, hint="save it as UTF-8")
    warnings.warn(f"{file}: not UTF-8, read as {guess}; save it as UTF-8 if letters are wrong", stacklevel=2)
    return guess


def _wide(head: bytes) -> str:
    """Return UTF-16 without its mark where every other byte is nought, as of Latin letters."""
    zeros = [head[place::2].count(0) for place in (0, 1)]
    half = len(head) // 2
    if half and zeros[1] > 0.4 * half and not zeros[0]:
        return "utf-16-le"
    return "utf-16-be" if half and zeros[0] > 0.4 * half and not zeros[1] else ""


def _is_utf8(file: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with file.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _telling(file: Path) -> Iterator[bytes]:
    """Yield lines that are not ASCII alone."""
    size = 0
    with file.open("rb") as stream:
        while size < _SAMPLE and (line := stream.readline(_SAMPLE)):
            if not line.isascii():
                size += len(line)
                yield line


def _guess(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes  # most files need no guess

    found = from_bytes(sample, cp_isolation=list(_GUESSED))
    best = found.best()
    if best is None:
        return None
    alike = [one for one in found if (one.chaos, one.coherence) == (best.chaos, best.coherence)]
    names = {name for one in alike for name in one.could_be_from_charset}
    return next((name for name in _GUESSED if name in names), best.encoding)
