"""From an upload to what attackers find, on a phone; what every step shows is looked at in three widths."""

from __future__ import annotations

import pytest

from .conftest import SMALLEST, WIDTHS, comes, go

pytest.importorskip("nicegui", reason="the pages need the extra web")
pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright")

PHONE = 390
OUTSIDE = """[...document.querySelectorAll(
    'button, a[href], input, select, textarea, [role=slider]'
)].filter(each => {
    const box = each.getBoundingClientRect();
    const shown = box.width > 1 && box.height > 1 && getComputedStyle(each).visibility !== 'hidden';
    let inside = false;  // in something that scrolls by itself
    for (let at = each.parentElement; at && at !== document.body; at = at.parentElement)
        inside ||= ['auto', 'scroll', 'hidden'].includes(getComputedStyle(at).overflowX);
    return shown && !inside && (box.left < -1 || box.right > innerWidth + 1);
}).map(each => each.outerHTML.slice(0, 200))"""
"""Controls that reach out of the window, where nobody can press them."""
JOBS = ("nurse", "carer", "cook", "clerk", "judge")
ILL = ("flu", "cold", "burn", "cough", "gout", "mumps")
TABLE = "age,job,ill\n" + "".join(
    f"{20 + i % 30},{JOBS[i % 5]},{ILL[(i // 5 + i) % 6]}\n" for i in range(120)
)


def upload(page):
    file = {"name": "people.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_role("heading", name="Columns", exact=True).wait_for()


def say_roles(page):
    page.locator(".role-row").first.wait_for()
    study = page.url.partition("study=")[2].partition("&")[0]
    roles = {"age": ["quasi"], "job": ["quasi"], "ill": ["sensitive"]}
    path = f"{page.url.partition('/roles')[0]}/api/studies/{study}/roles"
    assert page.request.put(path, data={"roles": roles}).ok


def look_at_trees(page):
    page.get_by_role("tree").first.wait_for()


def see_risk(page):
    page.locator(".verdict").first.wait_for()


def negotiate(page):
    page.get_by_role("button", name="Pin: Every column at one level").click()
    page.get_by_text("Pinned as A").first.wait_for()


def optimize(page):
    page.get_by_role("button", name="Find the best").click()
    page.get_by_text("Proven: no other way").wait_for()


def run_method(page):
    page.get_by_role("button", name="Run it").click()
    page.get_by_role("button", name="Run it").and_(page.locator(":enabled")).wait_for()
    page.locator(".step-methods").get_by_role("listitem").first.wait_for()


def compare(page):
    page.get_by_role("table", name="What each costs").wait_for()


def release(page):
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("heading", name="Verified").wait_for()


def use(page):
    page.get_by_role("heading", name="Who loses most?").wait_for()


def attack(page):
    page.get_by_role("button", name="Attack the release").click()
    page.get_by_text("attacks tried.").wait_for()


JOURNEY = {
    "Table": upload,
    "Roles": say_roles,
    "Hierarchies": look_at_trees,
    "Risk": see_risk,
    "Negotiate": negotiate,
    "Optimize": optimize,
    "Methods": run_method,
    "Compare": compare,
    "Release": release,
    "Use": use,
    "Attacks": attack,
}


def test_the_whole_journey_is_walked_on_a_phone_and_fits_every_width(open_page, accessible):
    page = open_page(PHONE, 844, visit=True)
    for step, walk in JOURNEY.items():
        if step != "Table":
            go(page, step)
        walk(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            comes(page, lambda: page.evaluate("document.documentElement.scrollWidth"), width)
            assert page.evaluate(OUTSIDE) == [], (step, width)
        page.set_viewport_size({"width": PHONE, "height": 844})
        comes(page, lambda: page.evaluate(f"{SMALLEST} >= 11"), True)
        accessible(page)
