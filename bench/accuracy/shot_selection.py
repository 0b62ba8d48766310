"""Which solved questions come back for a new one: ways of selection by what they find (BibSQL 2025, tables 2 and 3).

    python bench/accuracy/shot_selection.py --domain library --language en

The solved questions are those of the parts train and dev, the new ones those of the test part. Of each way and number
of shots it tells the mean Jaccard similarity between the words of the shots' queries and those of the gold query,
values left out (jaccard), and the share of questions whose first shot has the gold query's pattern (first). Values are
masked where they are found in the database and in what the domain tells beside it. The bi-encoder is trained on the
solved questions alone, by SoftSimMatch; Spearman is the rank correlation of its cosines with the wished ones, on pairs
of test questions. --dev chooses: it trains on the part train and asks the part dev.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from result_files import RESULTS, add, command
from scipy.stats import spearmanr

import querent
from querent.data.domains.examples import SLOT, Example
from querent.evaluation.metrics import jaccard
from querent.llm.tuning.retriever import likeness_of, train_retriever
from querent.ner.known_values import open_values
from querent.ner.masking import ValueMask
from querent.retrieval.bi_encoder import embed, load_bi_encoder
from querent.retrieval.lexical import Bm25, CharTfidf
from querent.retrieval.likeness import similarity_pairs
from querent.retrieval.selection import Dense, Masked, Random, Way, fused, nearest
from querent.retrieval.training import BiEncoderOptions

SHOTS = (1, 2, 5)
ENCODERS = {"en": "minilm", "zh": "e5"}
_WORD = re.compile(r"\w+|[^\s\w]+")


def main() -> None:
    """Train, ask, and add the domain's figures to the result file."""
    options = arguments()
    torch.set_num_threads(1)
    domain = querent.load_domain(options.domain, language=options.language)
    known = [e for e in domain.examples if e.question_split == "train" or (e.question_split == "dev") > options.dev]
    asked = [e for e in domain.examples if e.question_split == ("dev" if options.dev else "test")]
    with open_values(domain, known, str(domain.database), domain.schema) as index:
        entry = measured(known, asked, ValueMask(index, domain.language), options)
    print(entry)
    if not options.dev:
        add(options.out, f"{options.domain}-{domain.language}", entry | {"command": command()})


def measured(
    known: list[Example], asked: list[Example], mask: Callable[[str], str], options: argparse.Namespace
) -> dict[str, Any]:
    """Return the figures of all ways, and how the bi-encoder was trained."""
    encoder = options.encoder or ENCODERS[options.language]
    settings = BiEncoderOptions(
        epochs=options.epochs, batch=options.batch, rate=options.rate, frozen=options.frozen, seed=options.seed
    )
    texts = [e.question for e in known]
    frozen = load_bi_encoder(encoder)
    ways: dict[str, Way] = {
        "random": Random(texts, seed=options.seed),
        "question": Dense(frozen, texts),
        "question, values masked": Masked(lambda t: Dense(frozen, t), texts, mask),
        "character TF-IDF, values masked": Masked(CharTfidf, texts, mask),
        "BM25, values masked": Masked(Bm25, texts, mask),
    }
    questions = [e.question for e in asked]
    scores = {name: way.scores(questions) for name, way in ways.items()}
    before = correlation(lambda t: embed(frozen, t), asked, mask, options.seed)
    begun = time.monotonic()
    trained = train_retriever(known, mask, encoder, options.folder, settings)
    seconds = time.monotonic() - begun
    scores["SoftSimMatch"] = Masked(lambda t: Dense(trained, t), texts, mask).scores(questions)
    scores["SoftSimMatch and TF-IDF"] = fused([scores["SoftSimMatch"], scores["character TF-IDF, values masked"]])
    return {
        "solved": len(known),
        "asked": len(asked),
        "encoder": encoder,
        "options": vars(settings),
        "training_seconds": round(seconds, 1),
        "spearman_before": before,
        "spearman": correlation(lambda t: embed(trained, t), asked, mask, options.seed),
        "ways": {name: found(found_scores, known, asked) for name, found_scores in scores.items()},
    }


def correlation(
    vectors: Callable[[list[str]], Any], asked: Sequence[Example], mask: Callable[[str], str], seed: int
) -> float:
    """Return Spearman's rank correlation of cosines with wished similarities, on pairs of questions asked."""
    pairs = similarity_pairs(likeness_of(asked, mask), count=5500, seed=seed)
    one, other = vectors([p.one for p in pairs]), vectors([p.other for p in pairs])
    return round(float(spearmanr((one * other).sum(1), [p.similarity for p in pairs]).statistic), 3)


def found(scores: Any, known: Sequence[Example], asked: Sequence[Example]) -> dict[str, float]:
    """Return what one way finds: Jaccard similarity by number of shots, and the share of right first shots."""
    words = [skeleton(e) for e in known]
    golds = [skeleton(e) for e in asked]
    best = nearest(scores, max(SHOTS)).tolist()
    told = {
        f"jaccard@{k}": np.mean(
            [jaccard(words[i], gold) for row, gold in zip(best, golds, strict=True) for i in row[:k]]
        )
        for k in SHOTS
    }
    told["first"] = np.mean([known[row[0]].prototype == e.prototype for row, e in zip(best, asked, strict=True)])
    return {name: round(float(value), 4) for name, value in told.items()}


def skeleton(example: Example) -> list[str]:
    """Return the words of a query with all values alike."""
    return _WORD.findall(SLOT.sub("_", example.slotted).upper())


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="library")
    parser.add_argument("--language", choices=["en", "zh"], required=True)
    parser.add_argument("--encoder", help="default: minilm for English, e5 for Chinese")
    parser.add_argument("--dev", action="store_true", help="choose: train on train, ask dev, write nothing")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch", type=int, default=96)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--frozen", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True, help="where the bi-encoder is written")
    parser.add_argument("--out", type=Path, default=RESULTS / "shot-selection.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
