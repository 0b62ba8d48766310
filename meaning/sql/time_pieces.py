"""Year, month, day and hour of a time in a text, for SQLite and PostgreSQL: texts of four and of two digits.

    03/02/2024      SUBSTR(t.c, 7, 4)    SUBSTR(t.c, 4, 2)    SUBSTR(t.c, 1, 2)
    3/2/2024        SUBSTR(t.c, - 4)     REPLACE(SUBSTR(t.c, - 7, 2), '/', '0')    …

MySQL's STR_TO_DATE reads all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...data.schema.enumerations import quoted
from ..profile import TimeStorage

__all__ = ["TimePieces", "pieces_of", "quoted"]

_MONTHS = "JAN01FEB02MAR03APR04MAY05JUN06JUL07AUG08SEP09OCT10NOV11DEC12"
"""Behind the first letters of a month's name stands its number."""


@dataclass(frozen=True)
class TimePieces:
    """SQL of each piece, the empty text where cells do not tell it; ``pattern`` is what cells that say a time are LIKE.

    In SQLite the hour may have a space in place of its first digit.
    """

    year: str
    month: str = ""
    day: str = ""
    hour: str = ""
    pattern: str = ""

    def joined(self, between: str = "", pieces: int = 3) -> str:
        """Return the first ``pieces`` of year, month and day as one text: 20240203, or 2024-02-03."""
        sign = f" || {quoted(between)} || " if between else " || "
        return sign.join(piece for piece in (self.year, self.month, self.day)[:pieces] if piece)


def pieces_of(ref: str, storage: TimeStorage, dialect: str) -> TimePieces:
    """Return the pieces of a text or of digits."""
    monthly = storage.grain == "month"
    match storage.form:
        case "iso":
            hour = _at(ref, 12, 2) if storage.grain == "second" else ""
            pattern = "____-__%" if monthly else "____-__-__%"
            return TimePieces(_at(ref, 1, 4), _at(ref, 6, 2), "" if monthly else _at(ref, 9, 2), hour, pattern)
        case "digits":
            ref = f"CAST({ref} AS TEXT)" if dialect == "postgres" and not storage.text else ref
            day, pattern = ("", "______") if monthly else (_at(ref, 7, 2), "________")
            return TimePieces(_at(ref, 1, 4), _at(ref, 5, 2), day, "", pattern)
        case "year first":
            return _year_first(ref, storage, dialect)
        case "day first" | "month first":
            first, second, year = (_padded if storage.padded else _unpadded)(ref, storage, dialect)
            month, day = (second, first) if storage.form == "day first" else (first, second)
            sign = storage.separator
            pattern = f"__{sign}__{sign}____%" if storage.padded else f"%{sign}%{sign}____%"
            return TimePieces(year, month, day, _hour(ref, storage, dialect), pattern)
        case "month name":
            name, day, year = (
                _named_second if storage.day_before_month and storage.grain != "month" else _named_first
            )(ref, storage, dialect)
            return TimePieces(year, _number_of(name, dialect), day, _hour(ref, storage, dialect), _pattern(storage))
        case "year":
            ref = f"CAST({ref} AS TEXT)" if dialect == "postgres" and not storage.text else ref
            return TimePieces(ref)
        case _:
            raise ValueError(f"{storage.form} has no pieces")


def _at(ref: str, start: int, length: int) -> str:
    return f"SUBSTR({ref}, {start}, {length})"


def _pattern(storage: TimeStorage) -> str:
    """Return what «3 Feb 2024» or «February 3, 2024» is LIKE."""
    if storage.day_before_month and storage.grain != "month":
        sign = storage.separator or " "
        return f"%_{sign}___%{sign}____%"
    if storage.grain == "month":
        return "___% ____"
    return "___% %, ____%" if "," in storage.separator else "___% % ____%"


def _number_of(name: str, dialect: str) -> str:
    """Return the two digits of a month, of its first letters."""
    if dialect == "postgres":
        return f"LEFT(SPLIT_PART('{_MONTHS}', UPPER({name}), 2), 2)"
    return f"SUBSTR('{_MONTHS}', INSTR('{_MONTHS}', UPPER({name})) + 3, 2)"


def _hour(ref: str, storage: TimeStorage, dialect: str) -> str:
    if storage.grain != "second":
        return ""
    if dialect == "postgres":
        return f"REPLACE(RIGHT(SPLIT_PART({ref}, ':', 1), 2), ' ', '0')"
    return f"SUBSTR({ref}, INSTR({ref}, ':') - 2, 2)"


def _padded(ref: str, storage: TimeStorage, dialect: str) -> tuple[str, str, str]:
    """Return the first two numbers and the year of 03/02/2024."""
    return _at(ref, 1, 2), _at(ref, 4, 2), _at(ref, 7, 4)


def _unpadded(ref: str, storage: TimeStorage, dialect: str) -> tuple[str, str, str]:
    """Return the first two numbers, with two digits each, and the year of 3/2/2024."""
    sign = quoted(storage.separator)
    if dialect == "postgres":
        first, second = (f"LPAD(SPLIT_PART({ref}, {sign}, {n}), 2, '0')" for n in (1, 2))
        return first, second, f"SUBSTR(SPLIT_PART({ref}, {sign}, 3), 1, 4)"
    end = _end(ref, storage) + " " if storage.grain == "second" else ""
    second = f"REPLACE(SUBSTR({ref}, {end}- 7, 2), {sign}, '0')"
    year = f"SUBSTR({ref}, {end}- 4, 4)"
    return _number_before(ref, sign), second, year


