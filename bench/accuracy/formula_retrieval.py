"""Which formulas are found for a question: by their names, by words, by meaning, by all of these.

    python -m querent.evaluation.knowbench runs/knowbench --seed 32
    python bench/accuracy/formula_retrieval.py --bench runs/knowbench --language en --every 3 --folder runs/formulas-en
    python bench/accuracy/formula_retrieval.py --bench runs/knowbench --language zh --every 3 \\
        --folder runs/formulas-zh --each 4 --epochs 2 --frozen 8 --plain 1

Sets: ``test``, questions of KnowBench with formulas, among the benchmark's own; ``test/all``, with all shipped
formulas beside; ``unsaid``, the same as if no formula had the name that the question says; ``archer``, questions that
need knowledge, among its texts. recall@k is the share of the formulas that a question needs (k at most) among the
first k, formulas within another left out; «by name» takes any formula of the right name, whatever its right side.

Ways: «names», what `querent.knowledge.mentions` finds; «names, grounded», rivals that fit the database first, and none
that it has a column for; «BM25» and the frozen encoder on name, sayings and right side; «trained», a bi-encoder on
KnowBench's training part (question | schema against formulas, sampled negatives); «names, then …», one behind the
other; «names, then both», BM25 and the trained one by their ranks.

``told`` is what a threshold does: questions that need no formula, of KnowBench and of held-out databases of Spider or
CHASE, and how often a way would tell one there, were its threshold to keep nine of ten right ones; and, were it to tell
one of a hundred plain questions at most, how many of the set unsaid would be told their formula (right) and another
(wrong). «written»: only what grounds in the database is told.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from formula_bi_encoder import trained
from formula_figures import danger, recalls
from formula_questions import Asked, Known, archer, knowbench, plain, text_of, unsaid
from knowbench_told import bank_of
from result_files import RESULTS, add, command

from querent.encoders.load import load_encoder
from querent.parser.reader.vectors import TextVectors
from querent.retrieval.bi_encoder import load_bi_encoder
from querent.retrieval.lexical import Bm25
from querent.retrieval.losses import LOSSES
from querent.retrieval.selection import Dense, Scores
from querent.retrieval.training import BiEncoderOptions

ENCODERS = {"en": "minilm", "zh": "e5"}


def main() -> None:
    """Train, search, and add the figures of each set to the result file."""
    options = arguments()
    torch.set_num_threads(1)
    encoder, root = ENCODERS[options.language], options.bench / options.language
    settings = BiEncoderOptions(
        loss=options.loss, epochs=options.epochs, batch=options.batch, rate=1e-4, frozen=options.frozen
    )
    learning = {"negatives": options.negatives, "schema": not options.without_schema, "each": options.each}
    model, told = trained(root, encoder, options.folder, settings, **learning)
    models = {"frozen": load_bi_encoder(encoder), "trained": model}
    if told:
        save(options, "training", {"encoder": encoder, "options": vars(settings), **learning, **told})
    vectors = TextVectors(load_encoder(encoder))
    for bank in ("", "/all"):
        known = Known(bank_of(root, *(["all"] if bank else [])), vectors, options.language)
        formulas, names = known.bank.formulas, [{f.name.casefold()} for f in known.bank.formulas]
        texts = [text_of(formula) for formula in formulas]
        asked = list(knowbench(root, known, options.every))
        secret = list(unsaid(asked, known.bank, options.language))
        found = searched(asked, texts, models, options)
        save(options, f"test{bank}", recalls(asked, found, names))
        hidden = searched(secret, texts, models, options)
        save(options, f"unsaid{bank}", recalls(secret, hidden, names))
        if bank:
            others = {
                "KnowBench": list(knowbench(root, known, 1, kinds=False)),
                "held out": list(plain(options.language, known, options.plain)),
            }
            beside = {name: searched(several, texts, models, options) for name, several in others.items()}
            save(options, "told", danger(formulas, (asked, found), (secret, hidden), others, beside))
    if options.language == "en":
        texts, subjects, asked = archer()
        save(options, "archer", recalls(asked, searched(asked, texts, models, options), subjects))


def searched(
    asked: Sequence[Asked], texts: Sequence[str], models: Mapping[str, Any], options: argparse.Namespace
) -> dict[str, Scores]:
    """Return the scores of each way that reads texts, (questions, texts)."""
    mended = list(dict.fromkeys(text for one in asked for text in one.mended.values()))
    every = [*texts, *mended]
    bare = [one.question for one in asked]
    full = bare if options.without_schema else [one.with_schema for one in asked]
    found = {
        "BM25": Bm25(every).scores(bare),
        "frozen": Dense(models["frozen"], every, keep=True).scores(bare),
        "trained": Dense(models["trained"], every, keep=True).scores(full),
    }
    return {name: _in_their_stead(scores, asked, mended) for name, scores in found.items()}


def _in_their_stead(scores: Scores, asked: Sequence[Asked], mended: Sequence[str]) -> Scores:
    """Give formulas the score of what they say in their stead for a question."""
    count = scores.shape[1] - len(mended)
    own = scores[:, :count].copy()
    for i, one in enumerate(asked):
        for number, text in one.mended.items():
            own[i, number] = scores[i, count + mended.index(text)]
    return own


def save(options: argparse.Namespace, name: str, entry: dict[str, Any]) -> None:
    """Show a set's figures, and add them to the result file."""
    print(name, json.dumps(entry, ensure_ascii=False), flush=True)
    add(options.out, f"{options.language}/{name}", entry | {"command": command()})


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, required=True, help="folder that the generator wrote")
    parser.add_argument("--language", choices=["en", "zh"], required=True)
    parser.add_argument("--every", type=int, default=1, help="take every so many questions of KnowBench")
    parser.add_argument("--plain", type=int, default=2, help="take every so many questions of held-out databases")
    parser.add_argument("--folder", type=Path, required=True, help="of the bi-encoder; trained unless it is there")
    parser.add_argument("--loss", choices=[name for name in LOSSES if name != "softsim"], default="dpr")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--negatives", type=int, default=2)
    parser.add_argument("--frozen", type=int, default=3, help="layers of the encoder that do not learn")
    parser.add_argument("--each", type=int, default=3, help="learn every so many questions")
    parser.add_argument("--without-schema", action="store_true", help="read the question alone")
    parser.add_argument("--out", type=Path, default=RESULTS / "formula-retrieval.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
