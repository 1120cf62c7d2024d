"""Pins with names and letters that stay, every named method, and what it can be asked to promise."""

from __future__ import annotations

import re

import pytest

from .conftest import comes, fits, go, table_cells

pytest.importorskip("nicegui", reason="the pages need the extra web")
sync_api = pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright")


def run(page, method: str) -> None:
    """Run the method whose title has these words, and wait for its answer."""
    page.get_by_role("combobox", name="Method").click()
    page.get_by_role("option", name=re.compile(re.escape(method))).click()
    page.get_by_role("button", name="Run it").click()
    answers = page.get_by_role("list", name="Answers")
    answers.get_by_role("listitem").filter(has_text=re.compile(f"{re.escape(method)}, ")).wait_for()


def letters(page) -> list[str]:
    return page.evaluate("[...document.querySelectorAll('.pin .offer-mark')].map(e => e.textContent)")


def test_methods_are_run_pinned_named_compared_and_released(hospital, accessible):
    page = hospital
    go(page, "Methods")
    page.get_by_label("t: nearness to the whole table").fill("0.9")
    page.get_by_label("t: nearness to the whole table").press("Tab")
    for method in ("Mondrian", "Local recoding", "Flash"):
        run(page, method)
    shares = page.evaluate(
        "[...document.querySelectorAll('.way-lost b')].map(e => parseFloat(e.textContent))"
    )
    assert shares == sorted(shares)
    fits(page)
    accessible(page)
    for letter, method in zip("ABC", ("Mondrian", "Local recoding", "Flash"), strict=True):
        page.get_by_role("button", name=re.compile(f"^Pin: {method}")).click()
        page.get_by_text(f"Pinned as {letter}.").first.wait_for()
    page.get_by_role("button", name=re.compile("^Pin: Mondrian")).click()
    page.get_by_text("This is pinned already, as A.").first.wait_for()
    go(page, "Compare")
    comes(page, lambda: letters(page), ["A", "B", "C"])
    page.get_by_role("button", name=re.compile("^Rename Local recoding")).click()
    page.get_by_role("dialog").get_by_role("textbox").fill("The one for the board")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The one for the board").wait_for()
    page.get_by_role("button", name=re.compile("^Unpin Mondrian")).click()
    comes(page, lambda: letters(page), ["B", "C"])
    head = (
        page.get_by_role("table", name="What each costs").get_by_role("columnheader").all_inner_texts()
    )
    assert head == ["figure", "B", "C"]
    lost = table_cells(page, "What each costs")[0]
    assert lost[0] == "Detail lost"
    assert lost[1].endswith("% ★")
    # A bar is as long as what is lost.
    widths = page.evaluate(
        "[...document.querySelectorAll('.bars rect.bar')].map(e => e.getBoundingClientRect().width)"
    )
    assert max(widths) > 2 * min(widths)
    fits(page)
    accessible(page)
    page.get_by_role("button", name="Release The one for the board").click()
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("heading", name="Verified").wait_for()
    page.get_by_text(re.compile(r"The one for the board: promises k = 5; t")).wait_for()
    fits(page)


def test_a_method_is_asked_about_the_population_of_another_table(hospital, tmp_path):
    page = hospital
    table = "age,sex,ill\n" + "".join(f"{20 + i % 3},{'mf'[i % 2]},flu{i % 4}\n" for i in range(60))
    (tmp_path / "people.csv").write_text(table, encoding="utf-8")
    page.set_input_files("input[type=file] >> nth=-1", tmp_path / "people.csv")
    page.get_by_role("heading", name="people.csv").wait_for()
    (tmp_path / "drawn.csv").write_text("".join(table.splitlines(True)[:13]), encoding="utf-8")
    page.set_input_files("input[type=file] >> nth=-1", tmp_path / "drawn.csv")
    page.get_by_role("heading", name="drawn.csv").wait_for()
    go(page, "Roles")
    for role in ("age: Quasi", "sex: Quasi", "ill: Sensitive"):
        page.get_by_role("radio", name=role).check()
    page.get_by_text("Persons, households, samples").click()
    page.get_by_label("The table of everybody who might be in this one").click()
    page.get_by_role("option", name="people.csv (60 rows)").click()
    page.get_by_text("people.csv is the population now").first.wait_for()
    go(page, "Hierarchies")
    weight = page.get_by_label("A loss here counts")
    weight.fill("2")
    weight.press("Tab")
    page.get_by_text("now counts 2 times").first.wait_for()
    go(page, "Methods")
    page.get_by_label("k: rows that look alike").fill("")
    page.get_by_label("k: rows that look alike").press("Tab")
    page.get_by_text("More promises").click()
    page.get_by_label("k-map: people of the population").fill("9")
    page.get_by_label("k-map: people of the population").press("Tab")
    run(page, "Flash")
    page.get_by_role("button", name=re.compile("^Release: Flash, k-map = 9")).click()
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("heading", name="Verified").wait_for()