def _end(ref: str, storage: TimeStorage) -> str:
    """Return the place behind the day, where a time of day may follow."""
    sign = quoted(_clock_sign(storage))
    return f"INSTR({ref} || {sign}, {sign})"


def _clock_sign(storage: TimeStorage) -> str:
    return storage.clock.strip()[:1] or " "


def _number_before(ref: str, sign: str) -> str:
    """Return the number of one or two digits at the beginning, with two."""
    return f"SUBSTR('0' || {ref}, INSTR({ref}, {sign}) - 1, 2)"


def _year_first(ref: str, storage: TimeStorage, dialect: str) -> TimePieces:
    """Return the pieces of 2024/02/03, 2024-2-3 10:05, 2024年2月3日, 2024年2月."""
    sign, second, last = ("年", "月", "日") if storage.separator == "年" else (storage.separator, storage.separator, "")
    year, hour = _at(ref, 1, 4), _hour(ref, storage, dialect)
    if storage.grain == "year":
        return TimePieces(year, pattern=f"____{sign}%")
    daily, pattern = storage.grain != "month", f"____{sign}%"
    if storage.padded:
        return TimePieces(year, _at(ref, 6, 2), _at(ref, 9, 2) if daily else "", hour, pattern)
    if dialect == "postgres":
        month = f"SPLIT_PART(SPLIT_PART({ref}, {quoted(sign)}, 2), {quoted(second)}, 1)"
        day = f"SPLIT_PART({ref}, '月', 2)" if last else f"SPLIT_PART({ref}, {quoted(sign)}, 3)"
        end = quoted(last or _clock_sign(storage))
        day = f"LPAD(SPLIT_PART({day}, {end}, 1), 2, '0')" if last or hour else f"LPAD({day}, 2, '0')"
        return TimePieces(year, f"LPAD({month}, 2, '0')", day if daily else "", hour, pattern)
    rest, behind = f"SUBSTR({ref}, 6)", quoted(second)
    if not daily and not last:
        return TimePieces(year, f"REPLACE(SUBSTR({ref}, - 2), {behind}, '0')", "", hour, pattern)
    end = f"INSTR({ref}, {quoted(last)})" if last else _end(ref, storage)
    day = f"SUBSTR({ref}, {end} - 2, 2)" if last or hour else f"SUBSTR({ref}, - 2)"
    day = f"REPLACE({day}, {behind}, '0')"
    return TimePieces(year, _number_before(rest, behind), day if daily else "", hour, pattern)


def _named_first(ref: str, storage: TimeStorage, dialect: str) -> tuple[str, str, str]:
    """Return the month's first letters, the day and the year of «Feb 3, 2024», without a day of «February 2024»."""
    name = _at(ref, 1, 3)
    if storage.grain == "month":
        return name, "", f"SUBSTR({ref}, - 4)" if dialect == "sqlite" else f"RIGHT({ref}, 4)"
    comma = "," in storage.separator
    if dialect == "postgres":
        day = f"SPLIT_PART({ref}, ' ', 2)"
        day = f"SPLIT_PART({day}, ',', 1)" if comma else day
        return name, f"LPAD({day}, 2, '0')", f"SUBSTR(SPLIT_PART({ref}, ' ', 3), 1, 4)"
    if storage.grain != "second":
        return name, f"REPLACE(SUBSTR({ref}, - {8 if comma else 7}, 2), ' ', '0')", f"SUBSTR({ref}, - 4)"
    if comma:
        place = f"INSTR({ref}, ',')"
        return name, f"REPLACE(SUBSTR({ref}, {place} - 2, 2), ' ', '0')", f"SUBSTR({ref}, {place} + 2, 4)"
    rest = f"SUBSTR({ref}, INSTR({ref}, ' ') + 1)"
    return name, _number_before(rest, "' '"), f"SUBSTR({rest}, INSTR({rest}, ' ') + 1, 4)"


def _named_second(ref: str, storage: TimeStorage, dialect: str) -> tuple[str, str, str]:
    """Return the month's first letters, the day and the year of «3 February 2024»."""
    sign = quoted(storage.separator or " ")
    if dialect == "postgres":
        day, name, year = (f"SPLIT_PART({ref}, {sign}, {n})" for n in (1, 2, 3))
        return _at(name, 1, 3), f"LPAD({day}, 2, '0')", _at(year, 1, 4)
    width = len(storage.separator or " ")
    name = f"SUBSTR({ref}, INSTR({ref}, {sign}) + {width}, 3)"
    if storage.grain != "second":
        return name, _number_before(ref, sign), f"SUBSTR({ref}, - 4)"
    rest = f"SUBSTR({ref}, INSTR({ref}, {sign}) + {width})"
    return name, _number_before(ref, sign), f"SUBSTR({rest}, INSTR({rest}, {sign}) + {width}, 4)"
