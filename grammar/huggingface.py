"""The constraint inside transformers' ``generate``: a logits processor for any model that writes SQL.

processor = SqlLogitsProcessor(tokenizer, schema, dialect="sqlite", max_new_tokens=128)
model.generate(**inputs, logits_processor=[processor], max_new_tokens=128, num_beams=4)
"""

from collections.abc import Collection, Sequence
from typing import Any

import torch
from transformers import LogitsProcessor

from ..data.errors import ConstraintError
from ..data.schema.schema import Schema
from .reading.access import Access
from .tokens.constraint import TokenConstraint, TokenState
from .tokens.token_texts import TokenSpellings

_KEPT = 2_000
"""Beginnings of outputs whose states are remembered, of the size of a mask; when they are more, all go."""


class SqlLogitsProcessor(LogitsProcessor):
    """Lets a model write nothing but one query that runs on a schema.

    A row's mask hangs on the row's own tokens alone, so that beams may be reordered, rows repeated and an output be
    taken up again. Greedy search, sampling and beam search, encoder-decoder and decoder-only models, prompts padded
    on the left.

    Args:
        tokenizer: the model's; or what was read of it, `TokenSpellings`, which takes a quarter of a second.
        schema: the tables and columns; left out if ``schemas`` are given.
        schemas: one for each prompt of a batch, in order.
        dialect: ``sqlite``, ``mysql`` or ``postgres``.
        level: what is promised of each query: see `querent.grammar.Constraint`.
        budget: the most words of a query.
        max_new_tokens: as given to ``generate``: each query ends within them. Without it a query ends by its words,
            and ``generate`` may cut it off before.
        values: the only literals, as they stand in SQL; any number and text if None.
        aliases: names that columns may be called by before FROM declares them, beside T1, a, and tables' initials.
        prefix: what the model must write first: ``"```sql\\n"``.
        fence: what it must write behind the query: ``"\\n```"``.
        prompt_length: how many tokens of a row are its prompt; if None, all that are there when ``generate`` first
            calls. To take up a begun output, give the length of the prompt without it.
        vocab_size: the width of the logits, where that is more than the tokenizer's.
        access: what may be read, all if None; of several ``schemas`` one for each, or one that names things of all.
        joins: ``keys``: what FROM joins, foreign keys of the schema must link, so that no model at a loss writes a
            product of tables that takes hours; ``any``: whatever the model joins. See `querent.grammar.Constraint`.

    Raises:
        InputError: ``access`` names what the schema does not have.
        ConstraintError: the tokenizer cannot spell a name of the schema; no query has so few tokens.
    """

    def __init__(
        self,
        tokenizer: Any,
        schema: Schema | None = None,
        *,
        schemas: Sequence[Schema] = (),
        dialect: str = "sqlite",
        level: str = "runs",
        budget: int = 120,
        max_new_tokens: int | None = None,
        values: Collection[str] | None = None,
        aliases: Collection[str] = (),
        prefix: str = "",
        fence: str = "",
        prompt_length: int | None = None,
        vocab_size: int | None = None,
        access: Access | Sequence[Access | None] | None = None,
        joins: str = "keys",
    ) -> None:
        if (schema is None) == (not schemas):
            raise ConstraintError("a schema is wanted, or several", hint="give schema, or schemas, one for each prompt")
        if isinstance(tokenizer, TokenSpellings):
            spellings = tokenizer
        else:
            spellings = TokenSpellings.of_tokenizer(tokenizer, size=vocab_size)
        given = [one for one in schemas or (schema,) if one is not None]
        roles = list(access) if isinstance(access, Sequence) else [access] * len(given)
        if len(roles) != len(given):
            raise ConstraintError(f"{len(roles)} of access for {len(given)} schemas", hint="give one for each schema")
        pairs = list(zip(given, roles, strict=True))
        made = {
            (one, role): TokenConstraint(
                one,
                spellings,
                access=role,
                dialect=dialect,
                level=level,
                budget=budget,
                tokens=max_new_tokens,
                values=values,
                aliases=aliases,
                before=prefix,
                behind=fence,
                joins=joins,
            )
            for one, role in dict.fromkeys(pairs)
        }
        self.constraints = [made[pair] for pair in pairs]
        self._starts = [constraint.start() for constraint in self.constraints]
        self._prompt_length = prompt_length
        self._prompts: set[tuple[int, ...]] = set()
        self._length = prompt_length or 0
        self._states: dict[tuple[int, ...], TokenState] = {}

    def __call__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, input_ids: torch.Tensor, scores: torch.Tensor
    ) -> torch.Tensor:
        """Return scores with -inf for tokens that may not come; shapes (rows, tokens so far) and (rows, vocabulary)."""
        rows: list[list[int]] = input_ids.tolist()
        self._begin(rows)
        each, rest = divmod(len(rows), len(self._starts))
        if rest:
            problem = f"{len(rows)} rows for {len(self._starts)} schemas"
            raise ConstraintError(problem, hint="give as many schemas as there are prompts in the batch")
        masks = [self._state(number // each, row[self._length :]).allowed() for number, row in enumerate(rows)]
        if scores.shape[-1] < len(masks[0]):
            problem = f"logits of {scores.shape[-1]} tokens for a tokenizer of {len(masks[0])}"
            raise ConstraintError(problem, hint="use the model's own tokenizer")
        allowed = torch.zeros(scores.shape, dtype=torch.bool)
        for number, mask in enumerate(masks):
            allowed[number, : len(mask)] = torch.tensor(mask)
        return scores.masked_fill(~allowed.to(scores.device), float("-inf"))

    def restart(self) -> None:
        """Take the next rows for prompts, though they begin with those of before, as a chat that goes on does."""
        self._prompts.clear()

    def _begin(self, rows: list[list[int]]) -> None:
        """Find out where outputs begin: a new ``generate`` has other prompts, or rows as long as its prompts."""
        if self._prompt_length is not None:
            return
        known = all(tuple(row[: self._length]) in self._prompts for row in rows)
        if not self._prompts or not known or len(rows[0]) == self._length:
            self._length = len(rows[0])
            self._prompts = {tuple(row) for row in rows}
            self._starts = [constraint.start() for constraint in self.constraints]

    def _state(self, number: int, tokens: list[int]) -> TokenState:
        """Return the state after the tokens of an output on the schema of a number."""
        if len(self._states) > _KEPT:
            self._states.clear()
        known = len(tokens)
        while known and (number, *tokens[:known]) not in self._states:
            known -= 1
        state = self._states.setdefault((number, *tokens[:known]), self._starts[number])
        for end in range(known, len(tokens)):
            if not state.ended:  # rows that have ended are padded, with any token
                state = _advanced(state, tokens[end])
            self._states[number, *tokens[: end + 1]] = state
        return state


def _advanced(state: TokenState, token: int) -> TokenState:
    try:
        return state.advance(token)
    except ConstraintError as error:
        hint = "the token was chosen past the mask: does another logits processor force or forbid tokens?"
        raise ConstraintError(error.problem, hint=hint) from error
