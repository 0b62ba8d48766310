"""The page in a real browser: what people do with it, with the shipped network behind it."""

import csv
import io
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

ORDERS = "how many orders are there?"
NOTES = "notes_of_everybody_in_the_department_of_customer_service"
MORE_NOTES = "客户服务部门全体员工的笔记与培训记录数据库和其他各部门的记录"
SCRIPT = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>"

AXES = """[...document.querySelectorAll(".chart .role-axis-label")].map((axis) => [...axis.querySelectorAll("text")]
    .filter((one) => getComputedStyle(one).opacity !== "0")
    .map((one) => [one.textContent, (({left, top, right, bottom}) => [left, top, right, bottom])
      (one.getBoundingClientRect())]))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a Chromium, or skip."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def address(served: Callable[[Any], str], application: Callable[..., Any], folder: Path) -> str:
    """Return where everybody may ask the shop, and a database with hostile texts."""
    from querent.serving.roles import TokenRole

    with closing(sqlite3.connect(folder / f"{NOTES}.sqlite")) as made:
        made.execute('CREATE TABLE notes (note_id INTEGER PRIMARY KEY, title TEXT, "<b>bold</b>" TEXT)')
        made.executemany("INSERT INTO notes (title) VALUES (?)", [(SCRIPT,), ("plain",)])
        made.commit()
    shutil.copy(folder / f"{NOTES}.sqlite", folder / f"{MORE_NOTES}.sqlite")
    roles = (TokenRole("everybody", feedback=folder / "feedback.jsonl"),)
    return served(application("shop", *(str(folder / f"{one}.sqlite") for one in (NOTES, MORE_NOTES)), roles=roles))


def new_page(browser: Any, **settings: Any) -> Any:
    context = browser.new_context(**{"locale": "en-US", "reduced_motion": "reduce", **settings})
    context.set_default_timeout(5_000)
    return context.new_page()


@pytest.fixture(scope="module")
def page_again(browser: Any) -> Any:
    """Return a page that is opened again and again: another process of the browser takes half a second."""
    return new_page(browser)


@pytest.fixture
def open_page(browser: Any, page_again: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Return what opens the page as somebody new; nothing may go wrong in it unsaid."""
    with ExitStack() as stack:
        wrong: list[str] = []
        free = [page_again]

        def make(place: str = address, **settings: Any) -> Any:
            if again := place == address and not settings and free:
                page = free.pop()
                page.goto(f"{place}nothing")
                page.evaluate("localStorage.clear(); sessionStorage.clear()")
            else:
                page = new_page(browser, **settings)
                stack.callback(page.context.close)
            for event, heard in (
                ("pageerror", lambda error: wrong.append(str(error))),
                ("console", lambda line: wrong.append(line.text) if "Security Policy" in line.text else None),
                (
                    "request",
                    lambda asked: (
                        wrong.append(asked.url) if not asked.url.startswith((place, "blob:", "data:")) else None
                    ),
                ),
            ):
                page.on(event, heard)
                if again:
                    stack.callback(page.remove_listener, event, heard)
            page.goto(place)
            return page

        yield make
        assert wrong == []


def ask(page: Any, question: str) -> Any:
    """Ask, wait for the answer, and return its turn."""
    turns = page.locator(".turn:not(.pending)").count()
    page.get_by_role("combobox", name="Your question").fill(question)
    page.keyboard.press("Enter")
    page.locator(".turn:not(.pending)").nth(turns).wait_for()
    page.wait_for_function("document.getElementById('main').getAttribute('aria-busy') === 'false'")
    return page.locator(".turn").last


def _overlap(one: list[float], other: list[float]) -> bool:
    return all(one[side] < other[side + 2] and other[side] < one[side + 2] for side in (0, 1))


def test_a_question_is_asked_and_followed_up(open_page: Callable[..., Any], tmp_path: Path) -> None:
    page = open_page()
    turn = ask(page, ORDERS)
    assert turn.locator(".figure").text_content() == "35"
    assert "Likely right" in turn.locator(".status").text_content()
    assert turn.locator(".sql").first.locator(".keyword").all_text_contents() == ["SELECT", "FROM"]
    assert page.locator("#said").text_content() == f"Answered: {ORDERS}"
    ask(page, "only those of 2023")
    turn = ask(page, "by city")
    assert "FROM orders" in turn.locator("dl.carried").text_content()
    turn.locator(".chart svg").wait_for()
    assert turn.locator(".chart [aria-roledescription='bar']").count() > 3
    turn.get_by_role("button", name="Table").click()
    assert turn.locator("tbody td.short").count() > 3
    turn.get_by_role("button", name="ship_city").click()
    first = turn.locator("tbody td").first.text_content()
    turn.get_by_role("button", name="ship_city").click()
    assert turn.locator("thead th").first.get_attribute("aria-sort") == "descending"
    assert turn.locator("tbody td").first.text_content() != first
    with page.expect_download() as saving:
        turn.get_by_role("button", name="Save as CSV").click()
    saving.value.save_as(tmp_path / "rows.csv")
    lines = (tmp_path / "rows.csv").read_text(encoding="utf-8-sig").splitlines()
    assert (lines[0], "Lisbon,3" in lines) == ("ship_city,COUNT(*)", True)
    turn.get_by_role("button", name="Why this query?").click()
    turn.locator(".explained table").wait_for()
    page.reload()
    page.locator(".turn").nth(2).wait_for()
    assert page.locator(".turn").last.locator("tbody").is_visible()
    assert "2023" in ask(page, "only those in Oslo").locator("pre").text_content()


