"""A short training on a domain whose test queries are of patterns that training never shows."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from rich.console import Console

import querent

pytestmark = pytest.mark.slow

FLOOR = 0.28
OPTIONS = (
    *("data.split=query", "optim.epochs=2", "optim.average=0.9", "optim.warmup=0.1"),
    *("augment.sampled=0", "augment.rehearsed=0", "augment.strange=0"),
    *("eval.every=2", "eval.dev_examples=1", "eval.train_examples=1", "eval.beam=1"),
)


def test_short_training_learns_queries_that_it_never_saw(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "cache"))  # only an index that is made anew warns
    torch.set_num_threads(1)
    whole = querent.load_domain(f"text2sql:{shared_data / 'text2sql' / 'geography'}", language="en")
    asked = {part: [e for e in whole.examples if e.query_split == part] for part in ("train", "dev", "test")}
    some = (*asked["train"][::6], *asked["dev"][:1], *asked["test"][::6])
    domain = replace(whole, examples=some)
    with pytest.warns(UserWarning, match="ROAD"):  # the database has no such table
        run = querent.train(querent.TrainConfig.load(None, OPTIONS), domain, tmp_path / "run", console=quiet())
    tested = querent.RunFolder(run).summary()["scores"]["test, own values"]
    assert tested["n"] == len(asked["test"][::6]) > 30
    assert tested["em"] >= FLOOR


def quiet() -> Console:
    return Console(file=io.StringIO())
