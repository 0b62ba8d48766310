"""Numbers and times in questions, in the form that SQL has for them.

What counts as a number: digits that stand alone (``TI-101`` and ``t_kc21`` hold none, but Chinese
characters may touch: «患者78591362之前»), with decimals, thousands separators and units behind them
(``5km``, ``3万``, ``2.5 million``), percentages and fractions (``30%``, «百分之三十», «三分之一»,
«一半»), Chinese numerals, English number words, and ordinals. «one» and «一» count only beside a
unit, an ordinal mark or a comparison, since most of the time they mean no number.

Numbers are normalised: no leading zeros, no trailing ones behind the point (``007`` is ``7``,
``1,500`` is ``1500``, ``3.50`` is ``3.5``), fractions that do not end are rounded to six decimals.
The digits of an id are in ``ValueMention.text``. For times see `times`.
"""

import re
from collections.abc import Callable
from datetime import datetime
from fractions import Fraction

from ..values.slots import ValueMention
from .numerals import (
    ENGLISH_CARDINALS,
    ENGLISH_ORDINALS,
    ENGLISH_SCALES,
    chinese_number,
    english_number,
    plain,
    value_of,
)
from .times import find_times, full_year

# full-width digits, % . : - / and space
_WIDE = {0xFF10 + i: ord("0") + i for i in range(10)} | dict(zip(map(ord, "％．：－／\u3000"), "%.:-/ ", strict=True))

_CHINESE = "零〇一二两三四五六七八九十百千万亿"
_NUMERAL = rf"(?:(?!千[克瓦帕卡])[{_CHINESE}])+(?:点[零〇一二三四五六七八九]+)?"
_SIZES = {"百": 100, "千": 1000, "万": 10**4, "百万": 10**6, "千万": 10**7, "亿": 10**8, "千亿": 10**11, "万亿": 10**12}
_SCALE = _SIZES | ENGLISH_SCALES
_SCALES = rf"(?!千[克米瓦帕卡]|百帕)(?:{'|'.join(sorted(_SCALE, key=len, reverse=True))})"
_SIZE = rf"(?!千[克米瓦帕卡])(?:{'|'.join(sorted(_SIZES, key=len, reverse=True))})"
_UNIT = (
    r"(?:[kcm]?m[²³23]?|[km]?g|h|hrs?|min|mins|s|secs?|ms|[kM]?Pa|bar|psi|[kM]?W|[kMG]?Hz|ppm|m?[lL]|rpm|kb|mb|gb|st|nd|rd|th)"
    r"(?![A-Za-z0-9_])"
)
_LEFT = r"(?:(?<![A-Za-z0-9_.,/:-])|(?<=[Tt][Oo][Pp])|(?<=[^A-Za-z0-9_.][,/:]))"
_RIGHT = rf"(?:(?={_UNIT})|(?![A-Za-z0-9_])(?![-/:.,]?[A-Za-z0-9_])(?!-))"
_DIGITS = r"(?:\d{1,3}(?:,\d{3}){1,9}|\d{1,30})(?:\.\d{1,30})?"  # longer ones are no numbers
# a minus sign is one only where a value begins, not in a code or a range
_SIGNED = rf"(?:(?P<sign>(?<![^\s=<>(于过为是到至达，：])[-−]|负|零下|minus )|{_LEFT})"
_COUNTED = (
    "个家种条项名位天年月日号次岁元块角小时分钟秒周星季米度张份件台套座倍成级人场层批笔字只例吨升"
    "克斤公千百毫页章步支瓶盒片类门所间届组期"
)
_SURE = "年天周秒岁元块倍米度吨升克斤"  # units that make a number of «一»
_ENGLISH_WORD = "|".join(sorted({*ENGLISH_CARDINALS, *ENGLISH_SCALES}, key=len, reverse=True))
_ENGLISH_UNIT = "(?:day|hour|minute|second|week|month|year|percent|per cent|dollar|mile|meter|metre|km|degree)s?"
_COMPARE = "(?:top|than|least|most|under|over|above|below|exactly|equals?|last|past|next|within|bottom|every|number)"

_GONE = "\ufffc"  # stands for each character of what was read
_Reader = Callable[[re.Match[str]], Fraction | None]


def find(question: str, *, language: str = "en", now: datetime | None = None) -> list[ValueMention]:
    """Return the numbers and times in a question, in order of position, none overlapping.

    Args:
        question: the text as the user wrote it; full-width digits are read too.
        language: ``en`` and ``zh`` read ``8/12/2013`` month first, other languages day first. The
            words of both languages are read whatever it is, since questions mix them.
        now: the time that «yesterday» is relative to; None ignores such words.
    """
    text = question.translate(_WIDE)
    mentions = [
        ValueMention(start, end, question[start:end], "time", sql)
        for start, end, sql in find_times(text, month_first=language in {"en", "zh"}, now=now)
    ]
    for mention in mentions:
        text = f"{text[: mention.start]}{_GONE * (mention.end - mention.start)}{text[mention.end :]}"
    for pattern, reader in _READERS:
        for match in pattern.finditer(text):
            value = reader(match)
            if value is None:
                continue
            start, end = match.span("n")
            mentions.append(ValueMention(start, end, question[start:end], "number", plain(value), "number"))
            text = f"{text[:start]}{_GONE * (end - start)}{text[end:]}"
    return sorted(mentions, key=lambda m: m.start)


