"""`python train.py …` is `querent train …`, from a clone as it is."""

import sys

from querent.cli import main

if __name__ == "__main__":
    main(["train", *sys.argv[1:]])
