"""A time as the date functions of a dialect read it, and what of it sorts."""

from __future__ import annotations

from ..errors import QueryError
from .column_profile import TimeStorage
from .time_pieces import pieces_of, quoted

__all__ = ["guarded", "moment_of", "read_by_sqlite", "sortable"]


def read_by_sqlite(storage: TimeStorage) -> bool:
    """Do SQLite's date functions read such cells, or what little makes of them?"""
    slashed = storage.form == "year first" and storage.padded and storage.grain == "day" and storage.separator != "年"
    return slashed or storage.form in ("iso", "unix", "unix ms")


def moment_of(ref: str, storage: TimeStorage, dialect: str, *, clock: bool = False) -> str:
    """Return what date functions read: ISO text in SQLite, what is a date or reads as one in MySQL.

    Of what does not sort, MySQL reads the time of day if ``clock``, SQLite never does.

    Raises:
        QueryError: PostgreSQL makes a date of no text and no number without the risk of an error.
    """
    match dialect, storage.form:
        case "sqlite", "unix":
            return f"DATETIME({ref}, 'unixepoch')"
        case "sqlite", "unix ms":
            return f"DATETIME({ref} / 1000, 'unixepoch')"
        case "sqlite", "iso" | "native":
            return f"{ref} || '-01'" if storage.grain == "month" else ref
        case "sqlite", "year first" if read_by_sqlite(storage):
            return f"REPLACE({ref}, {quoted(storage.separator)}, '-')"
        case "sqlite", _:
            day = {"month": " || '-01'", "year": " || '-01-01'"}.get(storage.grain, "")
            return pieces_of(ref, storage, dialect).joined("-") + day
        case "mysql", _:
            return _mysql_moment(ref, storage, " %H:%i" if clock else "")
        case _, "native":
            return ref
        case _:
            raise QueryError(
                f"{dialect} makes no date of what is stored as {storage.form}", hint="use a view that casts it"
            )


def _mysql_moment(ref: str, storage: TimeStorage, clock: str) -> str:
    match storage.form:
        case "unix" | "unix ms":  # FROM_UNIXTIME would shift to the zone of the session
            seconds = ref if storage.form == "unix" else f"{ref} / 1000"
            return f"TIMESTAMPADD(SECOND, {seconds}, '1970-01-01')"
        case "year":
            return f"CONCAT({ref}, '-01-01')"
        case "iso" | "digits" if storage.grain == "month":
            return f"CONCAT({ref}, '{'-01' if storage.form == 'iso' else '01'}')"
        case "year first":
            return _mysql_year_first(ref, storage, clock)
        case "month name" if storage.grain == "month":
            short, whole = (f"STR_TO_DATE(CONCAT('1 ', {ref}), '%d {month} %Y')" for month in ("%b", "%M"))
            return f"IFNULL({short}, {whole})"
        case "day first" | "month first":
            sign = storage.separator
            first, second = ("d", "m") if storage.form == "day first" else ("m", "d")
            return f"STR_TO_DATE({ref}, {quoted(f'%{first}{sign}%{second}{sign}%Y{clock}')})"
        case "month name":
            comma = ", " if "," in storage.separator else storage.separator or " "
            before, behind = ("%d" + comma, comma + "%Y") if storage.day_before_month else ("", " %d" + comma + "%Y")
            short, whole = (quoted(before + month + behind + clock) for month in ("%b", "%M"))
            return f"IFNULL(STR_TO_DATE({ref}, {short}), STR_TO_DATE({ref}, {whole}))"
        case _:
            # zero dates and texts that are none become NULL
            return f"DATE_ADD({ref}, INTERVAL 0 DAY)" if storage.gaps else ref


def _mysql_year_first(ref: str, storage: TimeStorage, clock: str) -> str:
    chinese = storage.separator == "年"
    day = {"year": "1月1日" if chinese else "", "month": "1日" if chinese else f"{storage.separator}1"}.get(
        storage.grain
    )
    text = f"CONCAT({ref}, {quoted(day)})" if day else ref
    form = "%Y年%m月%d日" if chinese else "%Y{0}%m{0}%d".format(storage.separator)
    return f"STR_TO_DATE({text}, {quoted(form + clock)})"


def sortable(ref: str, storage: TimeStorage, dialect: str) -> str:
    """Return what sorts by time: the column itself where its cells do, else their days as 20240203, or dates."""
    if storage.sorts:
        return ref
    if dialect == "mysql":
        return moment_of(ref, storage, dialect)
    pieces = pieces_of(ref, storage, dialect)
    return guarded(ref, pieces.joined(), pieces.pattern, storage)


def guarded(ref: str, value: str, pattern: str, storage: TimeStorage) -> str:
    """Return a value that is NULL where the cell does not look like a time, if the column has such texts."""
    return f"CASE WHEN {ref} LIKE {quoted(pattern)} THEN {value} END" if storage.gaps and storage.text else value
