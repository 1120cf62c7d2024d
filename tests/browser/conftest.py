"""A real server, a real browser, and pages that must have no errors and ask nobody but the server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

# The browser without its window is the same one, and less work.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
REFUSED = "Failed to load resource: the server responded with a status of 4"
"""What the browser itself says about a request that is refused, which tests do on purpose."""
PATIENCE = 60
"""Seconds to wait for what must come: a page that nobody else works beside takes a few."""


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """Run `shoal serve` and give its link; it must end by itself when it is told to."""
    command = [str(Path(sys.executable).with_name("shoal")), "serve", "--no-browser", *arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        _, errors = server.communicate(timeout=PATIENCE)
    assert "Traceback" not in errors, errors
    assert server.returncode == 0


@dataclass
class Watched:
    """A page, and all that it must not have done."""

    page: object
    link: str
    problems: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Nothing was wrong, and nobody but the server was asked."""
        assert [p for p in self.problems if not p.startswith(REFUSED)] == []
        ours = urlsplit(self.link).netloc
        asked = {urlsplit(url).netloc for url in self.asked if not url.startswith(("data:", "blob:"))}
        assert asked == {ours}


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip(
            f"no chromium on this machine; install it (on Debian and Ubuntu: apt-get install {NAMES[0]})"
        )
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="session")
def link(browser):
    """The link of a server that runs for all tests of a process: pages have sessions of their own."""
    with serving() as link:
        yield link


@pytest.fixture
def open_page(browser, link):
    """Opens pages, each with a session of its own; afterwards none of them may have had a problem.

    A page that is not to visit the link has its session from it all the same: drawing the first page takes
    longer than most of what follows it.
    """
    opened = []

    def open_one(width: int = 1280, height: int = 900, *, visit: bool = False, **options):
        context = browser.new_context(
            viewport={"width": width, "height": height}, accept_downloads=True, **options
        )
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        watched = Watched(page, link)
        page.on("console", lambda m: watched.problems.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda problem: watched.problems.append(str(problem)))
        page.on("request", lambda request: watched.asked.append(request.url))
        opened.append((context, watched))
        if visit:
            page.goto(link)
            page.wait_for_selector("h1")
        else:
            assert page.request.get(link, max_redirects=0).status == 303
        return page

    yield open_one
    for context, watched in opened:
        for each in context.pages:
            each.close()
        context.request.delete(
            f"{link.partition('/?')[0]}/api/session"
        )  # with all that it still works on
        context.close()
        watched.check()


@pytest.fixture
def page(open_page):
    return open_page(visit=True)


def open_hospital(page, link: str, rows: int = 1000) -> None:
    """Open some rows of the built-in data."""
    origin = link.partition("/?")[0]
    made = page.request.post(f"{origin}/api/studies/built-in", data={"rows": rows})
    assert made.status == 201
    page.goto(f"{origin}/table?study={made.json()['id']}")
    page.get_by_role("heading", name="Columns", exact=True).wait_for()


@pytest.fixture
def hospital(open_page, link):
    """A page with 1,000 rows of the built-in data open."""
    page = open_page()
    open_hospital(page, link)
    return page


def comes(page, told: Callable[[], Any], wanted: Any) -> None:
    """Wait until what is told is what is wanted."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if told() == wanted:
            return
        page.wait_for_timeout(100)
    assert told() == wanted


def table_cells(page, name: str) -> list[list[str]]:
    """Return the cells of a table's body in one look: between two looks the page may draw it anew."""
    page.get_by_role("table", name=name, exact=True).locator("tbody tr").first.wait_for()
    return page.evaluate(
        """name => {
            const tables = [...document.querySelectorAll('table')];
            const found = tables.find(each => each.caption?.textContent === name);
            return [...found.tBodies[0].rows].map(
                row => [...row.cells].map(cell => cell.textContent.trim()));
        }""",
        name,
    )


def go(page, step: str) -> None:
    """Go to a step by the navigation."""
    page.get_by_role("navigation", name="Steps").get_by_role("link", name=step).click()
    page.wait_for_selector(f".step-{step.split(maxsplit=1)[0].lower()} h1")


WIDTHS = (1440, 1280, 390, 360)
"""A large screen, a small one, a phone, and a phone that is smaller than most."""
READABLE = 390
SMALLEST = """Math.min(Infinity, ...[...document.querySelectorAll('.picture')].flatMap(picture => {
    const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
    const words = [...picture.querySelectorAll('text')].filter(each => each.getBoundingClientRect().width);
    return words.map(each => parseFloat(getComputedStyle(each).fontSize) * scale);
}))"""
"""The size of the smallest words in the pictures that are seen."""


def fits(page) -> None:
    """What is shown is no wider than its window, and the words of its pictures can be read, at any width."""
    before = page.viewport_size
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": before["height"]})
        comes(page, lambda: page.evaluate("document.documentElement.scrollWidth"), width)
        if width >= READABLE:
            comes(page, lambda: page.evaluate(f"{SMALLEST} >= 11"), True)
    page.set_viewport_size(before)


CONTRAST = """each => {
    const light = colour => {
        const [r, g, b] = colour.match(/[\\d.]+/g).map(
            part => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const ground = getComputedStyle(each.closest('.q-notification')).backgroundColor;
    const [one, other] = [light(getComputedStyle(each).color), light(ground)];
    return Math.max(one, other) / Math.min(one, other);
}"""
"""How well a part of a notice is seen on its ground."""


@pytest.fixture
def accessible():
    """Checks a page by axe-core: names, roles, labels, contrast, structure."""
    from axe_playwright_python.sync_playwright import Axe

    def check(page, *, dialog: bool = False) -> None:
        # Colours that are still changing have no contrast of their own; what is said goes away by itself.
        page.wait_for_timeout(300)
        page.wait_for_function("!document.querySelector('.said')")
        # axe takes what lies on a dialog's backdrop for what lies under it, so it sees no contrast there.
        options: dict[str, Any] = {"resultTypes": ["violations"]}  # it need not list all that is well
        if dialog:
            options["rules"] = {"color-contrast": {"enabled": False}}
        found = Axe().run(page, options=options)
        told = [
            f"{each['id']}: {each['help']}: {each['nodes'][0]['html'][:200]}"
            for each in found.response["violations"]
        ]
        assert told == []

    return check
