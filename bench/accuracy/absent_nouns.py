"""Ask databases for things that they do not have, and fit the probability that words mean something there.

    python bench/accuracy/absent_nouns.py --fit
    python bench/accuracy/absent_nouns.py --each 5
    python bench/accuracy/absent_nouns.py --each 5 --without

``--fit`` learns `SchemaMatch`: words of questions on a database and AmbiQT's synonyms of its names mean something
there; names and synonyms of other databases do not. Its scores are on databases held out. Without ``--fit`` the
questions are the forms of ``absent_nouns.toml`` with its nouns, and with AmbiQT's synonyms for the tables of databases
held out.
"""

import json
import random
import sqlite3
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray
from result_files import DATA, RESULTS, Result, run
from rich.progress import track
from scores import share
from sklearn.metrics import roc_auc_score
from torch.nn import functional

import querent
from querent.classifiers.schema_match import SHARPNESS, SchemaMatch
from querent.data.domains.collection import Collection, Pair, is_held_out, named_as, read_collection
from querent.data.schema.schema import Schema
from querent.encoders import load_encoder
from querent.encoders.text_vectors import TextVectors
from querent.ner.gold_spans import gold_literals
from querent.ner.language.question import QuestionText
from querent.ner.language.words import is_cjk, stem
from querent.parser.answering import unlinked
from querent.parser.reader.items import SchemaItems
from querent.parser.reader.question import read_question

FORMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
RANK, STEPS, DATABASES, MENTIONS, RATE = 96, 750, 20, 8, 1e-3
SEED, QUESTIONS = 0, 6000  # questions of each collection
NOTHING = SchemaItems(Schema(()))


Place = tuple[str, str]
"""A collection and one of its databases."""

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Mention:
    """Words in small letters, and whether they mean something in a database."""

    text: str
    place: Place
    here: bool


def measure(
    *,
    fit: Annotated[bool, "fit, and save classifiers/schema_match.safetensors"] = False,
    each: Annotated[int, "take every n-th question only; no divisor of the forms"] = 1,
    without: Annotated[bool, "take nothing for absent"] = False,
) -> Iterator[Result]:
    """Fit and save, or answer."""
    if fit:
        yield Result(fitted(), "fit")
        return
    if without:
        unlinked.ABSENT = unlinked.ABSENT_CJK = 0.0
    questions = {"absent nouns": list(absent())[::each], "synonyms": list(synonyms())}
    yield Result({name: answered(some) for name, some in questions.items()}, "without" if without else "asked")


def fitted() -> dict[str, Any]:
    """Fit on the databases that are learnt, save the weights, and return the scores on the others."""
    items, mentions = read(random.Random(SEED))
    vectors = TextVectors(load_encoder("e5"))
    names = {place: list(dict.fromkeys(item.name for item in own.items)) for place, own in items.items()}
    vectors.prepare_kept({one.text for one in mentions} | {name for own in names.values() for name in own})
    known = {place: np.array([vectors[name] for name in own]) for place, own in names.items()}
    match = learnt([one for one in mentions if not is_held_out(one.place[1])], known, vectors)
    match.save()
    held: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for one in (one for one in mentions if is_held_out(one.place[1])):
        sure = match.probabilities(vectors[one.text][None], known[one.place])
        held[f"{'zh' if is_cjk(one.text) else 'en'}, {one.place[0]}"].append((one.here, float(sure[0])))
    figures: dict[str, Any] = {"seed": SEED, "weights": dict(match.weights), "mentions": len(mentions)}
    for name, some in held.items():
        if len({here for here, _ in some}) == 2:
            figures[name] = {"held out": len(some), "auc": round(float(roc_auc_score(*zip(*some, strict=True))), 4)}
    return figures


