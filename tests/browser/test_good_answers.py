"""The answer that loses least comes first, numbers can be typed, and work that waits says so."""

from __future__ import annotations

import re

import pytest

from .conftest import comes, go, open_hospital

pytest.importorskip("nicegui", reason="the pages need the extra web")
sync_api = pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright")

HARD = {"l": 3, "metric": "CM", "scheme": "vioRec", "time_limit": 50}
"""A question that takes long, as tests of jobs ask it."""


def origin(link: str) -> str:
    return link.partition("/?")[0]


def lost(page) -> list[float]:
    words = page.evaluate("[...document.querySelectorAll('.way-lost b')].map(each => each.textContent)")
    return [float(each.rstrip("%").lstrip("<")) for each in words]


def test_the_way_that_loses_least_comes_first_and_is_drawn(hospital, accessible):
    page = hospital
    go(page, "Negotiate")
    comes(page, lambda: len(lost(page)), 4)
    assert lost(page) == sorted(lost(page))
    assert lost(page)[0] < lost(page)[-1] / 2
    page.locator(".over .chosen-name", has_text="lost").wait_for()
    # The terms of the papers stand behind details.
    shown = page.locator(".step-negotiate").inner_text()
    for term in ("allRec", "(LM", "Pareto", "cuts"):
        assert term not in shown
    page.get_by_text("Below it, the other ways").wait_for()
    assert page.locator(".plane .curve").count() > 6
    field = page.get_by_role("textbox", name="k: rows that look alike, as a number")
    field.fill("11")
    field.press("Enter")
    page.get_by_role("heading", name="Yes: k = 11 holds").wait_for()
    field.fill("eleven")
    field.press("Enter")
    page.get_by_role("alert").filter(has_text="is no number from 2 to 1,000").first.wait_for()
    comes(page, field.input_value, "11")
    rows = page.get_by_role("textbox", name="Rows suppressed, at most, as a number")
    rows.fill("2.5%")
    rows.press("Enter")
    comes(page, rows.input_value, "25")
    comes(page, lambda: len(lost(page)), 4)
    accessible(page)
    first = page.get_by_role("list", name="Ways to have it").get_by_role("listitem").first
    title = first.locator("strong").inner_text()
    first.get_by_role("button", name="Release").click()
    page.get_by_role("radio", name=f"{title}, k = 11").wait_for()


def test_limits_that_nobody_chose_move_along(hospital, link):
    page = hospital
    go(page, "Negotiate")
    turn = page.locator(".outcome h2")
    before = int(turn.get_attribute("data-turn"))
    zips = page.get_by_role("slider", name="Highest level of zip")
    zips.press("ArrowLeft")
    comes(page, lambda: zips.get_attribute("aria-valuetext").startswith("level 4"), True)
    comes(page, lambda: int(turn.get_attribute("data-turn")) > before, True)
    study = page.url.partition("study=")[2]
    given = {"description": {"intervals": {"origin": 0, "widths": [2, 4, 8, 16, 32, 64, 128]}}}
    path = f"{origin(link)}/api/studies/{study}/hierarchy?column=age"
    assert page.request.put(path, data=given).ok
    page.reload()
    ages = page.get_by_role("slider", name="Highest level of age")
    sync_api.expect(ages).to_have_attribute("aria-valuetext", re.compile("^level 8: "))
    sync_api.expect(zips).to_have_attribute("aria-valuetext", re.compile("^level 4: "))


def test_what_waits_says_so_and_is_found_again_at_once(page, link):
    open_hospital(page, link, rows=10_000)
    path = f"{origin(link)}/api/studies/{page.url.partition('study=')[2]}"
    open_hospital(page, link, rows=1000)
    study = page.url.partition("study=")[2]
    others = [page.request.post(f"{path}/optimize", data=HARD).json()["id"] for _ in range(2)]
    page.goto(f"{origin(link)}/negotiate?study={study}")
    page.get_by_text("Waiting behind two searches …").first.wait_for()
    assert page.get_by_text(re.compile("no point to draw|Nothing was found")).count() == 0
    go(page, "Optimize")
    page.get_by_role("button", name="Find the best").click()
    told = page.locator(".standing")
    sync_api.expect(told).to_contain_text("Waiting behind two searches …")
    page.reload()
    sync_api.expect(told).to_contain_text("Waiting behind two searches …")
    for job in others:
        page.request.post(f"{origin(link)}/api/jobs/{job}/cancel")
    sync_api.expect(told).to_contain_text(re.compile("Proven: no other way|Stopped|Searching for"))


def test_hierarchies_come_in_several_at_once_and_wrong_files_are_named(hospital, tmp_path):
    page = hospital
    go(page, "Hierarchies")
    page.get_by_role("tree", name="Hierarchy of age").wait_for()
    sexes = "female;known;*\nmale;known;*\nother;rare;*\n"
    (tmp_path / "sex.csv").write_text(sexes, encoding="utf-8")
    several = page.locator("input[type=file][multiple]")
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    one = page.locator("input[type=file]:not([multiple])")
    one.set_input_files(tmp_path / "picture.csv")
    page.get_by_role("alert").filter(has_text="picture.csv is not text").first.wait_for()
    one.set_input_files(tmp_path / "sex.csv")
    refusal = "is no hierarchy of 'age': its values are those of 'sex'"
    page.get_by_role("alert").filter(has_text=refusal).first.wait_for()
    (tmp_path / "nothing.csv").write_text("a;*\n", encoding="utf-8")
    several.set_input_files([tmp_path / "sex.csv", tmp_path / "nothing.csv"])
    page.get_by_role("alert").filter(has_text="has no column's name").first.wait_for()
    several.set_input_files([tmp_path / "sex.csv"])
    page.get_by_text("The hierarchies were imported").first.wait_for()
    page.get_by_role("navigation", name="Columns").get_by_role("button", name="sex").click()
    page.get_by_role("treeitem", name="known").wait_for()


def test_a_new_user_reaches_a_release_worth_having_by_what_is_offered_first(page):
    """Seven clicks or so, each on what the page offers first, and nothing typed."""
    page.get_by_role("button", name="Try the built-in data").click()
    page.get_by_role("link", name="Take all as proposed").click()
    comes(page, lambda: len(lost(page)), 4)
    assert lost(page)[0] < 10
    page.locator(".button.main").first.click()
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("heading", name="Verified").wait_for()
    boxes = page.get_by_role("checkbox", name="Acknowledge").and_(page.locator("[aria-checked=false]"))
    while boxes.count():
        left = boxes.count()
        boxes.first.click()
        comes(page, lambda left=left: boxes.count() < left, True)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download for the public").click()
    assert waiting.value.suggested_filename == "release-public.zip"
