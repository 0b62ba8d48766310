"""Numbers in text columns, found among separators, currencies, units and placeholders, and the SQL that reads them."""

import re
from collections import Counter
from typing import TypeAlias

from ..data.errors import QueryError
from ..data.values.slots import quoted
from .cell_sample import CellFinding, CellSample, column_words
from .profile import NumberText

_CELL = re.compile(
    r"(?P<sign>[-+−])?(?P<before>[^\d\s.,+-]{1,4}\.?)?(?P<s1>\s*)(?P<sign2>[-+−])?"
    r"(?P<digits>\d[\d.,' \u00a0\u202f]*|\.\d+)(?P<s2>\s*)(?P<behind>[^\d\s][^\d]{0,15}(?:(?<=[^\W\d])[23])?)?"
)
_CURRENCY = re.compile(
    r"[$€£¥￥₹₩₽₺฿元]|us\$|usd|eur|gbp|cny|rmb|jpy|chf|rs\.?|hk\$|au\$|ca\$|nz\$|r\$|kr\.?", re.IGNORECASE
)
_GROUPED = re.compile(r"\d{1,3}(?:[,.' \u00a0\u202f]\d{3})+")
_UNITS = 4
_TELLING = 5  # the number of cells from which a comma in a single cell is likely a typing error
_MOST, _NEARLY = 0.9, 0.95


NumberFinding: TypeAlias = CellFinding[NumberText]
"""Numbers in a text column."""


def number_in(sample: CellSample) -> NumberFinding | None:
    """Return the format of the numbers in a column's texts, None if they are no numbers."""
    texts = [*sample.texts][:24]
    if not texts or not (sample.numbers or any(any(c.isdigit() for c in text) for text in texts)):
        return None
    if not sample.numbers and sum(_CELL.fullmatch(text) is not None for text in texts) < len(texts) // 2:
        return None
    cells = {text: _CELL.fullmatch(text) for text in sample.texts}
    read = {text: match for text, match in cells.items() if match is not None and _whole(match["digits"])}
    readable = sum(sample.texts[text] for text in read) + sum(sample.counts[number] for number in sample.numbers)
    total = sum(sample.texts.values()) + sum(sample.counts[number] for number in sample.numbers)
    if readable < _MOST * total or _names_something(sample, read):
        return None
    befores = Counter(match["before"] or "" for match in read.values())
    nonzero = [match for match in read.values() if match["digits"].strip("0., ")]  # zero needs no unit
    behinds = Counter((match["behind"] or "").strip() for match in nonzero)
    behinds.update([""] * any(sample.numbers))
    units = {unit.lower() for unit in behinds if unit}
    streets = len(units) > 1 and any(" " in unit for unit in units)
    words = any(sign.isalpha() for sign in (*units, *befores))
    if streets or units & {*column_words("numbers")["ordinals"]} or len(units) > _UNITS or (len(read) < 2 and words):
        return None  # the texts may be house numbers
    if problem := _problem(befores, behinds):
        return NumberFinding(None, problem)
    around = (*befores, *((match["behind"] or "").strip() for match in read.values()))
    odd = tuple(text for text in sample.texts if text not in read)
    some_words = readable >= _NEARLY * total and len(odd) <= 2 and not any(c.isdigit() for text in odd for c in text)
    doubt = f"most cells are numbers, but not {odd[0]!r}" if odd else ""
    return NumberFinding(None, doubt) if odd and not some_words else _finding(sample, read, around, odd, doubt)


def _finding(
    sample: CellSample, read: dict[str, re.Match[str]], around: tuple[str, ...], odd: tuple[str, ...], doubt: str
) -> NumberFinding | None:
    digits = [match["digits"].strip() for match in read.values()]
    comma = _decimal_comma(digits)
    if comma is None:
        return NumberFinding(
            None, "a comma or point stands for thousands in some cells, and before a fraction in others"
        )
    marks = {"." if comma else ",", "'", " ", "\u00a0", "\u202f"}
    removed = sorted({text for text in around if text}, key=len, reverse=True)
    removed += [mark for mark in sorted(marks) if any(mark in match.string for match in read.values())]
    if any("−" in match.string for match in read.values()):
        return None  # SQL does not parse this minus sign
    points = "," if comma else "."
    lone = [text for text in digits if points in text] if comma else []
    if len(lone) == 1 and len(digits) >= _TELLING:
        doubt = doubt or f"{lone[0]!r} alone has a comma before a fraction"
    whole = not any(points in text for text in digits) and all(float(n).is_integer() for n in sample.numbers)
    return NumberFinding(NumberText(tuple(dict.fromkeys(removed)), comma, sample.nothing + odd, whole), doubt)


