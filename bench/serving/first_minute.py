"""Measure the first minute of a newcomer: from nothing installed to a chart of a file of their own, in a browser.

    python bench/serving/first_minute.py --out bench/results/first-minute.json

The commands are those of docs/page.md, «From nothing to a chart», run in a copy of what git has, with an empty cache;
pip's cache stays as it is. The browser is an installed Chromium, driven by Playwright.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "accuracy"))
from result_files import ROOT, save

QUESTION = "what is the total amount of each region?"


def main() -> None:
    """Install, serve, ask, measure, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="JSON of the figures")
    options = parser.parse_args()
    page = (ROOT / "docs" / "page.md").read_text(encoding="utf-8").partition("## From nothing to a chart")[2]
    install, serve = re.search(r"```sh\n(.*?)```", page, re.DOTALL)[1].splitlines()  # type: ignore[index]
    figures: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        place = Path(folder, "querent")
        subprocess.run(["git", "clone", "-q", str(ROOT), str(place)], check=True)
        write_sales(place / "sales.csv")
        told = os.environ | {"QUERENT_CACHE": str(Path(folder, "cache"))}
        begun = time.perf_counter()
        subprocess.run(["bash", "-c", install], cwd=place, env=told, check=True, stdout=subprocess.DEVNULL)
        figures["s, installed"] = round(time.perf_counter() - begun, 1)
        words = [str(place / ".venv" / "bin" / "querent"), *serve.split()[1:], "--port", "0"]
        with subprocess.Popen(words, cwd=place, env=told, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address is not None, "the server did not start"
            figures["s, the page is there"] = round(time.perf_counter() - begun, 1)
            see_chart(address[0])
            figures["s, the chart is drawn"] = round(time.perf_counter() - begun, 1)
            server.terminate()
    print(json.dumps(figures, indent=1))
    if options.out:
        save(options.out, {"figures": figures})


def write_sales(file: Path) -> None:
    """Write a file as somebody has it: days, regions, amounts with a comma."""
    draw, first = random.Random(1), date(2024, 1, 1)
    rows = [
        [first + timedelta(draw.randrange(360)), draw.choice(["North", "South", "East", "West"]), draw.randrange(9000)]
        for _ in range(500)
    ]
    with file.open("w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream, delimiter=";")
        out.writerow(["Order Date", "Region", "Amount (€)"])
        out.writerows([f"{day:%d.%m.%Y}", region, f"{cents // 100},{cents % 100:02}"] for day, region, cents in rows)


def see_chart(address: str) -> None:
    """Ask on the page, and wait until the chart is drawn."""
    program = shutil.which("chromium") or sys.exit("no chromium is installed")
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        page.locator("#question").fill(QUESTION)
        page.locator("#question").press("Enter")
        page.locator(".turn .chart svg").wait_for()
        browser.close()


if __name__ == "__main__":
    main()
