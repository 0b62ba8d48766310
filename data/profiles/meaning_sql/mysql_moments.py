"""A time as MySQL's date functions read it: STR_TO_DATE reads every text, what is none becomes NULL."""

from __future__ import annotations

from ..column_profile import TimeStorage
from .time_pieces import quoted

__all__ = ["mysql_moment"]


def mysql_moment(ref: str, storage: TimeStorage, *, clock: bool) -> str:
    """Return what date functions read of a column; of a text that does not sort the time of day only if ``clock``."""
    if storage.form in ("unix", "unix ms"):  # FROM_UNIXTIME would shift to the zone of the session
        return f"TIMESTAMPADD(SECOND, {ref if storage.form == 'unix' else f'{ref} / 1000'}, '1970-01-01')"
    text, formats = _format(ref, storage)
    if not formats:
        # zero dates and texts that are none become NULL
        return f"DATE_ADD({text}, INTERVAL 0 DAY)" if storage.gaps else text
    read = [f"STR_TO_DATE({text}, {quoted(form + (f'{storage.clock}%H:%i' if clock else ''))})" for form in formats]
    return read[0] if len(read) == 1 else f"IFNULL({', '.join(read)})"


def _format(ref: str, storage: TimeStorage) -> tuple[str, tuple[str, ...]]:
    """Return a text with a day, and how STR_TO_DATE is to read it, one way or the other; none where MySQL reads it."""
    ref = f"LEFT({ref}, 16)" if storage.offset else ref
    sign, added = storage.separator, {"year": ("-01-01", "1月1日"), "month": ("-01", "1日")}.get(storage.grain)
    match storage.form:
        case "year first":
            form = "%Y年%m月%d日" if sign == "年" else f"%Y{sign}%m{sign}%d"
            day = "" if added is None else added[1] if sign == "年" else added[0].replace("-", sign)
            return (f"CONCAT({ref}, {quoted(day)})" if day else ref), (form,)
        case "day first" | "month first":
            first, second = ("d", "m") if storage.form == "day first" else ("m", "d")
            return ref, (f"%{first}{sign}%{second}{sign}%Y",)
        case "month name" if storage.grain == "month":
            return f"CONCAT('1 ', {ref})", ("%d %b %Y", "%d %M %Y")
        case "month name":
            gap = sign or " "
            before, behind = (f"%d{gap}", f"{gap}%Y") if storage.day_before_month else ("", f" %d{gap}%Y")
            return ref, (f"{before}%b{behind}", f"{before}%M{behind}")
        case form:
            day = "" if added is None else added[0].replace("-", "") if form == "digits" else added[0]
            return (f"CONCAT({ref}, {quoted(day)})" if day and form != "native" else ref), ()
