"""What a dialect's types make of the types of columns, as scripts and servers write them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .abstract_values import AbstractValue
from .signatures import read_value

__all__ = ["ColumnTypes"]

_NOISE = re.compile(r"""'.*'|(?<=INT)\(\d+\)|"[^"]*\"""")
"""What a column's type holds and does not hang on: labels, how wide integers are shown, names that people have made."""

_SIZE = re.compile(r"(?:DEC|NUMERIC|FIXED)\w*\s*\((\d+)(?:\s*,\s*(\d+))?\)")


class ColumnTypes:
    """Reads types of columns by the lines of [columns], the first that fits; ``strict`` as in `DialectTypes`.

    Where sizes are ``tight``, the digits before the point and those behind it are not added.
    """

    def __init__(self, lines: Mapping[str, str], *, strict: bool, tight: bool = False) -> None:
        self._strict, self._tight = strict, tight
        self._lines = [(_pattern(part, whole=strict), read_value(str(spec))) for part, spec in lines.items()]

    def read(self, sql_type: str) -> AbstractValue:
        """Return what is known of the values of a column."""
        name = _NOISE.sub("", sql_type.upper())
        value = next((value for part, value in self._lines if part.search(name)), AbstractValue("other"))
        size = _SIZE.search(name)
        if size is None or value.type not in {"dec", "udec"}:
            return value
        precision, scale = int(size[1]), int(size[2] or 0)
        before = max(precision - scale, 1) if self._tight or not self._strict else precision
        return value._replace(magnitude=max(before, scale) if self._strict else before)


def _pattern(part: str, *, whole: bool) -> re.Pattern[str]:
    """Return what finds a part of a type's name, only as a whole word if ``whole``, and words with others between."""
    before = r"(?<![\w.])" if whole and part[0].isalnum() else ""
    behind = r"(?!\w)" if whole and part[-1].isalnum() else ""
    return re.compile(before + ".*".join(map(re.escape, part.split())) + behind)