def test_another_reading_is_chosen_a_query_corrected_and_what_follows_leans_on_it(
    open_page: Callable[..., Any], folder: Path
) -> None:
    page = open_page()
    turn = ask(page, "which customers live in Oslo?")
    assert turn.locator("details.readings[open]").count() == 0
    turn.get_by_role("button", name="Wrong").click()
    turn.locator("details.readings[open]").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Edit the query"
    other = turn.locator(".readings .option code").first.text_content()
    turn.locator(".readings .option").first.click()
    page.get_by_text("Chosen by you").wait_for()
    turn = page.locator(".turn").last
    assert turn.locator("pre").text_content() == other
    turn.get_by_role("button", name="Ask again").click()
    turn.get_by_text("said to be right").wait_for()
    assert (page.locator(".turn").count(), turn.locator("pre").text_content()) == (1, other)
    turn.get_by_role("button", name="Edit the query").click()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Edit the query"
    page.keyboard.press("Enter")
    editor = turn.get_by_role("textbox", name="Query")
    editor.fill("SELECT nonesuch FROM customers")
    turn.get_by_role("button", name="Run").click()
    turn.get_by_role("alert").get_by_text("no such column").wait_for()
    editor.fill("SELECT cust_name FROM customers WHERE city = 'Lisbon'")
    editor.press("Control+Enter")
    page.get_by_text("Your own query").wait_for()
    assert "Marta Oliveira" in page.locator(".turn tbody").last.text_content()
    assert "Lisbon" in ask(page, "how many?").locator("pre").text_content()
    kept = [json.loads(line) for line in (folder / "feedback.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["verdict"] for one in kept if one["question"].startswith("which customers")] == [
        "wrong",
        "corrected",
        "corrected",
    ]


def test_a_spreadsheet_runs_no_cell_of_a_saved_csv(
    open_page: Callable[..., Any], served: Callable[[Any], str], application: Callable[..., Any], tmp_path: Path
) -> None:
    rows = [["=1+1", -5], ["+49", -2.5], ["@x", None], ["\t=1", 1], ["\r=1", 2], ["a\x1b[31m\x9bb\r\nc", 3], ["-1", 4]]
    rows += [["-9007199254740993", 5], ['say "hi"', 6], ['a;"=1\n@x', 7]]
    with closing(sqlite3.connect(tmp_path / "notes.sqlite")) as made:
        made.execute("CREATE TABLE notes (note_id INTEGER PRIMARY KEY, title TEXT)")
        made.executemany("INSERT INTO notes (title) VALUES (?)", [("=cmd|calc",), ("plain",)])
        made.commit()
    page = open_page(served(application(str(tmp_path / "notes.sqlite"))))
    told = "([columns, rows, formulas]) => import('./table.js').then((made) => made.csv(columns, rows, formulas))"
    for formulas in (False, True):
        head, *found = csv.reader(io.StringIO(page.evaluate(told, [["=n", "m"], rows, formulas]), newline=""))
        texts = [
            "'=1+1",
            "'+49",
            "'@x",
            "'\t'=1",
            r"'\r=1",
            "a\\x1b[31m\\x9bb\nc",
            "'-1",
            "-9007199254740993",
            'say "hi"',
            "a;'\"=1\n'@x",
        ]
        assert [text for text, _ in found] == [one.replace("'", "") if formulas else one for one in texts]
        assert [number for _, number in found] == ["-5", "-2.5", "", "1", "2", "3", "4", "5", "6", "7"]
        assert head == (["=n", "m"] if formulas else ["'=n", "m"])
    turn = ask(page, "list the titles of all notes")
    for label, cell in (("Save as CSV", "'=cmd|calc"), ("Save as CSV with formulas", "=cmd|calc")):
        with page.expect_download() as saving:
            turn.get_by_role("button", name=label, exact=True).click()
        saving.value.save_as(tmp_path / "rows.csv")
        assert (tmp_path / "rows.csv").read_text(encoding="utf-8-sig").splitlines()[1] == cell


def test_the_keyboard_is_enough(open_page: Callable[..., Any]) -> None:
    page = open_page()
    page.get_by_text("For example").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.type("which customers live in Osl")
    page.get_by_role("option", name="Oslo").wait_for()
    box = page.get_by_role("combobox", name="Your question")
    assert box.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    assert page.locator(f"#{box.get_attribute('aria-activedescendant')}").get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    assert box.input_value() == "which customers live in Oslo"
    page.keyboard.press("Enter")
    page.locator(".turn:not(.pending)").wait_for()
    page.wait_for_function("document.activeElement.id === 'question'")
    page.keyboard.type("cust")
    page.get_by_role("option", name="cust_name").wait_for()
    page.keyboard.press("Escape")
    assert page.get_by_role("listbox").count() == 0
    seen = set()
    for _ in range(25):
        page.keyboard.press("Shift+Tab")
        seen.add(page.evaluate("document.activeElement.textContent || document.activeElement.tagName"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", seen
    assert {"Save as CSV", "Why this query?", "Ask again"} <= seen
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"


def test_texts_of_people_and_databases_are_never_markup(open_page: Callable[..., Any]) -> None:
    page = open_page()
    page.get_by_role("combobox", name="Database").select_option(NOTES)
    page.locator(".schema").get_by_text("notes").wait_for()
    page.locator(".schema summary").click()
    assert page.locator(".schema").get_by_text("<b>bold</b>").count() == 1
    turn = ask(page, "list the title of notes")
    assert turn.locator("tbody td").first.text_content() == SCRIPT
    turn = ask(page, f"how many notes are called {SCRIPT}")
    assert turn.locator("h2").text_content().endswith(SCRIPT)
    page.reload()
    page.locator(".turn").nth(1).wait_for()
    assert page.locator("main img, main script, main b").count() == 0
    assert page.title() == "Querent"


def test_a_server_that_goes_away_costs_nothing_that_was_typed(open_page: Callable[..., Any]) -> None:
    page = open_page()
    ask(page, ORDERS)
    page.context.set_offline(True)
    box = page.get_by_role("combobox", name="Your question")
    box.fill("only those of 2023")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("The server does not answer. What you typed is kept.").wait_for()
    assert box.input_value() == "only those of 2023"
    assert page.locator(".turn").count() == 1
    page.context.set_offline(False)
    page.reload()
    page.locator(".turn").wait_for()
    assert box.input_value() == "only those of 2023"
    page.context.set_offline(True)
    box.press("Enter")
    page.get_by_role("alert").get_by_text("The server does not answer.").wait_for()
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    page.locator(".turn:not(.pending)").nth(1).wait_for()
    assert "order_dt" in page.locator(".turn pre").last.text_content()
    assert page.get_by_role("alert").text_content() == ""
    page.get_by_role("button", name="Forget this question").last.click()
    page.get_by_role("button", name="Forget this question").last.click()
    page.reload()
    page.locator(".welcome").wait_for()
    assert (page.locator(".turn").count(), box.input_value()) == (0, "")


def test_a_role_sees_what_it_may(
    open_page: Callable[..., Any], served: Callable[[Any], str], application: Callable[..., Any], two_roles: Any
) -> None:
    page = open_page(served(application("shop", roles=two_roles)))
    for token, told in (("wrong-token-of-somebody", "Nobody has this token."), ("a-token-of-the-sales-people", "")):
        page.get_by_label("Token").fill(token)
        page.keyboard.press("Enter")
        if told:
            page.get_by_text(told).wait_for()
    page.locator(".schema summary").first.wait_for()
    assert page.locator(".schema summary .name").all_text_contents() == ["customers", "orders"]
    turn = ask(page, "which customers live in Oslo?")
    assert "Henrik Dahl" in turn.text_content()
    assert turn.get_by_role("button", name="Edit the query").count() == 0
    assert turn.get_by_role("button", name="Right").count() == 1
    assert "mail.example" not in page.content()
    page.reload()
    page.locator(".turn").wait_for()


@pytest.mark.parametrize(("locale", "scheme"), [("en-US", "light"), ("zh-CN", "dark")])
def test_it_fits_a_narrow_screen_in_both_languages_and_schemes(
    open_page: Callable[..., Any], locale: str, scheme: str
) -> None:
    page = open_page(locale=locale, color_scheme=scheme, viewport={"width": 360, "height": 740})
    page.locator(".welcome").wait_for()
    chinese = locale == "zh-CN"
    box = page.get_by_role("combobox", name="您的问题" if chinese else "Your question")
    by = ("how many orders are there by month?", "how many orders are there by city?")
    for question in ("list all columns of orders", *by):
        box.fill(question)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name=question).wait_for()
        page.locator(".pending").wait_for(state="detached")
        if question in by:
            page.locator(".turn").last.locator(".chart svg").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    axes = page.evaluate(AXES)
    assert [len(labels) > 1 for labels in axes] == [True] * 4
    assert [told for labels in axes for told, _ in labels if "e+" in told] == []
    for one, other in (pair for labels in axes for pair in combinations(labels, 2)):
        assert not _overlap(one[1], other[1]), (one, other)
    for name in ("shop", MORE_NOTES, NOTES):
        page.locator("#top select").select_option(name)
        page.locator(".welcome").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
    page.get_by_role("button", name="数据与对话" if chinese else "Data and conversations").click()
    assert page.locator("#side").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.keyboard.press("Escape")
    assert not page.locator("#side").is_visible()
    light = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] > 128")
    assert light == (scheme == "light")
    page.get_by_role("button", name="English" if chinese else "中文").click()
    page.get_by_role("button", name="Ask" if chinese else "提问", exact=True).wait_for()
