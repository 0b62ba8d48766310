"""Reading a domain, whatever holds it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ..errors import DomainError, did_you_mean
from ..shipped import SHIPPED, is_shipped, shipped_folder
from . import folder
from .domain import Domain
from .public_sets import read_css, read_spider, read_text2sql

FORMATS: Mapping[str, Callable[..., Domain]] = {
    "folder": folder.read,
    "text2sql": read_text2sql,
    "css": read_css,
    "spider": read_spider,
}
"""What may stand before the colon of a spec, and what reads it."""

_FORMAT = re.compile(r"([A-Za-z][A-Za-z0-9_]+):(?!//)(.+)", re.DOTALL)  # two letters at least: C:\ is a path


def load_domain(spec: str | Path, *, language: str | None = None) -> Domain:
    """Read a domain.

    Args:
        spec: a domain folder, the name of a shipped domain (``plant``), or ``FORMAT:PATH`` with a
            format of `FORMATS` (``text2sql:data/geography``, ``css:data/css-yibao``,
            ``spider:data/spider#concert_singer``).
        language: of the questions, where the source has several; None takes its default.

    Raises:
        DomainError: nothing is there, or it cannot be read; the message has file, line and field.
        SchemaError: its schema cannot be read.
    """
    spec = str(spec)
    if is_shipped(spec):
        return folder.read(shipped_folder(spec), language=language, shipped=True)
    match = _FORMAT.fullmatch(spec)
    if match is not None and match[1] in FORMATS:
        return replace(FORMATS[match[1]](match[2], language=language), source=spec)
    if Path(spec).is_dir():
        return replace(folder.read(spec, language=language), source=spec)
    if match is not None:
        hint = did_you_mean(match[1], FORMATS) or f"use one of {', '.join(FORMATS)}"
        raise DomainError(f"no format {match[1]!r} in {spec!r}", field="domain", hint=hint)
    hint = did_you_mean(spec, SHIPPED) or f"give a folder, {', '.join(SHIPPED)}, or FORMAT:PATH"
    raise DomainError("no such domain folder", file=spec, hint=hint)
