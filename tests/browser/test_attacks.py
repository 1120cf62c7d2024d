"""The step Attacks through the real page: nothing to attack, attacked, and shown again later."""

from __future__ import annotations

import pytest

from .conftest import fits

sync_api = pytest.importorskip("playwright.sync_api")


def released(page, link) -> str:
    """Release a small table over the API, and return the address of the step."""
    origin = link.partition("/?")[0]
    ills = ("flu", "hiv", "cold")
    rows = "".join(f"{20 + i % 20},{ills[i % 3] if i % 20 > 3 else 'gout'}\n" for i in range(120))
    found = page.request.post(f"{origin}/api/studies?name=ill.csv", data=f"age,ill\n{rows}".encode())
    key = found.json()["id"]
    path = f"{origin}/api/studies/{key}"
    assert page.request.put(f"{path}/roles", data={"roles": {"age": ["quasi"], "ill": ["sensitive"]}}).ok
    tree = {"description": {"intervals": {"origin": 0, "widths": [2, 10, 40]}}}
    assert page.request.put(f"{path}/hierarchy?column=age", data=tree).ok
    page.goto(f"{origin}/attacks?study={key}")
    page.get_by_text("Nothing is released yet").wait_for()
    best = page.request.post(f"{path}/optimize?wait=60", data={"k": 3}).json()
    assert page.request.post(f"{path}/release?wait=60", data={"solution": best}).ok
    return f"{origin}/attacks?study={key}"


def test_a_release_is_attacked_and_what_is_found_stays(page, link, accessible):
    page.goto(released(page, link))
    page.get_by_role("button", name="Attack the release").click()
    page.get_by_text("attacks tried.").wait_for(timeout=120_000)
    cells = page.get_by_role("region", name="Attacks on the release")
    sync_api.expect(cells).to_contain_text("A neighbour who knows a few things")
    sync_api.expect(cells).to_contain_text("homogeneity")
    page.get_by_role("img", name="Success of each attack beside its baseline").wait_for()
    accessible(page)
    page.reload()
    page.get_by_text("No promise is broken").wait_for()
    page.locator("summary", has_text="homogeneity").click()
    page.get_by_text("The value of ill is certain for").first.wait_for()
    fits(page)
    page.set_viewport_size({"width": 390, "height": 900})
    accessible(page)
