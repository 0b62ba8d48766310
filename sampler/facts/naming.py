"""Which columns of a table say which row is meant: its name or title, or first and last name."""

from collections.abc import Sequence

from ...data.schema.plain_names import words
from .facts import ColumnFacts
from .verbalisation import Noun

_NAMES = ("name", "title", "label", "名称", "姓名", "名字", "标题", "名", "中文名", "全名")
_FIRST = {"first name", "fname", "firstname", "given name", "f name"}
_LAST = {"last name", "lname", "lastname", "surname", "family name", "l name"}


def find_names(columns: Sequence[ColumnFacts], table: Noun, rows: int | None) -> tuple[ColumnFacts, ...]:
    """Return the columns that name a row: one, first and last name, or none."""
    texts = [c for c in columns if c.role in {"text", "category"}]
    for known in _NAMES:
        if exact := [c for c in texts if c.noun.one.lower() == known and _tells(c, rows, 0.1)]:
            return (exact[0],)
    first = [c for c in texts if _called(c, _FIRST)]
    last = [c for c in texts if _called(c, _LAST)]
    if first and last:
        return (first[0], last[0])
    named = [c for c in texts if c.noun.one.lower().endswith(_NAMES) and _tells(c, rows, 0.3)]
    own = [c for c in named if table.one.split()[-1] in c.noun.one or table.one in c.noun.one]
    first = [c for c in columns if c.role not in {"key", "number", "flag"}][:1]  # what a table says first
    if own or (named and named[0] in first):
        return ((own or named)[0],)
    told = [] if named else [c for c in texts if c.profile.kind == "name" and _tells(c, rows, 0.3)]
    return tuple(told[:1])


def _called(column: ColumnFacts, names: set[str]) -> bool:
    said = " ".join(words(column.column.name)), column.noun.one.lower()
    return any(text == name or text.endswith(f" {name}") for text in said for name in names)


def _tells(column: ColumnFacts, rows: int | None, least: float) -> bool:
    return rows is None or len(set(column.cells)) >= least * max(rows, 1)