def readings(text: str, *, language: str = "en") -> tuple[str, ...]:
    """Return the SQL forms that a value in a question may have, the likeliest first.

    ``30%`` may be stored as 0.3 or 30, ``3万`` as 30000 or as 3 where the column counts in 万,
    a date also as a time stamp at midnight, ``007`` also with its zeros.
    """
    forms = [m.sql for m in find(text, language=language) if m.start == 0 and m.end == len(text)]
    narrowed = narrow(text).replace(",", "").strip()
    percent = re.match(rf"(?:百分之)?({_DIGITS}|{_NUMERAL})\s*(?:%|per ?cent)?$", narrowed)
    scaled = re.match(rf"([-\d.]+)\s*(?:{_SCALES})$", narrowed)
    for form in list(forms):
        if re.fullmatch(r"\d{4}-\d\d-\d\d", form):
            forms.append(f"{form} 00:00:00")
        elif re.fullmatch(r"\d\d:\d\d", form):
            forms += [f"{form}:00", form.replace(":", ""), form.replace(":", "").lstrip("0") or "0"]
    if percent:
        value = _digits(percent[1]) if percent[1][0].isascii() else chinese_number(percent[1])
        forms += [] if value is None else [plain(value)]
    if scaled:
        value = value_of(scaled[1])
        forms += [] if value is None else [plain(value)]
    if re.fullmatch(r"\d+", narrowed):
        forms.append(narrowed)
        year = full_year(narrowed) if len(narrowed) == 2 else None
        forms += [] if year is None else [str(year)]
    return tuple(dict.fromkeys(forms))


def narrow(text: str) -> str:
    """Return ``text`` with full-width digits and number signs made narrow; its length stays."""
    return text.translate(_WIDE)


