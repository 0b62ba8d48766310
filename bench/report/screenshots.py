"""Take the pictures of docs/page.md: the page on the shipped shop, in an installed Chromium.

python -m bench.report.screenshots
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench.speed.measures import served

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "page"
MOST = 150_000
WIDE, NARROW = {"width": 1120, "height": 820}, {"width": 360, "height": 720}


def main() -> None:
    """Serve the shop and take all pictures."""
    PICTURES.mkdir(exist_ok=True)
    program = shutil.which("chromium") or sys.exit("no chromium is installed")
    with (
        tempfile.TemporaryDirectory() as folder,
        served("--feedback", str(Path(folder, "feedback.jsonl"))) as (_, address),
        sync_playwright() as running,
    ):
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for take in (answer, why, clarification, data, narrow):
            take(browser, address)
        browser.close()
    for picture in PICTURES.glob("*.png"):
        size = picture.stat().st_size
        print(f"{picture.name}: {size} bytes")
        if size >= MOST:
            sys.exit(f"{picture.name} is too large")


def opened(browser: Browser, address: str, **told: Any) -> Page:
    """Return the page as somebody new sees it.

    Args:
        told: of `Browser.new_context`.
    """
    page = browser.new_context(**{"viewport": WIDE, "locale": "en-US", "reduced_motion": "reduce", **told}).new_page()
    page.goto(address)
    page.locator(".example").first.wait_for()
    return page


def ask(page: Page, question: str) -> None:
    """Ask, and wait until the answer stands there with its chart."""
    page.locator("#question").fill(question)
    page.locator("#question").press("Enter")
    page.locator(".turn h2", has_text=question).wait_for()
    page.locator(".pending").wait_for(state="detached")
    if page.locator(".turn").last.locator(".chart").count():
        page.locator(".turn").last.locator(".chart svg").wait_for()
    page.wait_for_timeout(300)


def take(page: Page, name: str) -> None:
    """Write a picture."""
    page.screenshot(path=PICTURES / f"{name}.png")


def answer(browser: Browser, address: str) -> None:
    """A follow-up with its chart."""
    page = opened(browser, address)
    for question in ("how many orders are there?", "only those of 2023", "by city"):
        ask(page, question)
    take(page, "answer")


def why(browser: Browser, address: str) -> None:
    """An explanation, by night."""
    page = opened(browser, address, color_scheme="dark")
    ask(page, "which customers live in Oslo?")
    page.get_by_role("button", name="Why this query?").click()
    page.locator(".explained table").wait_for()
    page.locator(".turn").evaluate("turn => turn.scrollIntoView()")
    take(page, "why")


def clarification(browser: Browser, address: str) -> None:
    """A question back."""
    page = opened(browser, address)
    ask(page, "the amount")
    page.locator(".clarify").wait_for()
    take(page, "clarification")


def data(browser: Browser, address: str) -> None:
    """The data and the suggestions."""
    page = opened(browser, address)
    page.locator(".schema summary", has_text="customers").click()
    page.locator("#question").press_sequentially("which customers live in os")
    page.locator(".suggestions li").first.wait_for()
    page.keyboard.press("ArrowDown")
    take(page, "data")


def narrow(browser: Browser, address: str) -> None:
    """A telephone, in Chinese."""
    page = opened(browser, address, locale="zh-CN", viewport=NARROW)
    ask(page, "每个月有多少订单？")
    take(page, "narrow")


if __name__ == "__main__":
    main()
