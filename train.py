"""Train a parser on a domain, in one page to read and to change: `querent train` has all options.

    python train.py library runs/library
    python train.py my-domain runs/mine --epochs 10
    python train.py spider:spider#concert_singer runs/singers

A domain is one that ships with Querent (`plant`, `library`), a folder that `querent new` began and `querent fill`
filled, or a database of a public set (`spider:PATH#DATABASE`). A run that was killed goes on where it stopped.
"""

import argparse
from pathlib import Path

import querent
from querent.console import one_line_errors


def main() -> None:
    """Load a domain, set its options, train, print the scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain")
    parser.add_argument("run", type=Path, help="the folder to write")
    parser.add_argument("--base", default=None, help="shipped, none or a run; shipped by default")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the questions")
    parser.add_argument("--lr", type=float, default=3e-4, help="peak learning rate")
    parser.add_argument("--seed", type=int, default=0, help="decides everything drawn at random")
    given = parser.parse_args()

    domain = querent.load_domain(given.domain)
    options = [f"optim.epochs={given.epochs}", f"optim.lr={given.lr}", f"seed={given.seed}"]
    if given.base is not None:
        options.append(f"model.base={given.base}")
    folder = querent.train(querent.TrainConfig.load(None, options), domain, given.run)

    for part, scores in querent.RunFolder(folder).summary()["scores"].items():
        print(f"{part}: exact match {scores['em']:.3f}, execution {scores['execution']}")
    print(f"parser {folder / 'best'}, report {folder / 'report.md'}")


if __name__ == "__main__":
    with one_line_errors():
        main()
