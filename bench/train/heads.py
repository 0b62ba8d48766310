"""The stages of small models beside the network: the span finder, and the retriever of tables."""

import random
from collections.abc import Iterable
from dataclasses import replace

import union_schemas

from querent.classifiers.span_learning import SpanExample, TaggedWords, fit_spans, linked_examples, projected_examples
from querent.data.domains.collection import is_held_out, read_collection
from querent.data.domains.dialogues import read_linked_turns
from querent.ner.language.question import QuestionText
from querent.parser.learning.schema_retriever import train_schema_retriever
from querent.parser.reader.question import read_question, words_of_many
from querent.retrieval.schema_retriever.training import RetrieverOptions

from .recipes import SetName, StageName
from .walk import Figures, Work


def spans(
    work: Work, *, learnt: dict[SetName, int], layers: int = 6, epochs: int = 8, lower: int = 4, seed: int = 0
) -> Figures:
    """Train the span finder: ``spans.safetensors``.

    Gold queries mark the values of questions, people's labels those of CHASE's dialogues. The scores are on databases
    held out, with each question once more in small letters.

    Args:
        learnt: data sets, each with the greatest number of its questions.
        layers: how many layers of the encoder the head reads.
        lower: every so many questions one is put into small letters.
    """
    rng, examples = random.Random(seed), list[SpanExample]()
    for name, most in learnt.items():
        whole = [one for one in _marked(work, name) if one.whole]
        learn = [one for one in whole if not is_held_out(one.database)]
        drawn = rng.sample(learn, min(most, len(learn)))
        examples += (_lowered(one) if n % lower == 0 else one for n, one in enumerate(drawn))
        held = [one for one in whole if is_held_out(one.database)]
        examples += [*held, *(replace(_lowered(one), source=f"{name}, small letters") for one in held)]
    read = [read_question(QuestionText(one.question), (), work.encoder) for one in examples]
    tagged: dict[int, TaggedWords] = {}
    with work.bar("questions", len(read)) as moved:
        for place, words in words_of_many(read, work.encoder, layers):
            tagged[place] = TaggedWords(words, examples[place].tags(len(words.own)))
            moved()
    train = [own for place, own in sorted(tagged.items()) if not is_held_out(examples[place].database)]
    finder = fit_spans(train, work.walk.recipe.encoder, layers, epochs=epochs, seed=seed)
    finder.save(work.folder / "spans.safetensors")
    figures: Figures = {"examples": len(train)}
    for source in dict.fromkeys(one.source for one in examples):
        places = [n for n, one in enumerate(examples) if one.source == source and is_held_out(one.database)]
        held = [tagged[n] for n in places]
        scores = finder.score([finder.predict(own.words) for own in held], [own.tags for own in held])
        figures[source] = {"questions": len(held), **scores}
    return figures


def _marked(work: Work, name: str) -> Iterable[SpanExample]:
    """Return the questions of a data set with their marked spans."""
    one = work.walk.recipe.data[name]
    if (labels := one.labels_file(work.walk.data)) is None:
        return projected_examples(work.collection(name))
    return linked_examples(read_linked_turns(one.place(work.walk.data).parent, labels), name)


def _lowered(example: SpanExample) -> SpanExample:
    """Return a question in small letters, unless that changes its length."""
    text = example.question.lower()
    return replace(example, question=text) if len(text) == len(example.question) else example


def union(
    work: Work, *, first: SetName, more: list[SetName] | None = None, asked: list[SetName] | None = None
) -> Figures:
    """Merge the databases that are learnt into one, with their questions, for the retriever of tables.

    Args:
        first: the data set that gives language and names.
        more: further collections of databases and questions.
        asked: further questions on the same databases.
    """
    collections = [work.collection(name) for name in (first, *(more or ()))]
    pairs = [pair for one in [*collections, *map(work.collection, asked or ())] for pair in one.pairs]
    learnt = [pair for pair in pairs if not is_held_out(pair.database)]
    return dict(
        union_schemas.write_union(work.folder / "union", union_schemas.members(collections, 10**9, "train"), learnt)
    )


def tables(work: Work, *, unions: dict[StageName, str], steps: int = 500, seed: int = 0) -> Figures:
    """Train the retriever of tables for large databases: ``weights.safetensors``.

    Args:
        unions: stages of unions, each with the format of its questions, `spider` or `cspider`.
    """
    collections = [read_collection(f"{kind}:{work.of(name) / 'union'}") for name, kind in unions.items()]
    done = 0
    with work.bar("search for tables", 100) as moved:

        def progress(share: float) -> None:
            nonlocal done
            moved(round(100 * share) - done)
            done = round(100 * share)

        options = RetrieverOptions(steps=steps, seed=seed)
        count = train_schema_retriever(collections, work.folder / "weights.safetensors", options, progress=progress)
    return {"examples": count}
