"""What a release is still good for, through the real page."""

from __future__ import annotations

import pytest

from .conftest import fits, go, open_hospital, table_cells

pytest.importorskip("nicegui", reason="the pages need the extra web")
expect = pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright").expect


def test_a_release_is_measured_and_shown_at_every_width(page, link, accessible):
    open_hospital(page, link, rows=300)
    go(page, "Use")
    page.get_by_text("There is no release of this study yet").wait_for()
    accessible(page)
    path = f"{link.partition('/?')[0]}/api/studies/{page.url.partition('study=')[2]}"
    found = page.request.post(f"{path}/anonymize?wait=60", data={"algorithm": "flash", "k": 5}).json()
    assert page.request.post(f"{path}/release?wait=60", data={"solution": found}).ok
    page.reload()
    page.get_by_role("heading", name="Who loses most?").wait_for()
    for title in ("In short", "How much moved?", "Means", "Pairs of columns", "Predictions"):
        page.get_by_role("heading", name=title).wait_for()
    page.get_by_text("Your own models and indicators").click()
    models = page.get_by_label("Models, one a line")
    models.fill("outcome ~ aged")
    measure = page.get_by_role("button", name="Measure these too")
    measure.click()
    page.get_by_text("which is no column of both tables").wait_for()
    models.fill("age ~ sex")
    sql = b"-- Oldest\nSELECT max(age_high) AS oldest FROM data"
    page.locator("input[type=file]").set_input_files(
        {"name": "mine.sql", "mimeType": "text/plain", "buffer": sql}
    )
    expect(page.get_by_label("Indicators, in SQL")).to_have_value(sql.decode())
    measure.click()
    page.get_by_role("heading", name="age ~ sex").wait_for()
    assert table_cells(page, "Oldest")[0][0] == "oldest"
    page.reload()
    page.get_by_role("heading", name="Oldest").wait_for()
    page.get_by_label("Indicators, in SQL").fill("SELECT * FROM read_csv('/etc/passwd')")
    measure.click()
    page.get_by_text("file system operations are disabled").wait_for()
    page.get_by_role("heading", name="Oldest").wait_for()
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".q-notification")).to_have_count(0)  # what fades has no contrast of its own
    page.locator("details summary").filter(has_text="moved").first.click()
    fits(page)
    page.set_viewport_size({"width": 390, "height": 900})
    accessible(page)
