"""No regular expression that reads a question takes much longer than the question is long."""

import importlib
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from querent.ner.language.question import QuestionText

ROOT = Path(__file__).resolve().parents[2]
READERS = (
    *("ner", "classifiers", "parser/answering", "parser/decoding", "parser/reader", "data", "knowledge"),
    *("retrieval", "encoders"),
)
# these read schemas, files and queries, short cells, or words of one alone
OTHERS = (
    *("data/" + name for name in ("schema", "databases", "sql", "domains", "files", "urls.py", "parsing.py")),
    "knowledge/formulas",
    *("parser/" + name for name in ("learning", "normal_form")),
)
UNITS = (
    *"1aA中一 '\"`“”‘«.,-(%年点的\n_",
    *(
        "1.",
        "1,",
        "1-",
        "1/",
        "1:",
        "1 ",
        "1年",
        "01",
        "a.",
        "a-",
        "a ",
        "A ",
        "aA",
        "a'",
        "'a ",
        "'s b",
        " 'a",
        "``",
        "一点",
    ),
)
SHORT, TIMES = 150, 16
MOST = 3 * TIMES
"""Growth of the time where the length grows by `TIMES`: a linear one is 16, a quadratic one 256."""


def patterns_in(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """Yield the patterns of texts in what a module holds."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, dict) and depth < 4:
        yield from (one for inner in (*value, *value.values()) for one in patterns_in(inner, depth + 1))
    elif isinstance(value, (list, tuple, set, frozenset)) and depth < 4:
        yield from (one for inner in value for one in patterns_in(inner, depth + 1))


def readers() -> dict[str, re.Pattern[str]]:
    """Return the patterns of the modules that read questions, by name."""
    found: dict[str, re.Pattern[str]] = {}
    for room in READERS:
        for file in sorted((ROOT / room).rglob("*.py")):
            place = file.relative_to(ROOT).as_posix()
            if place.startswith(OTHERS) or "re.compile" not in file.read_text("utf-8"):
                continue
            module = importlib.import_module("querent." + place.removesuffix(".py").replace("/", "."))
            for name, value in vars(module).items():
                for number, pattern in enumerate(patterns_in(value)):
                    found[f"{place} {name} {number}"] = pattern
    return found


def seconds(pattern: re.Pattern[str], text: str) -> float:
    """Return the CPU time of one reading, the least of three."""

    def once() -> float:
        start = time.process_time()
        for _ in pattern.finditer(text):
            pass
        return time.process_time() - start

    return min(once() for _ in range(3))


def slow(pattern: re.Pattern[str], units: Iterable[str]) -> dict[str, float]:
    """Return the texts whose reading grows faster than they do, with how fast."""
    found: dict[str, float] = {}
    for unit in units:
        short, long = (unit * (length // len(unit)) for length in (SHORT, SHORT * TIMES))
        late = seconds(pattern, long)
        if late > 0.001 and (growth := late / max(seconds(pattern, short), 1e-6)) > MOST:  # less is noise
            found[unit] = growth
    return found


def test_no_pattern_is_quadratic():
    found = readers()
    assert len(found) > 60
    assert {name: texts for name, pattern in found.items() if (texts := slow(pattern, UNITS))} == {}


@pytest.mark.parametrize(
    ("pattern", "unit"), [(r"\d[\d.]*元", "1"), (r"'([^']+(?:'(?:s\b)?[^']+)*?)'$", "'a "), (r"\s*=", " ")]
)
def test_a_quadratic_pattern_is_found(pattern, unit):
    assert slow(re.compile(pattern), [unit])


@pytest.mark.parametrize("unit", UNITS)
def test_quotes_are_found_as_fast(unit):
    """A search with backtracking takes twice as long for each «'s»: for these it would not end."""
    text = f"'{unit * 2000}"
    assert all(0 < start < end <= len(text) for start, end in QuestionText(text).quotes)


def test_quotes_of_all_kinds_are_found():
    text = (
        "Who 'directed' “Jaws”, «Alien», 'Schindler's List' and ``Up'' in the director's cut, ‘It's’ \"\" or 《活着》?"
    )
    assert [text[start:end] for start, end in QuestionText(text).quotes] == [
        *("directed", "Jaws", "Alien", "Schindler's List", "Up", "It's", "活着")
    ]
