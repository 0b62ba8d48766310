"""Number words: Chinese numerals, English cardinals and ordinals, and numbers as SQL writes them."""

import re
from fractions import Fraction
from typing import TypeAlias

ValueSpan: TypeAlias = tuple[int, int, str]
"""A value in a text: its first character, one past its last, and the value in SQL."""

CHINESE_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2}
CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}

_ONES = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_IRREGULAR = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
ENGLISH_CARDINALS = {w: i for i, w in enumerate(_ONES)} | {w: 20 + 10 * i for i, w in enumerate(_TENS)}
ENGLISH_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
ENGLISH_ORDINALS = _IRREGULAR | {
    (w[:-1] + "ieth" if w.endswith("y") else w + "th"): n
    for w, n in ENGLISH_CARDINALS.items()
    if n not in {0, *_IRREGULAR.values()}
}

# bounded, since Fraction("1e999999999") would fill the memory
_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][-+]?[0-9]{1,3})?")
_LONGEST = 40  # signs of a Chinese numeral


def plain(value: Fraction) -> str:
    """Write a number as SQL does: ``7``, ``3.5``, ``0.333333`` (at most six decimals, no trailing zeros)."""
    if value.denominator == 1:
        return str(value.numerator)
    scaled = round(value * 10**6)
    whole, part = divmod(abs(scaled), 10**6)
    digits = f"{whole}.{part:06d}".rstrip("0").rstrip(".")
    return f"-{digits}" if scaled < 0 else digits


def value_of(text: str) -> Fraction | None:
    """Return the value of a number literal (``007`` and ``7.0`` are both 7), or None if it is no number."""
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def chinese_number(text: str) -> Fraction | None:
    """Return the value of a Chinese numeral (``三千五百``, ``二〇一三``, ``零点八八``), or None.

    ASCII digits may stand among positional ones (``二0一三``). Rough numbers («二三十») are None.
    """
    if len(text) > _LONGEST:
        return None
    whole, point, decimals = text.partition("点")
    digits = _positional(decimals) if point else ""
    if digits is None or (point and not (digits and whole)):
        return None
    plain_digits = _positional(whole)
    value = int(plain_digits) if plain_digits else _with_units(whole)
    if value is None:
        return None
    return Fraction(f"{value}.{digits}") if point else Fraction(value)


def _positional(text: str) -> str | None:
    digits = [str(CHINESE_DIGITS[c]) if c in CHINESE_DIGITS else c for c in text]
    return "".join(digits) if all(d in "0123456789" for d in digits) else None


def _with_units(text: str) -> int | None:
    for name in "亿万":
        head, unit, tail = text.rpartition(name)
        if not unit:
            continue
        high = _with_units(head)
        low = 0 if not tail else _tail(tail, CHINESE_UNITS[name])
        return None if high is None or low is None else high * CHINESE_UNITS[name] + low
    return _below_ten_thousand(text)


def _tail(text: str, unit: int) -> int | None:
    """Read what follows a unit; a lone digit counts tenths of it (``两万五`` is 25000)."""
    if len(text) == 1 and text in CHINESE_DIGITS:
        return CHINESE_DIGITS[text] * unit // 10
    return _with_units(text.lstrip("零〇"))  # 五十万零一


def _below_ten_thousand(text: str) -> int | None:
    total, rest = 0, text
    for name in "千百十":
        head, unit, tail = rest.partition(name)
        if not unit:
            continue
        head = head.lstrip("零〇")
        if len(head) > 1 or (not head and name != "十") or (head and head not in CHINESE_DIGITS):
            return None
        total += (CHINESE_DIGITS[head] if head else 1) * CHINESE_UNITS[name]
        if name != "十" and len(tail) == 1 and tail in CHINESE_DIGITS:
            return total + CHINESE_DIGITS[tail] * CHINESE_UNITS[name] // 10
        rest = tail
    rest = rest.lstrip("零〇") if total else rest
    if not rest:
        return total if text else None
    return total + CHINESE_DIGITS[rest] if len(rest) == 1 and rest in CHINESE_DIGITS else None


def english_number(text: str) -> Fraction | None:
    """Return the value of English number words (``two hundred and five``, ``twenty-first``), or None."""
    words = text.lower().replace("-", " ").split()
    half = words[-3:] == ["and", "a", "half"]
    words = words[:-3] if half else words
    total = group = 0
    room = 10**12  # what may still be added must be smaller than what was read before
    for word in words:
        if word == "and":
            continue
        if word in {"a", "an"}:
            size = 1
        elif word in ENGLISH_SCALES:
            scale = ENGLISH_SCALES[word]
            if scale == 100:
                group, room = max(group, 1) * 100, 100
            else:
                total, group, room = total + max(group, 1) * scale, 0, 10**12
            continue
        else:
            found = ENGLISH_CARDINALS.get(word, ENGLISH_ORDINALS.get(word))
            if found is None:
                return None
            size = found
        if size >= room:
            return None
        group += size
        room = 10 if size >= 20 else 1
    return Fraction(total + group) + (Fraction(1, 2) if half else 0) if words else None
