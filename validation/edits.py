"""A change of one word of a query, and how the query is written then."""

from __future__ import annotations

from dataclasses import dataclass

from .query_words import QueryWords

__all__ = ["Edit", "written"]


@dataclass(frozen=True)
class Edit:
    """A change at the ``place``-th word of a query.

    Attributes:
        length: 1 if a word goes, 0 if one is put in before it.
        word: what comes, by its number in the vocabulary; None if nothing does.
        everywhere: every later word of the same spelling is replaced, too.
        cut: all words from here on go.
    """

    place: int
    length: int = 0
    word: int | None = None
    everywhere: bool = False
    cut: bool = False

    def places(self, query: QueryWords) -> list[int]:
        """Return the places of the words that are replaced."""
        if not self.everywhere:
            return [self.place]
        text = query.lexemes[self.place].text.lower()
        return [p for p, lexeme in enumerate(query.lexemes) if p >= self.place and lexeme.text.lower() == text]


def written(query: QueryWords, edit: Edit) -> str:
    """Return a query's text after an edit; all else stays as it is."""
    sql, lexemes = query.sql, query.lexemes
    if edit.cut:
        return sql[: lexemes[edit.place - 1].end]
    if edit.word is None:
        gone = lexemes[edit.place]
        return f"{sql[: gone.start].rstrip()} {sql[gone.end :].lstrip()}".strip()
    word = query.vocabulary.words[edit.word].text
    if edit.length:
        for place in reversed(edit.places(query)):
            sql = sql[: lexemes[place].start] + word + sql[lexemes[place].end :]
        return sql
    return _put_in(query, edit.place, word)


def _put_in(query: QueryWords, place: int, word: str) -> str:
    sql = query.sql
    if not place:
        return f"{word} {sql}"
    at = query.lexemes[place - 1].end
    called = any(query.vocabulary.words[i].kind == "function" for i in query.choices[place - 1])
    before = "" if word in {",", ")"} or (word == "(" and called) else " "
    behind = "" if at == len(sql) or sql[at].isspace() or word in {"(", ")"} else " "
    return sql[:at] + before + word + behind + sql[at:]
