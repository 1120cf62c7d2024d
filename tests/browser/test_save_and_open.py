"""Work saved and opened again, servers that come back or stay away, and two windows of one study."""

from __future__ import annotations

import re

import pytest

from .conftest import comes, go, open_hospital, serving

pytest.importorskip("nicegui", reason="the pages need the extra web")
sync_api = pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright")

K = "k: rows that look alike"


def pin_one(page) -> None:
    go(page, "Negotiate")
    page.get_by_role("button", name="Pin: Every column at one level").click()
    page.get_by_text("Pinned as A").first.wait_for()


def test_a_project_is_saved_and_opened_in_another_session(hospital, open_page, tmp_path, accessible):
    page = hospital
    pin_one(page)
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The project is everything in one file").wait_for()
    accessible(page, dialog=True)
    for words, name in (("Save the project", "mine.shoal"), ("Save the study", "study.zip")):
        with page.expect_download() as waiting:
            page.get_by_role("link", name=words).click()
        waiting.value.save_as(tmp_path / name)
    other = open_page(visit=True)
    other.set_input_files("input[type=file]", tmp_path / "mine.shoal")
    other.get_by_role("heading", name="Synthetic hospital discharges").wait_for()
    go(other, "Compare")
    other.get_by_role("heading", name="Every column at one level, k = 5").wait_for()
    (tmp_path / "broken.shoal").write_bytes(b"PK")
    go(other, "Table")
    other.set_input_files("input[type=file] >> nth=-1", tmp_path / "broken.shoal")
    other.get_by_role("alert").filter(has_text="no project that Shoal saved").first.wait_for()


def test_two_windows_of_a_study_show_the_same(hospital):
    page = hospital
    go(page, "Negotiate")
    page.wait_for_selector(".outcome h2")
    second = page.context.new_page()
    second.goto(page.url)
    second.get_by_role("heading", name="Yes: k = 5 holds").wait_for()
    field = second.get_by_role("textbox", name=f"{K}, as a number")
    field.fill("11")
    # What is being typed stays although the page shows another answer meanwhile.
    shown = second.locator(".outcome h2")
    before = int(shown.get_attribute("data-turn"))
    second.get_by_role("slider", name="Highest level of zip").dispatch_event("input")
    comes(second, lambda: int(shown.get_attribute("data-turn")) > before, True)
    assert field.input_value() == "11"
    field.press("Enter")
    second.get_by_role("heading", name="Yes: k = 11 holds").wait_for()
    page.get_by_role("heading", name="Yes: k = 11 holds").wait_for()
    slider = page.get_by_role("slider", name=K, exact=True)
    sync_api.expect(slider).to_have_attribute("aria-valuetext", "11")
    go(page, "Compare")
    second.get_by_role("button", name="Pin: Every column at one level").click()
    page.get_by_role("heading", name="Every column at one level, k = 11").wait_for()


def test_kept_work_comes_back_and_a_page_without_its_server_takes_no_changes(browser, tmp_path):
    keep = ("--keep", str(tmp_path / "kept"))
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(60_000)
    with serving(*keep, "--port", "0") as link:
        page.goto(link)
        page.get_by_text("Your work is kept when the server stops").wait_for()
        open_hospital(page, link, 300)
        go(page, "Roles")
        page.get_by_role("radio", name="occupation: Sensitive").check()
        page.get_by_text("You decided: sensitive").first.wait_for()
        address = page.url
        port = link.partition("/?")[0].rpartition(":")[2]
    page.get_by_role("alert").filter(has_text="The server does not answer").wait_for()
    assert page.evaluate("document.querySelector('.shell').inert")
    with serving(*keep, "--port", port) as link:
        gone = context.new_page()
        gone.goto(address)
        gone.get_by_text("the server was started anew").wait_for()
        gone.goto(link)
        gone.goto(address)
        sync_api.expect(gone.get_by_role("radio", name="occupation: Sensitive")).to_be_checked()
        gone.get_by_role("button", name="Undo").click()
        sync_api.expect(gone.get_by_role("radio", name=re.compile("occupation: Quasi"))).to_be_checked()
        comes(gone, lambda: gone.evaluate("document.querySelector('.shell').inert"), False)
    context.close()
