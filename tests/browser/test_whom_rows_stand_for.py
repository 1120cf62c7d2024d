"""Persons, households and samples through the real page: said, seen in the risk, and kept by the release."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest

from .conftest import go, table_cells

pytest.importorskip("nicegui", reason="the pages need the extra web")
sync_api = pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright")

VISITS = "patient_id,age,sex,ill\n" + "".join(
    f"P{n % 30},{20 + 10 * (n % 3)},{'fm'[n % 2]},{('flu', 'cold', 'gout')[n // 30]}\n"
    for n in range(75)
)
HOMES = "home,age,sex,weight,ill\n" + "".join(
    f"h{n // 2},{20 + 10 * (n // 2 % 3 if n < 58 else 0)},{'fm'[n % 2 if n < 59 else 0]},50,flu\n"
    for n in range(60)
)


def open_table(page, link, text, quasi, others):
    """Open a study of a table with these roles; the page shows its roles."""
    origin = link.partition("/?")[0]
    made = page.request.post(f"{origin}/api/studies?name=table.csv", data=text.encode())
    assert made.status == 201, made.text()
    path = f"{origin}/api/studies/{made.json()['id']}"
    roles = {name: ["quasi"] for name in quasi} | others
    assert page.request.put(f"{path}/roles", data={"roles": roles}).ok
    page.goto(f"{origin}/roles?study={made.json()['id']}")
    page.get_by_role("heading", name="Whom do the rows stand for?").wait_for()
    return path


def choose(page, label, option):
    page.evaluate("document.querySelectorAll('.units details').forEach(each => (each.open = true))")
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def said(page, words):
    page.locator(".q-notification__message", has_text=words).first.wait_for()


def pin(page, path, k):
    answer = page.request.post(f"{path}/negotiate", data={"k": k, "max_suppressed": "60%"}).json()
    pinned = page.request.post(f"{path}/pins", data={"solution": answer["exact"], "title": f"k = {k}"})
    assert pinned.ok, pinned.text()


def release(page) -> dict[str, str]:
    """Make the release, read its warnings, and return the texts in its two downloads."""
    page.get_by_role("button", name="Make the release").click()
    page.get_by_text("Written and verified.").first.wait_for()
    for box in page.get_by_role("checkbox", name="I have read").all():
        box.click()
    files = {}
    for part in ("the public", "you alone"):
        with page.expect_download() as got:
            page.get_by_role("link", name=f"Download for {part}").click()
        packed = zipfile.ZipFile(io.BytesIO(Path(got.value.path()).read_bytes()))
        files |= {name: packed.read(name).decode() for name in packed.namelist()}
    return files


def test_persons_are_proposed_counted_and_named_anew(page, link):
    path = open_table(page, link, VISITS, ("age", "sex"), {"ill": ["sensitive"]})
    page.get_by_text("Proposed: patient_id, since 30 persons seem to have 75 rows.").wait_for()
    go(page, "Risk today")
    page.get_by_text("have 75 rows").wait_for()
    assert table_cells(page, "Rows by class size")[3][0] == "5 to 9"
    assert table_cells(page, "Rows by class size")[3][2] == "75"  # six classes of five persons each
    go(page, "Roles")
    page.get_by_role("button", name="Clear").first.click()
    said(page, "Every row is a person again.")
    choose(page, "Rows are about one person if they agree in", "patient_id")
    page.keyboard.press("Escape")
    said(page, "Persons are told by patient_id.")
    pin(page, path, 5)
    go(page, "Release")
    choose(page, "Pseudonyms of persons", "fresh: other names in every release")
    files = release(page)
    rows = list(csv.DictReader(io.StringIO(files["anonymized.csv"])))
    assert len({row["person"] for row in rows}) == 30
    assert "patient_id" not in rows[0]


def test_households_and_weights_are_said_and_seen_and_households_go_whole(page, link):
    others = {"ill": ["sensitive"], "weight": ["insensitive"]}
    path = open_table(page, link, HOMES, ("age", "sex"), others)
    choose(page, "Rows live together if they agree in", "home")
    said(page, "Households are told by home.")
    choose(
        page, "How was the table drawn?", "A sample: a column says how many persons each row stands for"
    )
    choose(page, "The column of the weights", "weight")
    said(page, "The table is a sample: the column of the weights weight.")
    go(page, "Risk today")
    page.get_by_role("heading", name="And with their households?").wait_for()
    page.get_by_text("The table stands for 3,000 persons").wait_for()
    # The values of the riskiest rows are seen when somebody asks for them, and not before.
    hidden = table_cells(page, "The riskiest rows")
    assert {cell for row in hidden for cell in row[3:]} == {"•••"}
    page.get_by_role("button", name="Show the values").click()
    page.get_by_role("button", name="Hide the values").wait_for()
    sync_api.expect(page.get_by_role("table", name="The riskiest rows")).not_to_contain_text("•••")
    assert {row[3] for row in table_cells(page, "The riskiest rows")} <= {"20", "30", "40"}
    pin(page, path, 2)
    go(page, "Release")
    page.get_by_label("Households alike, at least").fill("2")
    files = release(page)
    page.get_by_text("Households suppressed").wait_for()
    # One household has two women of 20, as no other has.
    assert '"k": 2' in files["anonymized.csv.record.json"].partition('"households"')[2][:80]
    assert len(files["anonymized.csv"].splitlines()) == 1 + 58


def test_proposed_households_and_weights_are_filled_in(page, link):
    table = "household_id,age,sex,sample_weight,ill\n" + "".join(
        f"h{n // 2},{20 + n % 30},{'fm'[n % 2]},{400 + n}.5,flu\n" for n in range(60)
    )
    open_table(page, link, table, ("age", "sex"), {"ill": ["sensitive"]})
    page.get_by_text("Proposed: household_id, since its 30 values seem to be households.").wait_for()
    page.get_by_text("Proposed: sample_weight, which seems to weigh the rows of a sample.").wait_for()
    homes = page.get_by_label("Rows live together if they agree in", exact=True)
    sync_api.expect(homes).to_have_value("household_id")
    weights = page.get_by_label("The column of the weights", exact=True)
    sync_api.expect(weights).to_have_value("sample_weight")
    choose(page, "How was the table drawn?", "Nothing is known, or everybody is in the table")
    said(page, "The table is no longer taken for a sample.")
