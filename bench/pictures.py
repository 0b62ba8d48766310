"""Take the pictures of docs/page.md in an installed Chromium: `python -m bench.pictures`."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench.accuracy.result_files import ROOT

PICTURES = ROOT / "docs" / "page"
SERVE = [
    sys.executable,
    "-c",
    "from querent.commands.cli import main; main()",
    "serve",
    "shop",
    "--port",
    "0",
    "--feedback",
]


def main() -> None:
    """Serve the shop and take all pictures."""
    program = shutil.which("chromium") or sys.exit("no chromium is installed")
    with (
        tempfile.NamedTemporaryFile(suffix=".jsonl") as feedback,
        subprocess.Popen([*SERVE, feedback.name], stdout=subprocess.PIPE, text=True) as server,
        sync_playwright() as running,
    ):
        assert server.stdout is not None
        found = re.search(r"http://\S+/", server.stdout.readline()) or sys.exit("the server does not start")
        try:
            take(running.chromium.launch(executable_path=program, args=["--no-sandbox"]), found[0])
        finally:
            server.terminate()


def take(browser: Browser, address: str) -> None:
    """Take a follow-up with its chart, an explanation by night, a question back, the data, and a telephone."""
    page = asked(browser, address, "how many orders are there?", "only those of 2023", "by city")
    page.screenshot(path=PICTURES / "answer.png")
    page = asked(browser, address, "which customers live in Oslo?", color_scheme="dark")
    page.get_by_role("button", name="Why this query?").click()
    page.locator(".explained table").wait_for()
    page.locator(".turn").evaluate("turn => turn.scrollIntoView()")
    page.screenshot(path=PICTURES / "why.png")
    page = asked(browser, address, "the amount")
    page.locator(".clarify").wait_for()
    page.screenshot(path=PICTURES / "clarification.png")
    page = asked(browser, address)
    page.locator(".schema summary", has_text="customers").click()
    page.locator("#question").press_sequentially("which customers live in os")
    page.locator(".suggestions li").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.screenshot(path=PICTURES / "data.png")
    page = asked(browser, address, "每个月有多少订单？", locale="zh-CN", viewport={"width": 360, "height": 720})
    page.screenshot(path=PICTURES / "narrow.png")


def asked(browser: Browser, address: str, *questions: str, **options: Any) -> Page:
    """Return the page as somebody new sees it, with the answers to the questions."""
    options = {"viewport": {"width": 1120, "height": 820}, "locale": "en-US", "reduced_motion": "reduce"} | options
    page = browser.new_context(**options).new_page()
    page.goto(address)
    page.locator(".example").first.wait_for()
    for question in questions:
        page.locator("#question").fill(question)
        page.locator("#question").press("Enter")
        page.locator(".turn h2", has_text=question).wait_for()
        page.locator(".pending").wait_for(state="detached")
        page.wait_for_timeout(1000)  # charts are drawn
    return page


if __name__ == "__main__":
    main()