def _problem(befores: Counter[str], behinds: Counter[str]) -> str:
    """Return why the signs around digits make the numbers incomparable, "" if they do not."""
    for around in (befores, behinds):
        signs = [sign for sign in around if sign]
        if len(signs) > 1:
            return f"numbers of several units: {', '.join(map(repr, signs[:3]))}"
    unit = next((sign for sign in behinds if sign), "")
    if unit and "" in behinds and not _CURRENCY.fullmatch(unit):
        return f"some numbers have {unit!r} behind them, some have not"
    return ""


def _names_something(sample: CellSample, read: dict[str, re.Match[str]]) -> bool:
    """Are the digits identifiers, such as codes, phone numbers and numbers with leading zeros?"""
    plain = all(not match["before"] and not match["behind"] for match in read.values())
    if any(
        len(match["digits"]) > 1 and match["digits"][0] == "0" and match["digits"].isdigit() for match in read.values()
    ):
        return True
    if sample.numbering or (sample.coded and plain):
        return True
    lengths = {len(text) for text in read}
    if plain and len(read) > 2 and min(lengths) > (8 if len(lengths) == 1 else 11):
        return True
    befores = {match["before"] for match in read.values()} - {None}
    return any(not _CURRENCY.fullmatch(before) for before in befores)


def _whole(digits: str) -> bool:
    """Are digits with separators between them a single number?"""
    text = digits.strip()
    if text.isdigit() or re.fullmatch(r"\d*[.,]\d+", text):
        return True
    head, mark, tail = text.rpartition("." if text.rfind(".") > text.rfind(",") else ",")
    if not mark:
        return bool(_GROUPED.fullmatch(text))
    return bool(_GROUPED.fullmatch(text)) or (tail.isdigit() and bool(_GROUPED.fullmatch(head)) and mark not in head)


def _decimal_comma(digits: list[str]) -> bool | None:
    """Return whether the comma is the decimal separator; None where the cells contradict each other."""
    commas = points = 0
    for text in digits:
        last = max(text.rfind(","), text.rfind("."))
        if last < 0:
            continue
        mark, behind = text[last], len(text) - last - 1
        both = "," in text and "." in text
        fraction = both or (text.count(mark) == 1 and (behind != 3 or last > 3))
        thousands = not both and (text.count(mark) > 1 or (behind == 3 and mark == ","))
        if fraction:
            commas, points = commas + (mark == ","), points + (mark == ".")
        elif thousands:
            commas, points = commas + (mark == "."), points + (mark == ",")
    return None if commas and points else commas > 0


def number_of(ref: str, number: NumberText, dialect: str) -> str:
    """Return the number in a text, which is NULL for placeholders.

    Whole numbers become integers, of which the constraint admits no SUM in SQLite (it could overflow): inside SUM,
    pass a format with ``whole`` false.

    Raises:
        QueryError: PostgreSQL cannot convert a text to a number without the risk of an error.
    """
    if dialect == "postgres":
        raise QueryError("postgres makes no number of a text", hint="use a view that casts it")
    wordless = [cell for cell in number.nothing if not any(sign.isdigit() for sign in cell)]
    text = ref
    for cell in number.nothing:
        if cell not in wordless or len(wordless) == 1:
            text = f"NULLIF({text}, {quoted(cell)})"
    for removed in number.removed:
        text = f"REPLACE({text}, {quoted(removed)}, '')"
    if number.decimal_comma:
        text = f"REPLACE({text}, ',', '.')"
    whole, fraction = ("SIGNED", "DECIMAL(20, 6)") if dialect == "mysql" else ("INTEGER", "REAL")
    value = f"CAST({text} AS {whole if number.whole else fraction})"
    if len(wordless) < 2:
        return value
    digit = f"{ref} REGEXP '[0-9]'" if dialect == "mysql" else f"{ref} GLOB '*[0-9]*'"
    return f"CASE WHEN {digit} THEN {value} END"
