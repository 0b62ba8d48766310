"""The library's made-up books: who wrote how many, when, in which language, for whom, and how they are liked."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .catalogue import Topic, fields, topics
from .classics import Classic
from .people import THIS_YEAR, Author
from .titles import Titles, publishers, series

__all__ = ["Book", "books", "edition"]

_MOST = 90  # books of one author
_LANGUAGES = {
    "中国": {"中文": 94, "英文": 6},
    "美国": {"英文": 62, "中文": 38},
    "英国": {"英文": 62, "中文": 38},
    "加拿大": {"英文": 66, "中文": 34},
    "印度": {"英文": 75, "中文": 25},
    "法国": {"中文": 50, "法文": 25, "英文": 25},
    "德国": {"中文": 50, "德文": 25, "英文": 25},
    "日本": {"中文": 65, "日文": 25, "英文": 10},
}
_TRANSLATED = {"中文": 60, "英文": 40}


@dataclass(frozen=True)
class Book:
    """One row of ``books`` but for its number and its ISBN."""

    title: str
    author: str
    publisher: str
    year: int
    pages: int
    language: str
    subjects: tuple[str, ...]
    rating: float | None
    ratings: int
    series: str | None
    shelf: str


def books(authors: Sequence[Author], count: int, taken: Sequence[str], rng: random.Random) -> Iterator[Book]:
    """Yield ``count`` books: each author has one at least, a few have many; no title is one of ``taken``."""
    titles = Titles(taken)
    for author, number in zip(authors, _shares(len(authors), count, rng), strict=True):
        for _ in range(number):
            yield _book(author, titles, rng)


def edition(classic: Classic, rng: random.Random) -> Book:
    """Return a classic as the library has it: publisher, pages and ratings are made up."""
    topic = next(topic for topic in topics() if topic.zh == classic.subjects[0])
    return Book(
        title=classic.title,
        author=classic.author,
        publisher=rng.choice(publishers(classic.language)),
        year=classic.year,
        pages=rng.randint(160, 900),
        language=classic.language,
        subjects=classic.subjects,
        rating=round(rng.uniform(4.0, 4.9), 1),
        ratings=rng.randint(20_000, 300_000),
        series=None,
        shelf=_shelf(topic, rng),
    )


def _shares(authors: int, count: int, rng: random.Random) -> list[int]:
    """Divide the books among the authors by Pareto's law."""
    found = [1] * authors
    weights = list(accumulate(min(rng.paretovariate(1.1), 60.0) for _ in range(authors)))
    left = count - authors
    while left:
        for place in rng.choices(range(authors), cum_weights=weights, k=left):
            if found[place] < _MOST:
                found[place] += 1
                left -= 1
    return found


def _book(author: Author, titles: Titles, rng: random.Random) -> Book:
    topic = rng.choice(fields()[author.field])
    language = _language(author, topic, rng)
    houses = publishers(language)
    publisher = houses[int(len(houses) * rng.random() ** 1.7)]  # the first ones have most books
    own = series(language).get(publisher, ())
    ratings = int(math.exp(rng.gauss(3.2, 1.7)))
    return Book(
        title=titles.make(language, topic, rng),
        author=author.name,
        publisher=publisher,
        year=_year(author, rng),
        pages=max(48, int(rng.lognormvariate(5.6, 0.4))),
        language=language,
        subjects=_subjects(topic, rng),
        rating=round(min(5.0, max(2.0, rng.gauss(3.7, 0.55))), 1) if ratings else None,
        ratings=ratings,
        series=rng.choice(own) if own and rng.random() < 0.4 else None,
        shelf=_shelf(topic, rng),
    )


def _language(author: Author, topic: Topic, rng: random.Random) -> str:
    told = _LANGUAGES.get(author.country, _TRANSLATED)
    language = rng.choices(list(told), list(told.values()))[0]
    other = language not in {"中文", "英文"} and topic.kind != "arts"
    return "英文" if other else language  # outside of literature, science is read in English or translated


def _year(author: Author, rng: random.Random) -> int:
    """Between the author's 24th year and the last one, most often in the forties."""
    first, last = author.birth + 24, min(author.death or THIS_YEAR, author.birth + 75, THIS_YEAR)
    return int(rng.triangular(first, last + 1, min(author.birth + 45, last))) if last > first else first


def _subjects(topic: Topic, rng: random.Random) -> tuple[str, ...]:
    """The book's topic, perhaps another one of its field, now and then one of any field."""
    found = [topic.zh]
    if rng.random() < 0.55:
        found.append(rng.choice(fields()[topic.field]).zh)
    if rng.random() < 0.3:
        found.append(rng.choice(topics()).zh)
    return tuple(dict.fromkeys(found))


def _shelf(topic: Topic, rng: random.Random) -> str:
    return f"{topic.letter}-{rng.randint(1, 60)}-{rng.randint(1, 6)}"
