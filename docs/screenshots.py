"""Takes the pictures of docs/web.md: every step of the web application, on the built-in data.

    python docs/screenshots.py [FOLDER]

It needs Shoal with its extra web, Playwright for Python and chromium; it starts a server of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).with_name("screenshots")
NAMES = ("chromium", "chromium-browser", "chromium-headless-shell")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
COLOURS = 256
"""Colours that are left, so that the files stay small."""


def open_table(page: Page) -> None:
    """The built-in data."""
    page.get_by_role("button", name="Try the built-in data").click()
    page.get_by_role("heading", name="Columns", exact=True).wait_for()


def choose_roles(page: Page) -> None:
    """Roles as they are proposed."""
    page.wait_for_selector(".role-row")


def show_hierarchy(page: Page) -> None:
    """A tree with some of its nodes chosen."""
    page.get_by_role("navigation", name="Columns").get_by_role("button", name="occupation").click()
    page.get_by_role("tree", name="Hierarchy of occupation").wait_for()
    page.get_by_role("treeitem", name="schools and nurseries").click()
    page.get_by_text("1 chosen").wait_for()


def wait_for_risk(page: Page) -> None:
    """The risk, when it is counted."""
    page.wait_for_selector(".verdict")


def negotiate(page: Page) -> None:
    """All ways to have what is asked for; the best is pinned."""
    page.get_by_role("button", name="Pin: Ranges").click()
    page.get_by_text("Below it, the other ways").wait_for(timeout=120_000)
    hide_notices(page)


def optimize(page: Page) -> None:
    """A search that is over; its best is pinned afterwards."""
    page.get_by_role("button", name="Find the best").click()
    page.get_by_text("Proven: no other way").wait_for(timeout=60_000)


def methods(page: Page) -> None:
    """Two methods by name."""
    for name in ("Local recoding", "Incognito"):
        page.get_by_role("combobox", name="Method").click()
        page.get_by_role("option", name=name).click()
        page.get_by_role("button", name="Run it").click()
        page.get_by_role("listitem").filter(has_text=f"{name}, k").wait_for(timeout=60_000)


def compare(page: Page) -> None:
    """The negotiated answer and the best recoding."""
    page.locator("nav.steps a[href^='/optimize']").click()
    page.get_by_role("button", name="Pin to compare").click()
    page.get_by_text("Pinned as B").first.wait_for()
    page.locator("nav.steps a[href^='/compare']").click()
    page.get_by_role("table", name="What each costs").wait_for()
    hide_notices(page)


def release(page: Page) -> None:
    """A release that is made and verified."""
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("heading", name="Verified").wait_for(timeout=60_000)


def use(page: Page) -> None:
    """What the release is still good for."""
    page.get_by_role("heading", name="Who loses most?").wait_for(timeout=300_000)


def attack(page: Page) -> None:
    """What attacks find on the release."""
    page.get_by_role("button", name="Attack the release").click()
    page.get_by_text("attacks tried.").wait_for(timeout=300_000)


def hide_notices(page: Page) -> None:
    """Wait until no notice lies over the page."""
    page.locator(".q-notification").last.wait_for(state="detached", timeout=60_000)


STEPS: dict[str, Callable[[Page], None]] = {
    "table": open_table,
    "roles": choose_roles,
    "hierarchies": show_hierarchy,
    "risk": wait_for_risk,
    "negotiate": negotiate,
    "optimize": optimize,
    "methods": methods,
    "compare": compare,
    "release": release,
    "use": use,
    "attacks": attack,
}
"""What is done on each step before its picture is taken."""


def take(page: Page, path: Path) -> None:
    """Take a picture of what is seen, with few colours."""
    page.wait_for_timeout(700)
    page.mouse.move(0, 0)
    page.screenshot(path=path)
    shrink(path)


def shrink(path: Path) -> None:
    """Leave fewer colours, where Pillow is there to do it."""
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(
            COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
        )
        few.save(path, optimize=True)


def journey(browser: Any, link: str, folder: Path) -> None:
    """Go through all steps once, then look at some of them in the dark and on a phone."""
    page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
    page.set_default_timeout(120_000)
    page.goto(link)
    page.wait_for_selector("h1")
    for number, (step, prepare) in enumerate(STEPS.items(), 1):
        if step != "table":
            page.locator(f"nav.steps a[href^='/{step}']").click()
            page.wait_for_selector(f".step-{step} h1")
        prepare(page)
        take(page, folder / f"{number}-{step}.png")
    page.locator("nav.steps a[href^='/hierarchies']").click()
    page.get_by_role("tree").wait_for()
    page.get_by_role("navigation", name="Columns").get_by_role("button", name="age").click()
    page.get_by_role("tree", name="Hierarchy of age").wait_for()
    page.get_by_role("button", name="New hierarchy").click()
    page.wait_for_selector(".preview table")
    take(page, folder / "3-wizard.png")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Light or dark").click()
    page.locator("nav.steps a[href^='/roles']").click()
    page.wait_for_selector(".role-row")
    take(page, folder / "dark.png")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("nav.steps a[href^='/risk']").click()
    wait_for_risk(page)
    take(page, folder / "phone.png")


def main() -> None:
    """Start a server, take all pictures, stop it."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(exist_ok=True)
    shoal = Path(sys.executable).with_name("shoal")
    server = subprocess.Popen([shoal, "serve", "--no-browser"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        link = server.stdout.readline().split()[-1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            journey(browser, link, folder)
            browser.close()
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
