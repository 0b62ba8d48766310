"""Flags that a question names: «verified members» where a column is called verified, 租车 where it is 是否支持租车.

A flag's name is a property; the profile knows which cell means yes. A time that only some rows have is a flag as well:
a row without a day of deletion is not deleted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from ..data.schema.events import event_of
from ..data.schema.plain_names import plain_name
from ..data.schema.schema import Schema
from ..meaning.flag_cells import ASKING_ZH
from ..meaning.profile import ColumnProfile, DatabaseProfile
from .cells.found import FoundValue
from .language.question import QuestionText
from .language.words import Unit, fold, is_cjk
from .matching.matching import forms_of

_ASKING = frozenset(
    {"is", "if", "has", "have", "was", "are", "can", "does", "do", "flag", "yn", "ind", "indicator", "status"}
)
_OF_TIME = frozenset({"at", "on", "date", "time", "day", "datetime", "timestamp", "ts", "dt", "when"})
_OPPOSITE = ("in", "un", "non", "dis")
_OPPOSITE_ZH = ("非", "未")
_OF_TIME_ZH = ("日期", "时间", "日")
_LEAST = 2  # the least number of characters of a Chinese name in a question
_NAMED, _MAYBE, _FILLED = 0.8, 0.4, 0.3  # how sure it is; a time is mostly named for its own sake


@dataclass(frozen=True)
class _Flag:
    place: tuple[str, str]
    about: tuple[str, ...]
    score: float


class FlagNames:
    """The flags of one database, by what they are about.

    Args:
        schema: that may be read.
        profile: of its columns.
        names: other names of columns, by table and column; those of tables are ignored.
    """

    def __init__(
        self,
        schema: Schema,
        profile: DatabaseProfile,
        names: Mapping[tuple[str, str | None], tuple[str, ...]] | None = None,
    ) -> None:
        self._english: list[_Flag] = []
        self._chinese: list[_Flag] = []
        for table, column in schema.columns():
            known = profile.column(table.name, column.name)
            if known is None:
                continue
            place = (table.name, column.name)
            own = column.description if is_cjk(column.description) else column.name
            for name in dict.fromkeys((own, *(names or {}).get(place, ()))):
                self._add(place, name, known)

    def _add(self, place: tuple[str, str], name: str, known: ColumnProfile) -> None:
        if is_cjk(name):
            if (about := _chinese(fold(name), known)) and len(about) >= _LEAST:
                score = _NAMED if known.kind == "flag" else _MAYBE if known.flag is not None else _FILLED
                self._chinese.append(_Flag(place, (about,), score))
        elif (flag := _flag(place, plain_name(name).split(), known)) is not None:
            self._english.append(flag)

    def find(self, question: QuestionText) -> list[FoundValue]:
        """Return the flags that a question names, each once for all columns of that name."""
        found: dict[tuple[int, int, bool], FoundValue] = {}
        for start, end, yes, flag, share in (*self._in_english(question.units), *self._in_chinese(question)):
            text, score = question.text[start:end], flag.score * share
            one = found.get((start, end, yes))
            one = one or FoundValue(start, end, text, text, "cell", "meaning", (), score, yes=yes)
            if flag.place not in one.columns:
                one = replace(one, columns=(*one.columns, flag.place), score=max(one.score, score))
            found[start, end, yes] = one
        return list(found.values())

    def _in_english(self, words: Sequence[Unit]) -> Iterator[tuple[int, int, bool, _Flag, float]]:
        lowered = [word.text.lower() for word in words] if self._english else []
        for flag in self._english:
            for first in range(len(words) - len(flag.about) + 1):
                last = first + len(flag.about)
                if (yes := _names_flag(lowered[first:last], flag.about)) is not None:
                    yield words[first].start, words[last - 1].end, yes, flag, 1.0

    def _in_chinese(self, question: QuestionText) -> Iterator[tuple[int, int, bool, _Flag, float]]:
        text = fold(question.text) if self._chinese else ""
        for flag in self._chinese if len(text) == len(question.text) else ():
            (about,) = flag.about
            shared = SequenceMatcher(None, text, about, autojunk=False).find_longest_match()
            start, size = shared.a, shared.size
            if size >= _LEAST and 2 * size >= len(about):
                yes = not text[:start].endswith(_OPPOSITE_ZH)
                yield start - (not yes), start + size, yes, flag, size / len(about)


def _flag(place: tuple[str, str], words: Sequence[str], profile: ColumnProfile) -> _Flag | None:
    """Return the flag of a column by its name, None if it has none."""
    if profile.flag is not None:
        about = tuple(word for word in words if word not in _ASKING)
        return _Flag(place, about, _NAMED if profile.kind == "flag" else _MAYBE) if about else None
    if profile.time is not None and profile.nulls:
        event = event_of(" ".join(words), " ".join(words), "")
        about = tuple(word for word in words if word not in _OF_TIME)
        if event is not None:
            return _Flag(place, tuple(event.past.split()), _FILLED)
        if about and about[0].endswith("ed"):  # checked out
            return _Flag(place, about, _FILLED)
    return None


def _chinese(name: str, profile: ColumnProfile) -> str:
    """Return the property in the Chinese name of a column, empty if it has none."""
    if profile.flag is not None:
        return next((name.removeprefix(ask) for ask in (*ASKING_ZH, "已") if name.startswith(ask)), name)
    if profile.time is None or not profile.nulls:
        return ""
    return next((name.removesuffix(end) for end in _OF_TIME_ZH if name.endswith(end)), "")


def _names_flag(named: Sequence[str], about: Sequence[str]) -> bool | None:
    """Return whether words in lower case name a flag (True), its opposite (False), or neither (None)."""
    pairs = zip(named, about, strict=True)
    if all(one == other or one in forms_of(other) or other in forms_of(one) for one, other in pairs):
        return True
    opposite = any(named[0] == prefix + about[0] for prefix in _OPPOSITE) and list(named[1:]) == list(about[1:])
    return False if opposite else None