def _digits(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def _signed(match: re.Match[str], value: Fraction) -> Fraction:
    return -value if match["sign"] else value


def _number(match: re.Match[str]) -> Fraction:
    scale = (match["scale"] or "").lower()
    return _signed(match, _digits(match["v"]) * _SCALE.get(scale, 1))


def _amount(match: re.Match[str]) -> Fraction | None:
    """Read digits and Chinese units by turns: «1万5» is 15000, «5万8千» 58000."""
    size, more = _SIZES[match["scale"]], match["more"]
    count = _either(more)
    if count is None or not (match["less"] or (0 < count < 10 and len(more) == 1)):
        return None
    added = count * _SIZES[match["less"]] if match["less"] else count * size / 10
    return _digits(match["v"]) * size + added if added < size else None


def _either(text: str) -> Fraction | None:
    return _digits(text) if text[0].isascii() else chinese_number(text)


def _ratio(over: Fraction | None, under: Fraction | int | None) -> Fraction | None:
    return over / under if over is not None and under else None


def _short_year(match: re.Match[str]) -> Fraction | None:
    year = full_year(match["n"])
    return None if year is None else Fraction(year)


def _chinese(match: re.Match[str]) -> Fraction | None:
    """Read a numeral; one sign alone needs a unit, «第» or a comparison, two digits side by side are rough."""
    text, before, after = match["v"], match.string[: match.start()], match.string[match.end() :]
    ordinal = bool(re.search(r"第$|前$|(?<!最)后$", before))
    compared = bool(re.search(r"(?:[大小高低等多少]于|[超不]过|不足|达到?|至少|至多|最多|不到|top|[<>=])\s*$", before))
    if (
        re.search(r"[几数多上]$", before)
        or after[:1] == "几"
        or (len(text) == 2 and not re.search("[十百千万亿零〇]", text))
    ):
        return None
    if text in {"一", "零", "〇"} and not (
        ordinal or compared or after[:1] in _SURE or re.match("个?(?:小时|分钟|星期|季度)|个月", after)
    ):
        return None
    if text == "一" and re.search("[这哪那某每]$", before):
        return None
    if len(text) == 1 and not (match["sign"] or ordinal or compared or after[:1] in _COUNTED):
        return None
    value = chinese_number(text)
    return None if value is None else _signed(match, value)


def _english(match: re.Match[str]) -> Fraction | None:
    text, before, after = match["v"].lower(), match.string[: match.start()], match.string[match.end() :]
    if text in {"one", "a hundred", "a thousand", "a million", "zero"} or text in ENGLISH_SCALES:
        sure = re.search(rf"\b{_COMPARE}\s+$", before, re.IGNORECASE) or re.match(rf"[\s-]+{_ENGLISH_UNIT}\b", after)
        if text == "one" and not sure:
            return None
        if text in ENGLISH_SCALES:
            return None
    value = english_number(text)
    if value is None:
        return None
    return _signed(match, value / 100 if match["cent"] else value)


_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern, re.ASCII), reader)
    for pattern, reader in (
        (
            rf"(?<![A-Za-z0-9_.,/:-])(?P<n>(?P<v>\d{{1,12}}(?:\.\d{{1,6}})?)(?P<scale>{_SIZE})"
            rf"(?P<more>\d{{1,4}}|[一二两三四五六七八九])(?P<less>{_SIZE})?)(?![\d.,/:%年月日号点时十-])",
            _amount,
        ),
        (rf"(?P<n>百分之(?P<v>{_DIGITS}|{_NUMERAL}))", lambda m: _ratio(_either(m["v"]), 100)),
        (
            rf"(?P<n>(?P<under>\d{{1,30}}|[{_CHINESE}]{{1,30}})分之(?P<over>\d{{1,30}}|[{_CHINESE}]{{1,30}}))",
            lambda m: _ratio(_either(m["over"]), _either(m["under"])),
        ),
        (rf"{_LEFT}(?P<n>1/(?P<under>[2-9]))(?![\d/])", lambda m: Fraction(1, int(m["under"]))),
        (rf"(?i)(?P<n>{_SIGNED}(?P<v>{_DIGITS})\s*(?:%|per ?cent\b))", lambda m: _signed(m, _digits(m["v"]) / 100)),
        (
            r"(?<![\d.])(?P<n>\d\d)(?=年(?!内|间|以|来|前|后|中|里|的?时间|多|级|龄))(?<!近\d\d)(?<!满\d\d)(?<!过\d\d)(?<!前\d\d)",
            _short_year,
        ),
        (rf"(?P<n>[零〇一二三四五六七八九]{{2}})(?=年)(?<![{_CHINESE}]..)", _short_year),
        (r"(?P<n>[零〇一二三四五六七八九0-9]{4})(?=年)(?<![0-9].{4})", _short_year),
        (rf"(?i)(?P<n>{_SIGNED}(?P<v>{_DIGITS})(?:\s?(?P<scale>{_SCALES})(?![A-Za-z]))){_RIGHT}", _number),
        (rf"(?i)(?P<n>{_SIGNED}(?P<v>{_DIGITS})(?P<scale>)){_RIGHT}", _number),
        (
            rf"(?i){_LEFT}(?P<n>(?P<sign>)?(?P<v>\d{{1,30}})(?P<scale>))(?=[-~](?:\ufffc|\d{{1,30}}(?:\.\d{{1,30}})?(?![\w.-])))",
            _number,
        ),
        (r"(?i)(?<=\ufffc[-~])(?P<n>(?P<sign>)?(?P<v>\d{1,30}(?:\.\d{1,30})?)(?P<scale>))(?![\w-])", _number),
        (r"(?P<n>(?P<v>[一二两三四五六七八九])成)(?![为功果立分员交长])", lambda m: _ratio(chinese_number(m["v"]), 10)),
        (r"(?P<n>一半|(?<![点个天年月半])半(?=(?:个?小时|年|天|个月|价|数以?上)))", lambda _: Fraction(1, 2)),
        (rf"(?P<n>(?P<sign>负|零下)?(?P<v>{_NUMERAL}))", _chinese),
        (
            rf"(?i)(?<![A-Za-z0-9_-])(?P<n>(?P<sign>minus )?(?P<v>(?:a )?(?:{_ENGLISH_WORD})"
            rf"(?:(?:\s+and\s+|[\s-]+)(?:{_ENGLISH_WORD}))*(?:\s+and a half)?)(?P<cent>\s+per ?cent\b)?)"
            r"(?![A-Za-z0-9_])(?!-\d)",
            _english,
        ),
        (r"\b(?P<n>half)(?= (?:of|an?|the)\b)", lambda _: Fraction(1, 2)),
        (
            rf"(?i)\b(?P<n>(?:(?:{'|'.join(w for w, n in ENGLISH_CARDINALS.items() if n >= 20)})[ -])?"
            rf"(?:{'|'.join(w for w, n in ENGLISH_ORDINALS.items() if n > 2)}))\b",
            lambda m: english_number(m["n"]),
        ),
        (r"(?i)\b(?P<n>second)(?=[ -](?:\w+est|most|least|highest|place|position|in rank)\b)", lambda _: Fraction(2)),
        (r"(?i)(?<=\branked )(?P<n>first|second)\b", lambda m: english_number(m["n"])),
    )
)
