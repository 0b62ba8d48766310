"""Put the figures of bench/results on the pages, and list what an older network measured.

    python -m bench.report            # refresh README.md and docs/
    python -m bench.report --stale    # results of another network than the one that ships or its twin

A figure on a page is followed by its source, a comment that names a result file and keys in it:
``.82<!--= held-out/spider-train/ex -->``. In a table the first cell of a row and the head of a column each hold one
half of the source: ``<!--: held-out/spider-train -->`` and ``<!--: ex -->``. A figure keeps the number of decimals that
it has on the page; ``?`` stands for a new one. Text in backticks holds settings and output of programs, no figures.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.accuracy.result_files import RESULTS, ROOT, network_hash

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
Put = Callable[[str, Sequence[str]], str]
_SOURCED = re.compile(r"(\?|-?[\d,]*\.?\d+(?: ?%)?)(\*\*| MB| ms| s)?<!--= (.+?) -->")
_HALF = re.compile(r"<!--: (.+?) -->")
_NO_FIGURE = re.compile(r"^```.*?^```|<!--.*?-->|`[^`\n]*`|\]\([^)\n]*\)|«[^»]*»", re.MULTILINE | re.DOTALL)
_VERSION = r"(?<!Python )(?<!SQLite )(?<!MariaDB )(?<!PostgreSQL )(?<!MySQL )"
_UNIT = r"(?:CPU )?(?:%|ms|s|MB|GB|KB|microseconds|milliseconds|seconds|minutes|hours|in 100\b)(?!\w)"
_COUNT = r"(?:of (?:the |these )?\d+|(?:are |were |is )?(?:right|wrong|refused)\b)"
_FIGURE = re.compile(rf"{_VERSION}(?<![\w./-])(?:\d*\.\d+(?![.\w])|\d(?:[\d,]*\d)? ?{_UNIT}|\d[\d,]* {_COUNT})")
_CELL = re.compile(r"\**-?[\d,]*\.?\d+ ?%?\**")


def main() -> None:
    """Refresh the pages, or list what is stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stale", action="store_true", help="list results of an older network, and pages citing them")
    if parser.parse_args().stale:
        print("\n".join(stale()) or "every result is of the network that ships, or asks none")
        return
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(refreshed(text), encoding="utf-8")
        for figure in unsourced(text):
            print(f"{page.name}: no source of {figure}", file=sys.stderr)


def refreshed(text: str, put: Put | None = None) -> str:
    """Return the text of a page with its figures as the result files have them.

    Args:
        put: returns what to write for a figure and its possible sources, in place of the figure itself.

    Raises:
        LookupError: no result file has a source that the page names.
    """
    put = put or _put
    lines: list[str] = []
    heads: list[str | None] | None = None
    for line in text.split("\n"):
        cells = line.split("|")[1:-1] if line.startswith("|") else []
        if not cells:
            heads = None
        elif heads is None:
            heads = [_half(cell) for cell in cells]
        elif (row := _half(cells[0])) is not None:
            cells = [_filled(cell, row, head, put) for cell, head in zip(cells, heads, strict=True)]
        filled = "|" + "|".join(cells) + "|" if cells else line
        lines.append(_SOURCED.sub(lambda m: f"{put(m[1], [m[3]])}{m[2] or ''}<!--= {m[3]} -->", filled))
    return "\n".join(lines)


def _half(cell: str) -> str | None:
    found = _HALF.search(cell)
    return None if found is None else found[1]


def _filled(cell: str, row: str, head: str | None, put: Put) -> str:
    if head is None or "<!--" in cell:
        return cell
    bold = "**" if "**" in cell else ""
    return f" {bold}{put(cell.strip(' *'), [f'{row}/{head}', f'{head}/{row}'])}{bold} "


def _put(like: str, sources: Sequence[str]) -> str:
    """Return a figure in the form of the one that stands there; a cell that holds a dash has no source yet."""
    for source in sources:
        try:
            return _written(_value(source), like)
        except LookupError:
            continue
    if like == "–":
        return like
    raise LookupError(f"no result file has {' or '.join(sources)}")


def _written(value: Any, like: str) -> str:
    if isinstance(value, list | str):
        return value if isinstance(value, str) else ", ".join(map(str, value))
    percent = like[len(like.rstrip(" %")) :]
    number = like.removesuffix(percent)
    known = number not in {"", "?", "–"}
    places = len(number.partition(".")[2]) if known else 3 * isinstance(value, float)
    text = f"{value * 100 if percent else value:,.{places}f}"
    return (text.removeprefix("0") if number.startswith(".") else text) + percent


def _value(source: str) -> Any:
    """Return what stands in the result files under keys with slashes between, or the megabytes of a file.

    ``#`` is the length of a list; ``size/PATH`` is a file of this repository.
    """
    parts = source.split("/")
    if parts[0] == "size":
        return (ROOT / source.removeprefix("size/")).stat().st_size / 1e6
    for end in range(1, len(parts)):
        file = RESULTS / f"{'/'.join(parts[:end])}.json"
        if file.is_file():
            return _within(_read(file), parts[end:])
    raise LookupError(f"no result file for {source}")


def _read(file: Path) -> dict[str, Any]:
    content = json.loads(file.read_text(encoding="utf-8"))
    return {**content, **content.get("figures", {}), **content.get("sets", {})}


def _within(node: Any, parts: Sequence[str]) -> Any:
    if not parts:
        return node
    if isinstance(node, list):
        return len(node) if parts[0] == "#" else _within(node[int(parts[0])], parts[1:])
    for end in range(len(parts), 0, -1):
        key = "/".join(parts[:end])
        if isinstance(node, dict) and key in node:
            return _within(node[key], parts[end:])
    raise LookupError(f"no key {parts[0]}")


def unsourced(text: str) -> list[str]:
    """Return the figures of a page that name no source, each with the words before it."""
    bare = _NO_FIGURE.sub("", refreshed(text, lambda _like, _sources: ""))
    found = [f"{line[max(0, m.start() - 40) : m.end()]}" for line in bare.split("\n") for m in _FIGURE.finditer(line)]
    cells = [(line, cell.strip()) for line in bare.split("\n") if line.startswith("|") for cell in line.split("|")]
    return found + [f"{line[:40]} … {cell}" for line, cell in cells if _CELL.fullmatch(cell)]


def stale() -> list[str]:
    """Return a line for each result of a network that is neither the one that ships nor its twin."""
    ships = network_hash("shipped")
    twins = {name for name, about in _read(RESULTS / "networks.json").items() if about.get("twin of") == ships}
    cited = {page.name: set(re.findall(r"<!--[=:] ([\w-]+)", page.read_text(encoding="utf-8"))) for page in PAGES}
    return [
        f"{name}: network {entry['network']}, commit {entry.get('commit', 'unknown')}"
        + "".join(f", on {page}" for page, files in cited.items() if name.partition("/")[0] in files)
        for name, entry in _entries()
        if entry.get("network") not in {None, ships, *twins}
    ]


def _entries() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each result that was saved by one command, with its name."""
    for file in sorted(RESULTS.rglob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        name = file.relative_to(RESULTS).with_suffix("").as_posix()
        yield name, content
        yield from ((f"{name}/{key}", entry) for key, entry in content.get("sets", {}).items())


if __name__ == "__main__":
    main()
