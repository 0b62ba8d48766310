"""Training examples of turns that lean on the ones before, and of questions that stand behind a history of others."""

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
Asked = tuple[str, str, Turn, History, bool | None]
"""Id, database, turn, what came before it, and whether the turn needs that (None: nobody said)."""


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
        own: a parser's queries by id of the turn that they answer: in every second place the query before is one of
            these, wrong as it may be, since a conversation has no others.
        strange: share of first turns that are learnt once more behind the history of another dialogue.
        seed: of these.
    """
    draw = random.Random(seed)
    asked = [*turns_with_history(dialogues, contexts, own=own or {}), *_strange(dialogues, contexts, strange, draw)]
    found = ([_example(one, context, encoder) for context in contexts[one[1]]] for one in asked)
    return [kept for several in found if (kept := [one for one in several if one is not None])]


def turns_with_history(dialogues: Sequence[Dialogue], contexts: Contexts, *, own: Mapping[str, str]) -> Iterator[Asked]:
    """Yield each turn but the first with what came before it; ``own`` as of `dialogue_examples`."""
    for dialogue in dialogues:
        said: list[str] = []
        for number, turn in enumerate(dialogue.turns):
            if number and turn.utterance:
                before = dialogue.turns[number - 1].sql
                if number % 2:
                    before = own.get(turn_id(dialogue, number - 1), before)
                history = history_of(said, before, contexts[dialogue.database][0])
                yield turn_id(dialogue, number), dialogue.database, turn, history, turn.carries
            if turn.utterance:
                said.append(turn.utterance)


def turn_id(dialogue: Dialogue, number: int) -> str:
    """Return the id of a turn."""
    return f"{dialogue.id}-{number}"


def _strange(dialogues: Sequence[Dialogue], contexts: Contexts, share: float, draw: random.Random) -> Iterator[Asked]:
    """Yield first turns behind the beginning of another dialogue on their database: they need nothing of it."""
    of: dict[str, list[Dialogue]] = {}
    for dialogue in dialogues:
        of.setdefault(dialogue.database, []).append(dialogue)
    for dialogue in dialogues:
        first, other = dialogue.turns[0], draw.choice(of[dialogue.database])
        starred = first.sql.upper().startswith("SELECT *")
        if other is dialogue or starred or not (first.utterance and first.sql) or draw.random() >= share:
            continue
        until = draw.randint(1, len(other.turns))
        said = [turn.utterance for turn in other.turns[:until] if turn.utterance]
        history = history_of(said, other.turns[until - 1].sql or None, contexts[dialogue.database][0])
        yield f"{dialogue.id}-behind", dialogue.database, first, history, False


def _example(asked: Asked, context: DatabaseContext, encoder: Encoder) -> TrainingExample | None:
    """Return what is learnt of a turn, None if its query cannot be written or has a value that nobody said."""
    name, _, turn, history, carries = asked
    values = history.beside(context.values(turn.utterance))[:MAX_VALUES]
    question = read_question(QuestionText(turn.utterance), values, encoder, earlier=history.utterances)
    try:
        gold = GoldQuery.of(turn.sql, question, context)
        example = gold.example(name)
    except (QuerentError, KeyError):
        return None
    if not gold.meant.whole or UNKNOWN in example.places:
        return None
    earlier = [node.found.how == "earlier" for node in question.values]
    said = [int(node) - len(example.items) for node in example.pointed if node >= len(example.items)]
    if carries is None and any(earlier[value] for value in said):
        carries = True  # it has a value that it does not say itself
    return replace(example, before=history.query(question, gold.meant.context), carries=carries)