def read(rng: random.Random) -> tuple[dict[Place, SchemaItems], list[Mention]]:
    """Return the names of all databases, and words that mean something in them or do not."""
    spider, _, chase, crossed = several = collections()
    items = {(one.name, name): SchemaItems(schema) for one in several for name, schema in one.schemas.items()}
    here, nouns = dict[Mention, None](), dict[tuple[str, Place], None]()
    for one in several:
        for pair in rng.sample(one.pairs, min(QUESTIONS, len(one.pairs))):
            place = (one.name, pair.database)
            literals = gold_literals(pair.question, pair.sql, language=one.language)
            values = " ".join(literal.value for literal in literals)
            runs = unspelled(pair.question, items[place], values)
            here |= dict.fromkeys(Mention(text, place, here=True) for text in runs)
            if one is not crossed:  # where no name is spelled, verbs look like nouns
                spelled = unspelled(pair.question, NOTHING, " ".join([values, *runs]))
                nouns |= dict.fromkeys((text, place) for text in spelled)
    for name, tables in synonyms_of().items():
        for table in tables.values():
            own = [*table["synonyms"], *(text for some in table["columns"].values() for text in some)]
            nouns |= dict.fromkeys((text.lower(), (spider.name, name)) for text in own)
    for name in crossed.schemas:
        nouns |= dict.fromkeys((item.name, (crossed.name, name)) for item in items[chase.name, name].items)
    synonyms = [(text, place) for text, place in nouns if unspelled(text, items[place]) == [text]]
    synonyms += [(text, place) for text in FORMS["rows"] for place in rng.sample(list(items), 60)]
    here |= dict.fromkeys(Mention(text, place, here=True) for text, place in synonyms)
    also = {chase.name: [chase.name, crossed.name]}
    absent = [
        one
        for text, (collection, name) in nouns
        for other in also.get(collection, [collection])
        for one in elsewhere(text, name, [place for place in items if place[0] == other], items, rng)
        if replace(one, here=True) not in here
    ]
    return items, [*here, *absent]


def collections() -> tuple[Collection, Collection, Collection, Collection]:
    """Return Spider, its questions in synonyms, CHASE, and CHASE's questions on Spider's names of the databases."""
    folder = DATA / "multi"
    spider, chase = read_collection(f"spider:{folder}/spider-train"), read_collection(f"chase:{folder}/chase-train")
    reworded = json.loads((folder / "spider-syn" / "train.json").read_text(encoding="utf-8"))
    pairs = tuple(Pair("", one["db_id"], one["question"], one["query"]) for one in reworded)
    schemas = {name: schema for name, schema in named_as(chase, spider).schemas.items() if name in spider.schemas}
    shared = tuple(pair for pair in chase.pairs if pair.database in schemas)
    crossed = replace(chase, name="chase-train, names of spider-train", schemas=schemas, pairs=shared)
    return spider, replace(spider, pairs=pairs), chase, crossed


def synonyms_of() -> dict[str, Any]:
    """Return AmbiQT's synonyms by database, table and column."""
    return json.loads((DATA / "multi/ambiqt-synonyms/synonyms.json").read_text(encoding="utf-8"))


def unspelled(text: str, items: SchemaItems, values: str = "") -> list[str]:
    """Return the runs of words in a text, in small letters, that spell none of the items and values."""
    read = read_question(QuestionText(text.lower()), (), load_encoder("e5"))
    return unlinked.unlinked_runs(read, items, said=values.lower())[0]


def elsewhere(
    text: str, name: str, places: list[Place], items: Mapping[Place, SchemaItems], rng: random.Random
) -> Iterator[Mention]:
    """Yield a noun on those of five random databases of the same part that do not spell it."""
    same = [place for place in places if is_held_out(place[1]) == is_held_out(name) and place[1] != name]
    words = set(map(stem, text.split()))
    for place in rng.sample(same, 5):
        own = items[place]
        if words.isdisjoint(word for called in own.names for word in called) and unspelled(text, own) == [text]:
            yield Mention(text, place, here=False)


