"""`python predict.py …` is `querent predict …`, from a clone as it is."""

import sys

from querent.cli import main

if __name__ == "__main__":
    main(["predict", *sys.argv[1:]])
