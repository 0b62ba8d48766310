"""Detects flags, columns whose cells mean yes and no, and writes the conditions that they do."""

import re
from typing import TypeAlias

from ..data.schema.schema import labels_of
from ..data.values.slots import quoted
from .cell_sample import CellFinding, CellSample, cell_text, column_words
from .profile import FlagCells

_WORDS = column_words("flags")
_PAIRS = [(yes, no) for yes, no in _WORDS["pairs"]]
_YES = dict(_PAIRS[:8])  # the words that are enough alone, without their opposite, if the name suggests a flag
ASKING_ZH = tuple(_WORDS["asking_zh"])
"""The beginnings of the names of flags."""
_MANY, _SHARE = 100, 0.2
"""The numbers of rows, and the share of the rarer value, from which a count would likely have exceeded one."""

_BOOLEAN = re.compile(r"bool|^bit(\(1\))?$|^tinyint\(1\)")


FlagFinding: TypeAlias = CellFinding[FlagCells]
"""The finding of a flag; unless it is ``sure``, the column may also be used as a number."""


def flag_of(sample: CellSample) -> FlagFinding | None:
    """Return the cells of a column that mean yes and no, None if the column is no flag."""
    if sample.served and sample.type.startswith("bool"):
        return FlagFinding(FlagCells("true", "false", "boolean"))
    if len(sample.counts) > 4 or bytes in sample.types:
        return None
    if sample.numbers and not sample.texts:
        return _of_numbers(sample, {cell_text(number) for number in sample.numbers})
    if not sample.numbers and set(sample.texts) <= {"0", "1"} and sample.texts:
        return _of_numbers(sample, set(sample.texts), text=True)
    return _of_words(sample) if sample.texts and not sample.numbers else None


def _of_numbers(sample: CellSample, seen: set[str], *, text: bool = False) -> FlagFinding | None:
    pair = next(((yes, no) for yes, no in (("1", "0"), ("-1", "0")) if seen <= {yes, no}), None)
    if pair is None or (seen == {"0"} and not _reason(sample)):
        return None
    yes, no = pair
    cells = FlagCells(yes, no if len(seen) == 2 or seen == {no} else None, "text" if text else "number")
    if _reason(sample) and (len(seen) == 2 or not _counts(sample)):
        return FlagFinding(cells, "" if yes in seen else f"only {no} was seen")
    if _counts(sample) or len(seen) < 2:
        return None
    rarer = min(sample.counts.values())
    if sample.rows >= _MANY and rarer >= _SHARE * sample.rows and not sample.numbering:
        return FlagFinding(cells, "holds 0 and 1 alone, which may be a number as well")
    return FlagFinding(cells, "holds 0 and 1 alone: yes and no, or a number?", sure=False)


def _of_words(sample: CellSample) -> FlagFinding | None:
    """Return the word that means yes: both words of a pair occur, or one does and the name suggests a flag."""
    labels = {text.lower(): text for text in sample.texts}
    labels |= {label.lower(): label for label in labels_of(sample.column.type)}
    if len(labels) == 2:
        doubt = f"{sample.nothing[0]!r} stands for neither" if sample.nothing else ""
        first, second = labels
        for yes, no in ((first, second), (second, first)):
            if (yes, no) in _PAIRS or _denies(no, yes):
                return FlagFinding(FlagCells(labels[yes], labels[no], "text"), doubt)
        return None
    only, text = next(iter(labels.items()))
    alone = only in _WORDS["alone"] and (sample.nulls or sample.nothing)
    if len(labels) != 1 or not (alone or _reason(sample)):
        return None
    if only in _YES:
        return FlagFinding(FlagCells(text, None, "text"), f"only {text!r} was seen")
    yes = next((yes for yes, no in _YES.items() if no == only), None)
    if yes is None:
        return None
    alike = yes.upper() if text.isupper() else yes.capitalize() if text[:1].isupper() else yes
    return FlagFinding(FlagCells(alike, text, "text"), f"only {text!r} was seen")


def _denies(no: str, yes: str) -> bool:
    if yes.startswith("已") and len(yes) > 1:
        return no in (f"未{yes[1:]}", f"没{yes[1:]}", f"没有{yes[1:]}")
    least = 2 if yes[:1] >= "\u3400" else 4
    return len(yes) >= least and any(no == f"{start}{yes}" for start in _WORDS["against"])


def _reason(sample: CellSample) -> bool:
    """Does the type or the name of a column suggest a flag?"""
    if _BOOLEAN.search(sample.type):
        return True
    name, name_words = sample.column.name, sample.words
    if any(text.startswith(ASKING_ZH) for text in (name, sample.column.description)):
        return True
    if name_words and (name_words[0] in {"is", "has"} or name_words[-1] in _WORDS["last"]):
        return True
    if not name_words or any(word in _WORDS["counts"] for word in name_words) or sample.numbering:
        return False
    if name_words[0] in _WORDS["asking"] or name_words[-1] in _WORDS["asking"]:
        return True
    return any(word in _WORDS["states"] or _participle(word) for word in (name_words[0], name_words[-1]))


def _participle(word: str) -> bool:
    ended = word.endswith("ed") and len(word) > 4 and word not in _WORDS["no_states"]
    return ended or (len(word) > 5 and word.endswith(("able", "ible", "ive")))


def _counts(sample: CellSample) -> bool:
    """Does the name suggest a count, with a word of counting or a plural?"""
    last = sample.words[-1] if sample.words else ""
    plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return (
        plural or any(word in _WORDS["counts"] for word in sample.words) or sample.meaning not in ("", "kind", "place")
    )


def is_set(ref: str, flag: FlagCells | None, dialect: str, yes: bool) -> str:
    """Return the condition that a flag means yes, or no; NULL is neither.

    Args:
        flag: the cells of the flag; None for a column that means yes by not being NULL, as a day of deletion.
    """
    if flag is None:
        return f"{ref} IS {'NOT ' if yes else ''}NULL"
    if flag.form == "boolean":
        return ref if yes else f"NOT {ref}"
    written = quoted if flag.form == "text" else str
    if yes or flag.no is not None:
        return f"{ref} = {written(flag.yes if yes or flag.no is None else flag.no)}"
    return f"{ref} <> {written(flag.yes)}"