def learnt(mentions: list[Mention], known: Mapping[Place, Floats], vectors: TextVectors) -> SchemaMatch:
    """Fit the match to mentions by cross entropy; a batch has some of each kind in some databases."""
    rng, every = np.random.default_rng(SEED), np.concatenate(list(known.values()))
    center = every.mean(0)
    kinds: dict[tuple[Place, bool], list[Mention]] = defaultdict(list)
    for one in mentions:
        kinds[one.place, one.here].append(one)
    places = [place for place in known if (place, True) in kinds and (place, False) in kinds]
    start = torch.from_numpy(np.linalg.svd(every - center, full_matrices=False)[2][:RANK].T.copy())
    projection, words = start.clone().requires_grad_(), torch.zeros(len(center), requires_grad=True)
    weights = torch.tensor([8.0, 0.0], requires_grad=True)
    rates = ((projection, RATE), (weights, 20 * RATE), (words, 50 * RATE))
    optimizer = torch.optim.Adam([{"params": [one], "lr": rate} for one, rate in rates])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    for _ in track(range(STEPS), "learning"):
        loss = 1e-3 * ((projection - start) ** 2).sum() + 0.02 * (words**2).mean()
        for place in (places[i] for i in rng.integers(0, len(places), DATABASES)):
            own = [kinds[place, here] for here in (True, False)]
            some = [kind[i] for kind in own for i in rng.integers(0, len(kind), MENTIONS)]
            both = np.array([vectors[one.text] for one in some]), known[place]
            texts, names = (torch.from_numpy(rows - center) for rows in both)
            near = functional.normalize(texts @ projection, dim=1) @ functional.normalize(names @ projection, dim=1).T
            soft = torch.logsumexp(SHARPNESS * near, 1) / SHARPNESS
            here = torch.tensor([float(one.here) for one in some])
            scores = weights[0] * soft + texts @ words + weights[1]
            loss = loss + functional.binary_cross_entropy_with_logits(scores, here) / DATABASES
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    arrays = [center, *(one.detach().numpy() for one in (projection, words))]
    return SchemaMatch(*arrays, dict(zip(("nearest", "constant"), np.round(weights.tolist(), 4).tolist(), strict=True)))


def absent() -> Iterator[tuple[str, str]]:
    """Yield each database with the questions for nouns that it does not have."""
    for database, has in FORMS["databases"].items():
        place = DATA / database
        place = place / f"{place.name}.sqlite" if place.is_dir() else place.with_suffix(".sqlite")
        for language, forms in FORMS["forms"].items():
            nouns = zip(FORMS["nouns"][language], FORMS["nouns"]["en"], strict=True)
            for noun in (one for one, english in nouns if english not in has):
                yield from ((str(place) if "/" in database else database, form.format(noun)) for form in forms)


def synonyms() -> Iterator[tuple[str, str]]:
    """Yield each database held out with the questions for synonyms of its tables."""
    for name, tables in synonyms_of().items():
        place = DATA / "multi/spider-train/database" / name / f"{name}.sqlite"
        for noun in (noun for table in tables.values() for noun in table["synonyms"] if is_held_out(name)):
            yield from ((str(place), form.format(noun.lower())) for form in FORMS["forms"]["en"])


def answered(questions: list[tuple[str, str]]) -> dict[str, Any]:
    """Answer questions, and return their number in each language and the share that is `ok`."""
    found: dict[str, list[bool]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for database in track(list(dict.fromkeys(place for place, _ in questions)), "databases"):
            with querent.connect(written(database, Path(folder))) as connection:
                for question in (question for place, question in questions if place == database):
                    found["zh" if is_cjk(question) else "en"].append(connection.ask(question).status == "ok")
    return {name: {"questions": len(some), "ok": share(some)} for name, some in found.items()}


def written(database: str, folder: Path) -> str:
    """Return the place of a database; one that is a script is written first."""
    script, file = FORMS["scripts"].get(database), folder / f"{database}.sqlite"
    if script is None:
        return database
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)
    return str(file)


if __name__ == "__main__":
    sys.exit(run(measure, out=RESULTS / "absent-nouns.json"))
