"""Trains the bi-encoder that finds solved questions, on a domain's own (SoftSimMatch, BibSQL 2025)."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ..data.domains.domain import Domain, Example
from ..data.errors import InputError
from ..ner.masking import ValueMask
from ..retrieval.training import BiEncoderOptions, Likeness, patterns_of, train_bi_encoder
from .solved import Solved


def tune_retriever(
    domain: Domain,
    model: str,
    out: Path,
    options: BiEncoderOptions | None = None,
    *,
    progress: Callable[[float], object] = lambda _: None,
) -> None:
    """Train a bi-encoder so that questions of one query pattern are near, and write it to a folder.

    It learns the solved questions of a domain's parts train and dev.

    Args:
        domain: with the database whose values are masked, as they are where questions are searched.
        model: ``e5`` or a folder.
        out: the folder.
        options: the defaults if None.
        progress: called with the share of steps that are done.

    Raises:
        InputError: the domain has no database or nothing to learn, or the model cannot be loaded.
        DatabaseError: the database cannot be read.
    """
    if domain.database is None:
        raise InputError("has no database, whose values would be masked", file=domain.name, field="database")
    solved = Solved.of(domain)
    with solved.index(domain.database, domain.schema) as index:
        mask = ValueMask(index, domain.language)
        questions, likeness = [mask(one.question) for one in solved.examples], likeness_of(solved.examples, mask)
        number = {pattern.name: i for i, pattern in enumerate(likeness.patterns)}
        labels = [number[one.prototype] for one in solved.examples]
        train_bi_encoder(model, questions, labels, out, options, likeness=likeness, progress=progress)


def likeness_of(examples: Sequence[Example], mask: Callable[[str], str]) -> Likeness:
    """Return what is wished of the examples' questions, by their paths where they tell any."""
    return Likeness(patterns_of([(e.prototype, mask(e.question), e.tags.get("hops", "")) for e in examples]))
