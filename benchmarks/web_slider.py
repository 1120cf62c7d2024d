"""Claim: a slider moved on Adult's 3,600-node lattice changes the answer on the screen within 100 ms (p95).

The server is a process of its own, the browser a real one (Chromium, without a window), and the moves are
key presses and clicks on the slider as they come from a curator's hand. A move is timed inside the
page: from the slider's own event to the first moment after the frame in which the answer to it is painted;
and likewise to the frame that has the lattice of that answer.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.data import adult
from benchmarks.negotiation import ORDER
from benchmarks.runner import Options, SkipError, alone
from benchmarks.table import Result
from benchmarks.web import Client, adult_study, served

BY_THE_WALL = True
MOVES = 200
COLUMNS = ("what", "moves", "nodes", "answer p50 ms", "answer p95 ms", "answer p99 ms", "answer worst ms",
           "lattice p50 ms", "lattice p95 ms", "lattice p99 ms")  # fmt: skip

_WATCH = """
() => {
  const turn = () => Number(document.querySelector(".outcome h2").dataset.turn);
  const painted = (tell) => requestAnimationFrame(() => setTimeout(tell, 0));
  const drawing = () => document.querySelector(".picture.lattice").parentElement;
  window.moves = [];
  let current = null;
  document.addEventListener("input", () => {
    if (current === null) current = { start: performance.now(), turn: turn(), answer: null, lattice: null };
  }, true);
  const done = () => {
    if (current?.answer && current?.lattice) { window.moves.push(current); current = null; }
  };
  new MutationObserver(() => {
    const mine = current;
    if (mine && !mine.told && turn() > mine.turn) {
      mine.told = true;
      painted(() => { mine.answer = performance.now() - mine.start; done(); });
      // An answer that leaves the lattice as it is has nothing to draw.
      setTimeout(() => { if (!mine.drawn) { mine.lattice = mine.answer; done(); } }, 500);
    }
  }).observe(document.querySelector(".outcome"), { childList: true, subtree: true });
  new MutationObserver(() => {
    const mine = current;
    if (mine && !mine.drawn) {
      mine.drawn = true;
      painted(() => { mine.lattice = performance.now() - mine.start; done(); });
    }
  }).observe(drawing(), { childList: true, subtree: true });
}
"""


def run(options: Options) -> Result:
    if find_spec("playwright") is None:
        raise SkipError("it needs playwright; install it (pip install playwright)")
    names = ("chromium", "chromium-headless-shell")
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        raise SkipError("it needs chromium; install it, or name it in CHROMIUM")
    moves = 2 if options.quick else MOVES if options.full else MOVES // 4
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = adult_study(folder, ORDER[:3] if options.quick else ORDER)
        # A thread of its own: one thread has room for one Playwright, and who calls may have it.
        with served(file, folder) as (_, client), ThreadPoolExecutor(1) as apart:
            rows = apart.submit(_browse, chromium, client, moves).result()
    notes = [
        "a move counts once its answer is painted; the sliders are k, l, suppression and six heights",
        "an answer that differs only in how long it took counts as one, too: it is painted all the same",
        adult().source,
    ]
    return Result("A slider moved, the answer on the screen", rows, notes)


def _browse(chromium: str, client: Client, moves: int) -> list[dict[str, Any]]:
    """Open the negotiation in a browser, and move its sliders."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        origin = f"http://{client.address}"
        page.goto(f"{origin}/?token={client.token}")
        made = page.request.post(f"{origin}/api/studies/given", data={})
        assert made.status == 201, made.text()
        page.goto(f"{origin}/negotiate?study={made.json()['id']}")
        # What proves them stands behind details, and the whole lattice too, which is painted if open.
        page.get_by_text("none is missing, proven").wait_for(timeout=120_000, state="attached")
        told = page.get_by_text(re.compile(r"^[\d,]+ combinations of levels$")).first.inner_text()
        nodes = int("".join(re.findall(r"\d", told)))
        whole = page.get_by_text("All of them by height")
        if whole.count():  # a small lattice is drawn without
            whole.press("Enter")
        page.locator(".picture.lattice").wait_for()
        page.evaluate(_WATCH)
        rows = [{**row, "nodes": nodes} for row in (_keys(page, moves), _mouse(page, moves))]
        browser.close()
    return rows


def _keys(page: Any, moves: int) -> dict[str, Any]:
    """Move sliders by arrow keys, each at random up or down."""
    draw = random.Random(0)
    sliders = page.get_by_role("slider").all()
    before = page.evaluate("window.moves.length")
    for i in range(moves):
        slider = draw.choice(sliders)
        slider.focus()
        at, most = int(slider.input_value()), int(slider.get_attribute("max"))
        up = at == 0 or (at < most and draw.random() < 0.5)
        page.keyboard.press("ArrowRight" if up else "ArrowLeft")
        _settle(page, before + i + 1)
    return _row("arrow keys", page.evaluate("window.moves")[before:])


def _mouse(page: Any, moves: int) -> dict[str, Any]:
    """Click sliders at random places; every click is one move."""
    draw = random.Random(1)
    sliders = page.get_by_role("slider").all()
    before = page.evaluate("window.moves.length")
    made = 0
    while made < moves:
        slider = draw.choice(sliders)
        slider.scroll_into_view_if_needed()
        box, most = slider.bounding_box(), int(slider.get_attribute("max"))
        at = int(slider.input_value())
        to = draw.choice([place for place in range(most + 1) if place != at])
        page.mouse.move(box["x"] + 10 + (box["width"] - 20) * to / most, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.up()
        made += 1
        _settle(page, before + made)
    return _row("mouse", page.evaluate("window.moves")[before:])


def _settle(page: Any, count: int) -> None:
    """Wait for the answer to a move, and as long as a hand needs for the next."""
    page.wait_for_function("count => window.moves.length >= count", arg=count, timeout=10_000)
    page.wait_for_timeout(40)


def _row(what: str, moves: list[dict[str, float]]) -> dict[str, Any]:
    answers = [move["answer"] for move in moves]
    drawn = [move["lattice"] for move in moves]
    cuts, late = quantiles(answers, n=100), quantiles(drawn, n=100)
    numbers = (what, len(moves), None, cuts[49], cuts[94], cuts[98], max(answers),
               late[49], late[94], late[98])  # fmt: skip
    return dict(zip(COLUMNS, numbers, strict=True))


if __name__ == "__main__":
    alone(__file__)
