"""Pages at three widths: names of any length, readable pictures, meanings, all rows, and what is near."""

from __future__ import annotations

import re

import pytest

from .conftest import comes, fits, go, open_hospital, table_cells

pytest.importorskip("nicegui", reason="the pages need the extra web")
sync_api = pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright")

STEPS = (
    "table",
    "roles",
    "hierarchies",
    "risk",
    "negotiate",
    "optimize",
    "methods",
    "compare",
    "release",
    "use",
    "attacks",
)


def origin(link: str) -> str:
    return link.partition("/?")[0]


def test_no_name_makes_a_page_wider_than_its_window(page, link):
    long = "the-name-of-a-column-that-nobody-ever-shortened" * 3
    names = [f"{mark}-{long}"[:120] for mark in ("age", "job", "ill")]
    value = "W" * 120
    rows = [f"{20 + i % 9},{value}{i % 3},{value}x{i % 5}" for i in range(60)]
    table = "\n".join([",".join(names), *rows])
    made = page.request.post(f"{origin(link)}/api/studies?name={value}", data=table.encode())
    path = f"{origin(link)}/api/studies/{made.json()['id']}"
    roles = {names[0]: ["quasi"], names[1]: ["quasi"], names[2]: ["sensitive"]}
    assert page.request.put(f"{path}/roles", data={"roles": roles}).ok
    best = page.request.post(f"{path}/anonymize", data={"algorithm": "flash", "k": 2}).json()
    assert page.request.post(f"{path}/pins", data={"solution": best, "title": value}).ok
    assert page.request.post(f"{path}/release?wait=60", data={"solution": best}).ok
    assert page.request.post(f"{path}/attack?wait=60").ok
    shown = {"use": "Who loses most?", "attacks": "All attacks", "compare": "All rows, before and after"}
    for step in STEPS:
        page.goto(f"{origin(link)}/{step}?study={made.json()['id']}")
        page.wait_for_selector(f".step-{step} h1")
        page.locator(".next-step, .button-link, .made, .button").first.wait_for()
        if step in shown:
            page.get_by_role("heading", name=shown[step]).wait_for()
        fits(page)
        if step == "release":
            sync_api.expect(page.get_by_role("radio", name=value[:100])).to_be_visible()


def test_words_of_pictures_are_readable_and_every_step_is_explained(open_page, link, accessible):
    page = open_page()
    open_hospital(page, link, 300)
    study = page.url.partition("study=")[2]
    for step in STEPS:
        page.goto(f"{origin(link)}/{step}?study={study}")
        page.get_by_text("What does this mean?").click()
        page.locator(".meaning .picture").wait_for()
        if step == "negotiate":
            page.get_by_text("best trades with up to").wait_for()
        fits(page)
        accessible(page)


def test_what_is_near_the_answer_is_walked_through(hospital):
    page = hospital
    go(page, "Negotiate")
    told = page.get_by_text(re.compile(r"\d+ of 1,440 combinations of levels are drawn"))
    told.wait_for()
    page.get_by_text("Combinations around it: as a table").press("Enter")
    before = table_cells(page, "Combinations around it")
    assert [row[0] for row in before].count("the answer") == 1
    # No other that is allowed loses less: it is the answer.
    assert before[0][0] == "the answer"
    near = page.locator(".around .point").nth(1)
    name = near.get_attribute("aria-label").partition(":")[0]
    near.focus()
    page.keyboard.press("Enter")
    back = page.get_by_role("button", name="Return to the answer")
    sync_api.expect(back).to_be_enabled()
    assert re.search("finer|coarser", name)
    page.get_by_label("Show", exact=True).click()
    page.get_by_role("option", name="up to two steps").click()
    comes(page, lambda: page.locator(".around .point").count() > 12, True)
    fits(page)
    page.get_by_role("checkbox", name="only what you allow").click()
    comes(page, lambda: page.locator(".around .dot:not(.full):not(.chosen)").count(), 0)
    back.click()
    sync_api.expect(back).to_be_disabled()


def test_all_rows_are_seen_before_and_after(hospital, accessible):
    page = hospital
    go(page, "Negotiate")
    page.get_by_role("button", name="Pin: Every column at one level").click()
    page.get_by_text("Pinned as A").first.wait_for()
    go(page, "Compare")
    page.get_by_text(re.compile(r"Rows 1 to \d+ of 1,000")).wait_for()
    view = page.get_by_role("region", name="All rows before and after")
    sync_api.expect(view.get_by_role("row").nth(1)).to_contain_text("left out")
    assert view.get_by_role("row").count() < 40
    page.get_by_label("Order").select_option("risk")
    sync_api.expect(view.get_by_role("row").nth(1)).to_contain_text(re.compile(r"\d+ \(\d+ rows\)"))
    view.evaluate("each => (each.scrollTop = each.scrollHeight)")
    page.get_by_text(re.compile("to 1,000 of 1,000")).wait_for()
    fits(page)
    accessible(page)
