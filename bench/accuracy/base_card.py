"""The model card of a base network: what it learnt from, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["model_card"]

NAMES = {"en": "English", "zh": "Chinese"}
SOURCES = {
    "spider-train": "Spider's training part (Yu et al. 2018), CC BY-SA 4.0",
    "chase-train": "CHASE's training part (Guo et al. 2021), MIT",
    "bird-train": "BIRD's training part (Li et al. 2023), CC BY-SA 4.0",
    "spider-syn": "Spider-Syn (Gan et al. 2021), MIT",
    "wikisql-part": "WikiSQL's dev and test parts (Zhong et al. 2017), BSD-3",
    "squall": "SQUALL (Shi et al. 2020), CC BY-SA 4.0",
    "sparc-train": "SParC's training part (Yu et al. 2019), CC BY-SA 4.0",
    "cosql-train": "CoSQL's training part (Yu et al. 2019), CC BY-SA 4.0",
    "sesql-part": "a part of SeSQL (Huang et al. 2022), MIT",
    "chase_train": "CHASE's dialogues, and its links of words to columns, MIT",
    "dialogues": "SeSQL's dialogues, MIT",
}


def model_card(about: Mapping[str, Any]) -> str:
    """Return the card as Markdown.

    Args:
        about: what `base.py` notes of a training: ``languages``, ``examples``, ``epochs``, ``seed``, ``sampled``,
            ``more``, ``collections``, ``dialogues``, ``parts``, ``encoder``; ``start`` is the name of the network that
            it began from, or None, and ``knowbench`` whether KnowBench was learnt.
    """
    languages = about["languages"]
    named = [*about["collections"], *about.get("dialogues", [])]
    told = "\n".join(f"- {SOURCES.get(name, name)}" for name in named)
    more = ", and the training part of KnowBench (made up by Querent)" if about["knowbench"] else ""
    kinds = "".join(f", {count} of {kind}" for kind, count in about["more"])
    begun = f", begun from the layers of the network `{about['start']}`" if about["start"] else ""
    held = "Databases whose hash says so were held out"
    if "held-out" in about.get("parts", ()):
        held = "Databases that earlier ones held out by a hash were learnt, too"
    return f"""---
library_name: querent
license: cc-by-sa-4.0
language: [{", ".join(languages)}]
tags: [text-to-sql]
---
# The base network of Querent for questions in {" and ".join(NAMES.get(one, one) for one in languages)}

It reads a question and the schema of any database, and writes SQL that Querent's constraint keeps valid. A query that
runs can still answer another question: look at it, and at the confidence.

Trained by `python bench/accuracy/base.py` on {about["examples"]} examples for {about["epochs"]} epochs, seed
{about["seed"]}{begun}: questions of public collections on their databases, at most {about["sampled"]}
sampled queries of each of these databases{kinds}, questions that a database cannot answer{more}. {held}
(`querent.data.domains.collection.is_held_out`). What it came to stands in docs/base.md.

Sources:
{told}
- the encoder {about["encoder"]}, whose upper layers were trained further; its lower layers come from its own package

Knows nothing of other languages, of WITH, of windows but the first few of each group, nor of formulas that the question
does not spell out.
"""
