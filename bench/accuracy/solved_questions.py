"""What solved questions are worth to a parser that is shown them: alone, and with each way to find them.

    python bench/accuracy/solved_questions.py library --language en --retrievers tfidf minilm runs/library-en-retriever

Solved are the parts train and dev, asked is the part test, all under the question split, spread evenly over the part.
Of each way: em, execution, refused, seconds a question. A row is saved as it ends.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from result_files import RESULTS, add, command

import querent


def main() -> None:
    """Measure the ways asked for, and add each to the result file."""
    options = arguments()
    torch.set_num_threads(1)
    domain = querent.load_domain(options.domain, language=options.language)
    loaded = querent.load_network(querent.parser_folder(options.parser or options.language))
    for way in ["alone", *options.retrievers]:
        shown: dict[str, Any] = {}
        if way != "alone":
            shown = {"examples": options.domain, "retriever": None if way == "tfidf" else way}
        scores = querent.evaluate(loaded, domain, part="test", limit=options.questions, **shown).to_json()
        found = {name: scores[name] for name in ("n", "em", "execution", "refused")}
        found |= {"seconds": round(scores["seconds"] / scores["n"], 2), "command": command()}
        print(way, found, flush=True)
        parser = "base" if options.parser is None else Path(options.parser).name
        add(options.out, f"{domain.name}-{domain.language}/{parser}/{Path(way).name}", found)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain", help="as querent evaluate takes it")
    parser.add_argument("--language", choices=["en", "zh"], required=True)
    parser.add_argument("--parser", help="run folder; the shipped one of the language if left out")
    parser.add_argument("--retrievers", nargs="*", default=["tfidf"], help="tfidf, minilm, e5, or folders")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--out", type=Path, default=RESULTS / "solved-questions.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
