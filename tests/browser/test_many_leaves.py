"""Hierarchies of many leaves: a page is sent no more for them, and does not wait for them either."""

from __future__ import annotations

import pytest

pytest.importorskip("nicegui", reason="the pages need the extra web")
pytest.importorskip("playwright.sync_api", reason="tests in a browser need Playwright")

FEW, MANY = 200, 6000


def study(page, origin: str, leaves: int) -> str:
    """A study with a column of so many values, each in a group of ten; return its key."""
    rows = "\n".join(f"v{i:06d},{'abcdef'[i % 6]}" for i in range(leaves))
    made = page.request.post(f"{origin}/api/studies?name=x.csv", data=f"code,ill\n{rows}".encode())
    path = f"{origin}/api/studies/{made.json()['id']}"
    tree = "\n".join(f"v{i:06d};g{i // 10};h{i // 100};*" for i in range(leaves))
    assert page.request.put(f"{path}/hierarchy?column=code", data={"text": tree}).ok
    roles = {"code": ["quasi"], "ill": ["sensitive"]}
    assert page.request.put(f"{path}/roles", data={"roles": roles}).ok
    return made.json()["id"]


def test_what_a_page_is_sent_does_not_grow_with_the_leaves(open_page, link):
    page, origin = open_page(), link.partition("/?")[0]
    sent = [0]
    page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(len(frame)))
    )
    told = {}
    for leaves in (FEW, MANY):
        key = study(page, origin, leaves)
        for step, ready in (("optimize", "Find the best"), ("hierarchies", "Rename")):
            sent.clear()
            answer = page.goto(f"{origin}/{step}?study={key}")
            page.get_by_role("button", name=ready).wait_for()
            page.wait_for_timeout(300)
            elements = page.evaluate("document.querySelectorAll('*').length")
            told[step, leaves] = len(answer.body()) + sum(sent), elements
    # An outline folds what is too long to show, so that there is a most that it is sent.
    for step, most in (("optimize", 1.1), ("hierarchies", 3)):
        (few, few_elements), (many, many_elements) = told[step, FEW], told[step, MANY]
        assert many < most * few, told
        assert many_elements < most * few_elements, told
