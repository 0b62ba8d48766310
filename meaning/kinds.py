"""The kind of a column: the first rule that fits its name, type and cells."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ..data.schema.plain_names import is_code, meaning_of, singular, words
from .cell_sample import CellSample, cell_text, column_words
from .flag_cells import FlagFinding
from .number_texts import NumberFinding
from .profile import ColumnKind
from .time_finding import TimeFinding

_NAMED = column_words("kinds")
_REMARKS = {*_NAMED["remarks"]}
_SIGNS = re.compile(r"[\d()+\-./x\s]{6,}|[A-Z]{2,5}")
_LONG, _WORDS = 45, 7
_SHORT, _SHORT_HAN, _FEW_WORDS = 24, 10, 3
_MAX_CATEGORIES = 40


@dataclass(frozen=True)
class FoundColumn:
    """A column's cells and the semantic types found in them.

    Attributes:
        key: whether it is a primary key by itself, or a foreign key.
        first: whether it is the first column that may name the table's rows, and no column is called a name.
    """

    sample: CellSample
    key: bool
    time: TimeFinding | None
    flag: FlagFinding | None
    number: NumberFinding | None
    first: bool = False

    @cached_property
    def numbers(self) -> bool:
        """Are all cells numbers?"""
        return bool(self.sample.numbers) and not self.sample.texts

    @cached_property
    def distinct(self) -> list[str]:
        """Return the distinct cells as text, without placeholders."""
        return [*map(cell_text, self.sample.numbers), *self.sample.texts]

    @property
    def bare(self) -> bool:
        """Are all cells bytes or placeholder texts?"""
        return not self.distinct and not (self.sample.types - {bytes, str})

    @cached_property
    def named(self) -> bool:
        """Does its name say that it holds the names of the table's rows: singer.name, city.City?"""
        column = self.sample.column
        texts = [w for w in (column.name, column.description) if w]
        if any(t.endswith(tuple(_NAMED["names_zh"])) for t in texts) and not self.sample.coded:
            return True
        parts = words(column.name) or [""]
        if parts[-1].endswith("name") or parts[-1] in _NAMED["names"] or parts[:2] == ["name", "of"]:
            return True
        table = [singular(word) for word in words(self.sample.table.name)]
        return [*map(singular, parts)] == table and not self.few  # in a table of results, won and lost are no names

    @cached_property
    def long(self) -> bool:
        """Are its cells sentences rather than names?"""
        size, words_each = self._extent
        return (size > _LONG and not self.signs) or words_each > _WORDS

    @cached_property
    def short(self) -> bool:
        """Are its cells a few words each, most without digits?"""
        texts, (size, words_each) = self.sample.texts, self._extent
        han = sum(text[:1] >= "\u3400" for text in texts) > len(texts) // 2
        return self.worded and words_each <= _FEW_WORDS and size <= (_SHORT_HAN if han else _SHORT)

    @cached_property
    def worded(self) -> bool:
        """Are most of its texts without digits?"""
        texts = self.sample.texts
        return 2 * sum(any(map(str.isdecimal, text)) for text in texts) < len(texts)

    @cached_property
    def _extent(self) -> tuple[float, float]:
        """Return the average number of characters and words of its texts."""
        texts = self.sample.texts
        count = max(1, len(texts))
        return sum(map(len, texts)) / count, sum(len(text.split()) for text in texts) / count

    @cached_property
    def few(self) -> bool:
        """Are there few distinct cells, each in many rows?"""
        rows, different = self.sample.rows, len(self.distinct)
        return different <= min(_MAX_CATEGORIES, rows // 2) or (different == 1 and rows > 1)

    @property
    def belongs(self) -> bool:
        """Do its cells name groups of rows: are they repeated, places, or a few words each?"""
        again = max(self.sample.texts.values(), default=0) > 1 and not self.long
        return again or self.sample.meaning == "place" or self.short

    @cached_property
    def referring(self) -> bool:
        """Is each text a unique word, and does the name end like that of a code: circuit_ref, email?"""
        texts = self.sample.texts
        single = bool(texts) and all(text.isascii() and " " not in text for text in texts)
        return single and max(texts.values()) == 1 and is_code(self.sample.words[-1] if self.sample.words else "")

    @cached_property
    def signs(self) -> bool:
        """Are most of its texts codes: with digits or capitals, or addresses of mail or the web?"""
        texts = [*self.sample.texts][:50]
        return bool(texts) and sum(_of_signs(text) for text in texts) > 0.8 * len(texts)

    @cached_property
    def details(self) -> bool:
        """Does its name say that it holds addresses or remarks, which are output but rarely conditions?"""
        return bool({*_NAMED["details"], *_REMARKS} & set(self.sample.words)) and not (self.sample.coded and self.signs)

    @property
    def brief(self) -> bool:
        """Does its name say that it holds short details, which may serve as names: shop_details?"""
        return self.details and not self.long and self.worded and not _REMARKS & set(self.sample.words)

    @property
    def placed(self) -> bool:
        """Are its cells places, though the rows of its table are not?"""
        return self.sample.meaning == "place" and not any(
            meaning_of(singular(word)) == "place" for word in words(self.sample.table.name)
        )


_RULES: tuple[tuple[ColumnKind, Callable[[FoundColumn], bool]], ...] = (
    ("time", lambda c: c.time is not None and c.time.storage is not None and c.time.storage.form == "native"),
    ("flag", lambda c: c.flag is not None and c.flag.storage is not None and c.flag.storage.form == "boolean"),
    ("empty", lambda c: c.bare),
    ("time", lambda c: c.time is not None and c.time.storage is not None),
    ("name", lambda c: c.named and not c.numbers and not c.long and not c.time),
    ("key", lambda c: c.key or (c.sample.numbering and not c.long)),
    ("time", lambda c: c.time is not None),
    ("flag", lambda c: c.flag is not None and c.flag.storage is not None and c.flag.sure),
    ("category", lambda c: c.sample.sorting and c.few),
    ("code", lambda c: c.numbers and c.sample.coded),
    ("amount", lambda c: c.numbers or (c.number is not None and c.number.storage is not None)),
    ("name", lambda c: c.first),
    ("code", lambda c: c.sample.coded and c.signs),
    ("text", lambda c: c.long or (c.details and not c.few) or c.number is not None),
    ("category", lambda c: c.few or c.sample.sorting),
    ("code", lambda c: c.signs),
    ("code", lambda c: c.referring),
    ("category", lambda c: c.belongs),
    ("text", lambda _: True),
)
"""The rules in order of priority."""


def kind_of(column: FoundColumn) -> ColumnKind:
    """Return the kind of a column."""
    return next(kind for kind, fits in _RULES if fits(column))


def _of_signs(text: str) -> bool:
    """Is a text a code rather than words, such as a web address or a phone number?"""
    one = not any(map(str.isspace, text))
    return (one and (any(map(str.isdecimal, text)) or "@" in text or "://" in text or text.startswith("www."))) or bool(
        _SIGNS.fullmatch(text)
    )
