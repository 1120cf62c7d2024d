"""The wizard for dates: it knows how they are written, asks where nobody can tell, and keeps it."""

from __future__ import annotations

import pytest

from .test_first_steps import open_hierarchy

pytest.importorskip("nicegui", reason="the pages need the extra web")
sync_api = pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright")

WRITTEN = "How the dates are written"


def test_the_wizard_asks_how_dates_are_written_and_keeps_it(page, link):
    origin = link.partition("/?")[0]
    table = "either,clear,ill\n" + "".join(
        f"0{1 + n % 5}/0{1 + n % 4}/2024,{13 + n % 9}.0{1 + n % 3}.2024,flu\n" for n in range(40)
    )
    made = page.request.post(f"{origin}/api/studies?name=table.csv", data=table.encode()).json()
    path = f"{origin}/api/studies/{made['id']}"
    assert page.request.put(
        f"{path}/roles", data={"roles": {"either": ["quasi"], "clear": ["quasi"]}}
    ).ok
    page.goto(f"{origin}/hierarchies?study={made['id']}")
    form, use = page.get_by_label(WRITTEN), page.get_by_role("button", name="Use it")

    open_hierarchy(page, "clear")
    page.get_by_role("button", name="New hierarchy").click()
    sync_api.expect(form).to_have_value("dd.mm.yyyy")
    use.click()
    page.get_by_text("written dd.mm.yyyy").first.wait_for()

    open_hierarchy(page, "either")
    page.get_by_role("button", name="New hierarchy").click()
    page.get_by_text("The dates may be dd/mm/yyyy or mm/dd/yyyy; choose how they are written").wait_for()
    sync_api.expect(use).to_be_disabled()
    form.click()
    page.get_by_role("option", name="mm/dd/yyyy", exact=True).click()
    use.click()
    page.get_by_text("written mm/dd/yyyy").first.wait_for()

    page.get_by_role("button", name="New hierarchy").click()  # once more: what is said stays
    sync_api.expect(form).to_have_value("mm/dd/yyyy")
    page.get_by_role("checkbox", name="quarter").click()
    use.click()
    page.get_by_text("dates by month, quarter, year, written mm/dd/yyyy").first.wait_for()
