"""The exceptions of Querent, one tree.

    QuerentError
    ├── InputError          a file, field, option or question is wrong
    │   ├── SchemaError     a schema cannot be read
    │   └── DomainError     a domain folder or data set cannot be read
    ├── QueryError          a SQL text is outside the grammar
    ├── ConstraintError     a token or state breaks the constraint's contract
    ├── DatabaseError       a database is gone, locked, or refused a query
    │   ├── UnknownNameError    a query names what the database has not
    │   └── UnavailableError    a query cannot be answered at present, and may be right
    │       └── TimeLimitError  it took longer than it may
    ├── LlmError            a language model does not answer
    └── RunError            a run or saved parser is missing, broken or of another version

Each message says what was found, where, and the nearest right thing; the parts are kept as
fields, so that callers need not parse the text.
"""

import difflib
from collections.abc import Iterable
from pathlib import Path

from .urls import shown_url


class QuerentError(Exception):
    """Base of every error that a user can cause or mend.

    Args:
        problem: what was found, in one line.
        file: the file it was found in.
        line: 1-based line in that file.
        field: field, option or column concerned.
        hint: the nearest right thing, an imperative («use --out»).
    """

    def __init__(
        self,
        problem: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        field: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.problem = problem
        self.file = None if file is None else Path(shown_url(str(file)))  # a URL with a slash too few, say
        self.line = line
        self.field = field
        self.hint = hint
        super().__init__(str(self))

    @property
    def unplaced(self) -> str:
        """Return the problem with its hint, without the place where it was found."""
        return f"{self.problem} ({self.hint})" if self.hint else self.problem

    def __str__(self) -> str:
        place = "" if self.file is None else str(self.file)
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
        if self.field is not None:
            place += f", field {self.field!r}" if place else f"field {self.field!r}"
        return f"{place}: {self.unplaced}" if place else self.unplaced


class InputError(QuerentError):
    """A file, field, option or question is wrong."""


class SchemaError(InputError):
    """A schema cannot be read."""


class DomainError(InputError):
    """A domain folder or a data set cannot be read."""


class QueryError(QuerentError):
    """A SQL text is outside the grammar.

    Attributes:
        position: 0-based character offset where the reading stopped.
    """

    def __init__(self, problem: str, *, position: int = 0, hint: str | None = None) -> None:
        self.position = position
        super().__init__(problem, hint=hint)


class ConstraintError(QuerentError):
    """A token is illegal in a state, or a vocabulary leaves no way to finish a query."""


class DatabaseError(QuerentError):
    """A database is gone, locked, or refused a query."""


class UnknownNameError(DatabaseError):
    """A query names a table or column that the database does not have, or has no longer."""


class UnavailableError(DatabaseError):
    """A query cannot be answered at present for a reason of the database: a lock, a missing right, a lost server."""


class TimeLimitError(UnavailableError):
    """A query took longer than it may, or waited for a lock as long."""

    def __init__(self, problem: str, *, file: Path | str | None = None, hint: str | None = None) -> None:
        super().__init__(problem, file=file, hint=hint or "--timeout allows more, --query-timeout that of a server")


class LockedError(TimeLimitError):
    """Another session has locked what a query reads."""


class LlmError(QuerentError):
    """A language model does not answer, or its answer cannot be read."""


class RunError(QuerentError):
    """A run folder or saved parser is missing, broken or of another version."""


def did_you_mean(word: str, choices: Iterable[str]) -> str | None:
    """Return a hint naming the nearest of ``choices``, or None if nothing is near."""
    lowered = {choice.lower(): choice for choice in choices}
    found = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return f"did you mean {lowered[found[0]]!r}?" if found else None
