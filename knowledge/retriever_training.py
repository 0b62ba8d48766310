"""Trains the bi-encoder that finds solved questions on those of a domain (SoftSimMatch, BibSQL 2025)."""

from collections.abc import Callable
from pathlib import Path

from ..data.domains.domain import Domain
from ..data.errors import InputError
from ..ner.masking import ValueMask
from ..retrieval.training import BiEncoderOptions, patterns_of, train_bi_encoder
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
        domain: the domain, with a database whose values are masked in the same way as in a search.
        model: the bi-encoder to start from, ``e5`` or a folder.
        out: the folder to write.
        options: the options, None for the defaults.
        progress: a callback for the share of steps that are done.

    Raises:
        InputError: the domain has no database or nothing to learn, or the model cannot be loaded.
        DatabaseError: the database cannot be read.
    """
    if domain.database is None:
        raise InputError("has no database, whose values would be masked", file=domain.name, field="database")
    solved = Solved.of(domain)
    with solved.index(domain.database, domain.schema) as index:
        mask = ValueMask(index, domain.language)
        questions = [mask(one.question) for one in solved.examples]
        hops = [one.tags.get("hops", "") for one in solved.examples]
        patterns = patterns_of([*zip([one.prototype for one in solved.examples], questions, hops, strict=True)])
        number = {pattern.name: i for i, pattern in enumerate(patterns)}
        labels = [number[one.prototype] for one in solved.examples]
        train_bi_encoder(model, questions, labels, out, options, patterns=patterns, progress=progress)
