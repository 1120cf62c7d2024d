"""Labels of a file of SPSS on the pages."""

from __future__ import annotations

import pytest

from tests.release.test_labelled_release import survey

from .conftest import PATIENCE, go, serving

pytest.importorskip("nicegui", reason="the pages need the extra web")
pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright")

STUDY = """\
table: survey.sav
attributes:
  sex: {role: quasi, hierarchy: {"*": ["1", "2", "3"]}}
  ill: {role: sensitive}
"""


def test_people_see_labels_beside_codes_and_edit_by_codes(browser, tmp_path):
    survey(tmp_path / "survey.sav")
    (tmp_path / "study.yaml").write_text(STUDY)
    with serving(str(tmp_path / "study.yaml")) as link:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.goto(link)
        page.get_by_role("button", name="Open study.yaml").click()
        page.wait_for_url("**/table?study=*")
        go(page, "Roles")
        page.get_by_text("Sex of person").first.wait_for()
        page.get_by_text("such as 1 (Male), 2 (Female)").wait_for()
        go(page, "Hierarchies")
        page.get_by_role("treeitem", name="1 (Male)").click()
        page.get_by_role("treeitem", name="2 (Female)").click()
        page.get_by_text("2 chosen").wait_for()
        page.get_by_role("toolbar", name="Edits").get_by_role("button", name="Group").click()
        page.get_by_role("dialog").get_by_role("textbox").fill("both")
        page.get_by_role("dialog").get_by_role("button", name="Group").click()
        page.get_by_role("treeitem", name="both").wait_for()
        page.get_by_role("treeitem", name="1 (Male)").wait_for()
        page.close()
