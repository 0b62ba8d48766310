"""Learn from less, in less time than a whole training: what databases, relations and each collection are worth.

    python bench/accuracy/ablations.py runs/pack-a1 runs/pack-a2 runs/pack-b --runs runs/ablations \\
        --out bench/results/ablations.json

Each network begins with one that has learnt nothing (`train_packed.py --new`) and takes about as many steps as the
others: of half the databases twice the epochs. Judged is the share of held-out queries whose every next word is the
likeliest, in English and Chinese. What is left out is left out of the first half of the databases. What is done is not
done again, and what was killed goes on behind its last epoch; the folders of the networks stay.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from result_files import save

from querent.data.hashed_folder import read_json

TRAIN = Path(__file__).with_name("train_packed.py")


@dataclass(frozen=True)
class Variant:
    """One network.

    Attributes:
        databases: the lowest and the highest place of those that it learns from.
        folders: what was packed.
        more: further options of `train_packed.py`.
    """

    databases: tuple[float, float]
    folders: Sequence[Path]
    more: Sequence[str] = ()


def variants(folders: Sequence[Path]) -> dict[str, Variant]:
    """Return the networks to train, by name."""
    half = (0.0, 0.5)
    found = {"a quarter": Variant((0.0, 0.25), folders), "half": Variant(half, folders)}
    found |= {"the other half": Variant((0.5, 1.0), folders), "all": Variant((0.0, 1.0), folders)}
    found |= {"half, no relations": Variant(half, folders, ["--no-relations"])}
    for one in folders[1:]:
        found[f"half, no {learnt_in(one)}"] = Variant(half, [other for other in folders if other != one])
    return found


def learnt_in(folder: Path) -> str:
    """Say in short what was packed."""
    about = read_json(folder / "about.json")["about"]
    return "dialogues" if about.get("dialogues") else " and ".join(about["collections"])


def trained(name: str, variant: Variant, options: argparse.Namespace) -> None:
    """Train one, or go on with it."""
    folder = folder_of(name, options.runs)
    low, high = map(str, variant.databases)
    command = [sys.executable, TRAIN, *variant.folders, "--new", "--databases", low, high, *variant.more]
    epochs = round(options.epochs / (variant.databases[1] - variant.databases[0]))
    command += ["--out", folder / "out", "--run", folder / "run", "--epochs", str(epochs), "--every", str(epochs)]
    command += ["--seed", str(options.seed), "--lr", str(options.lr), *(["--bfloat16"] if options.bfloat16 else [])]
    print(name, flush=True)
    subprocess.run(list(map(str, command)), check=True)


def folder_of(name: str, runs: Path) -> Path:
    """Return where a network is trained."""
    return runs / name.replace(",", "").replace(" ", "-")


def row(name: str, variant: Variant, runs: Path) -> dict[str, Any] | None:
    """Return what one came to, None if it has not ended."""
    out = folder_of(name, runs) / "out"
    if not (out / "trained.json").exists():
        return None
    about: Mapping[str, Any] = read_json(out / "trained.json")["about"]
    last = json.loads((out / "curve.jsonl").read_text().splitlines()[-1])
    found = {key: value for key, value in last.items() if key.startswith("exact") or key == "loss"}
    packs = [folder.name for folder in variant.folders]
    return {"name": name, "packs": packs, "examples": about["examples"], "epochs": about["epochs"], **found}


def main() -> None:
    """Train those that are wanted, and write what all came to so far."""
    options = arguments()
    every = variants(options.folders)
    for name in options.only or every:
        if row(name, every[name], options.runs) is None:
            trained(name, every[name], options)
    rows = [found for name, variant in every.items() if (found := row(name, variant, options.runs)) is not None]
    save(options.out, {"seed": options.seed, "rows": rows})
    print(json.dumps(rows, indent=1))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="what `base.py --pack` wrote")
    parser.add_argument("--runs", type=Path, required=True, help="folder of the trainings")
    parser.add_argument("--out", type=Path, required=True, help="JSON")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="train these alone, so that several go side by side")
    parser.add_argument("--epochs", type=int, default=1, help="of all databases")
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bfloat16", action="store_true", help="on a CPU too")
    options = parser.parse_args()
    unknown = set(options.only or ()) - variants(options.folders).keys()
    if unknown:
        parser.error(f"no {', '.join(sorted(unknown))}; there are {', '.join(variants(options.folders))}")
    return options


if __name__ == "__main__":
    main()
