"""Train a parser on a domain, in one page to read and to change: `querent train` has all options.

    python train.py shop runs/shop
    python train.py my-domain runs/mine --epochs 10

A domain is a shipped name (`plant`, `shop`, `library`), a folder that `querent new` began, or a public set
(`spider:PATH#DATABASE`). A run that was killed goes on where it stopped.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import querent


def main() -> None:
    """Load a domain, set four options, train, print the scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain")
    parser.add_argument("run", type=Path, help="the folder to write")
    parser.add_argument("--base", default=None, help="shipped, none or a run; shipped by default")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the questions")
    parser.add_argument("--lr", type=float, default=3e-4, help="peak learning rate")
    parser.add_argument("--seed", type=int, default=0, help="decides everything drawn at random")
    told = parser.parse_args()

    domain = querent.load_domain(told.domain)
    options = [f"optim.epochs={told.epochs}", f"optim.lr={told.lr}", f"seed={told.seed}"]
    if told.base is not None:
        options.append(f"model.base={told.base}")
    folder = querent.train(querent.TrainConfig.load(None, options), domain, told.run)

    for part, scores in querent.RunFolder(folder).summary()["scores"].items():
        print(f"{part}: exact match {scores['em']:.3f}, execution {scores['execution']}")
    print(f"parser {folder / 'best'}, report {folder / 'report.md'}")


if __name__ == "__main__":
    main()
