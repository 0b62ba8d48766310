"""Training examples of dialogues: turns with their history, and questions that stand behind an unrelated history."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...data.domains.dialogues import Dialogue, Turn
from ...data.errors import QuerentError
from ...encoders import Encoder
from ...ner.language.question import QuestionText
from ..decoding.history import History, history_of
from ..reader.context import MAX_VALUES, DatabaseContext
from ..reader.output_vocabulary import UNKNOWN
from ..reader.question import read_question
from .training_examples import GoldQuery, TrainingExample

Contexts = Mapping[str, list[DatabaseContext]]
TurnWithHistory = tuple[str, str, Turn, History, bool | None]
"""The id, the database, the turn, its history, and whether the turn needs the history (None if unknown)."""


def dialogue_examples(
    dialogues: Sequence[Dialogue],
    contexts: Contexts,
    encoder: Encoder,
    *,
    own: Mapping[str, str] | None = None,
    strange: float = 0.3,
    seed: int = 0,
) -> list[list[TrainingExample]]:
    """Return an example of each turn but the first, in each way that its database is read.

    Args:
        own: the queries of a parser, by the id of the turn that they answer. Every second previous query is one of
            them, right or wrong, since a real conversation has no others.
        strange: the share of first turns that are learnt once more behind the history of another dialogue.
        seed: the seed that draws them.
    """
    draw = random.Random(seed)
    turns = [*turns_with_history(dialogues, contexts, own=own or {}), *_strange(dialogues, contexts, strange, draw)]
    found = ([_example(turn, context, encoder) for context in contexts[turn[1]]] for turn in turns)
    return [kept for several in found if (kept := [one for one in several if one is not None])]


def turns_with_history(
    dialogues: Sequence[Dialogue], contexts: Contexts, *, own: Mapping[str, str]
) -> Iterator[TurnWithHistory]:
    """Yield each turn but the first with its history; ``own`` is the argument of `dialogue_examples`."""
    for dialogue in dialogues:
        utterances: list[str] = []
        for number, turn in enumerate(dialogue.turns):
            if number and turn.utterance:
                before = dialogue.turns[number - 1].sql
                if number % 2:
                    before = own.get(turn_id(dialogue, number - 1), before)
                history = history_of(utterances, before, contexts[dialogue.database][0])
                yield turn_id(dialogue, number), dialogue.database, turn, history, turn.carries
            if turn.utterance:
                utterances.append(turn.utterance)


def turn_id(dialogue: Dialogue, number: int) -> str:
    """Return the id of a turn."""
    return f"{dialogue.id}-{number}"


def _strange(
    dialogues: Sequence[Dialogue], contexts: Contexts, share: float, draw: random.Random
) -> Iterator[TurnWithHistory]:
    """Yield first turns behind the beginning of another dialogue on their database, of which they need nothing."""
    by_database: dict[str, list[Dialogue]] = {}
    for dialogue in dialogues:
        by_database.setdefault(dialogue.database, []).append(dialogue)
    for dialogue in dialogues:
        first, other = dialogue.turns[0], draw.choice(by_database[dialogue.database])
        starred = first.sql.upper().startswith("SELECT *")
        if other is dialogue or starred or not (first.utterance and first.sql) or draw.random() >= share:
            continue
        until = draw.randint(1, len(other.turns))
        utterances = [turn.utterance for turn in other.turns[:until] if turn.utterance]
        history = history_of(utterances, other.turns[until - 1].sql or None, contexts[dialogue.database][0])
        yield f"{dialogue.id}-behind", dialogue.database, first, history, False


def _example(with_history: TurnWithHistory, context: DatabaseContext, encoder: Encoder) -> TrainingExample | None:
    """Return the example of a turn, None if its query cannot be written or has a value that no turn names."""
    name, _, turn, history, carries = with_history
    text = QuestionText(turn.utterance, context.language)
    question = read_question(
        text, history.beside(context.values(text))[:MAX_VALUES], encoder, earlier=history.utterances
    )
    try:
        gold = GoldQuery.of(turn.sql, question, context)
        example = gold.example(name)
    except (QuerentError, KeyError):
        return None
    if not gold.query.whole or UNKNOWN in example.places:
        return None
    values = [question.values[int(node) - len(example.items)] for node in example.pointed if node >= len(example.items)]
    if carries is None and any(value.found.how == "earlier" for value in values):
        carries = True  # its query has a value that only an earlier turn names
    return replace(example, before=history.query(question, gold.query.context), carries=carries)
