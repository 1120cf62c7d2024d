"""A study explored from Python: handed over as it is, shown to one notebook alone, and given back."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

import duckdb
import httpx
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.answers.negotiation import Offer
from shoal.describe.places import Place
from shoal.errors import InputError, MissingExtraError, NotYetError
from shoal.web.notebook import exploring as room
from shoal.web.notebook import pages_process
from shoal.web.notebook.handed_over import edited, hand_over
from shoal.web.notebook.notebook_origins import origins_told
from shoal.web.server.listening import ListeningPlace
from shoal.web.server.server_limits import Limits
from tests.web.conftest import SMALL, run_server

NOTEBOOK = "http://localhost:9999"
TABLE = pa.table(
    {
        "age": [20 + i % 12 for i in range(60)],
        "sex": ["f" if i % 2 else None for i in range(60)],
        "illness": [f"ill {i % 5}" for i in range(60)],
        "note": [f"n{i}" for i in range(60)],
    }
)
ROLES: dict[str, Any] = {
    "quasi": {"age": {"intervals": {"widths": [3, 6]}}, "sex": {"*": ["f", "m"]}},
    "sensitive": "illness",
    "levels": {"age": (1, 2)},
    "weights": {"age": 2},
}


def of_file(folder: Path) -> Path:
    parquet.write_table(TABLE, folder / "ages.parquet")
    return folder / "ages.parquet"


def of_place(folder: Path) -> Place:
    with duckdb.connect(str(folder / "ages.duckdb")) as opened:
        opened.from_arrow(TABLE).create("ages")
    return Place("duckdb", "ages", str(folder / "ages.duckdb"))


TABLES = {
    "arrow": lambda _: TABLE,
    "pandas": lambda _: TABLE.to_pandas(),
    "polars": lambda _: pl.from_arrow(TABLE),
    "relation": lambda _: duckdb.from_arrow(TABLE),
    "file": of_file,
    "place": of_place,
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_study_of_any_table_is_handed_over_as_it_is(kind: str, tmp_path: Path) -> None:
    with shoal.Study(TABLES[kind](tmp_path), population=TABLE, **ROLES) as study:
        mark = study.found_on("illness")
        if kind == "place":  # one process at a time writes to such a file
            study.close()
        work = hand_over(study, tmp_path, Limits())
        assert work.bench.study().found_on("illness") == mark
        there, given = work.bench.specification(), study.specification
        assert there.population is not None
        for name, attribute in given.attributes.items():
            found = there.attributes[name]
            assert (found.roles, found.min_level, found.max_level, found.weight) == (
                attribute.roles,
                attribute.min_level,
                attribute.max_level,
                attribute.weight,
            )
        again = edited(work, given)
        assert again.table is given.table
        assert again.population is given.population
        work.close()


def test_what_other_processes_cannot_open_is_refused(tmp_path: Path) -> None:
    study = shoal.Study(TABLE, **ROLES)
    object.__setattr__(study.specification, "table", object())
    with pytest.raises(InputError, match="write this table to a Parquet file"):
        hand_over(study, tmp_path, Limits())


@pytest.fixture(scope="module")
def exploring():
    """A study of a frame in memory, open in the pages, for a notebook at one origin.

    The pages end with whoever began them, and leave nothing behind: a kernel that is killed closes its pipes,
    and nothing else is needed.
    """
    with shoal.Study(TABLE.to_pandas(), **ROLES) as study:
        explored = study.explore(notebook=NOTEBOOK)
        home = explored._folder.path
        assert home.stat().st_mode & 0o077 == 0
        yield study, explored
        explored._process._running.stdin.close()
        assert explored._process._running.wait(60) == 0
        assert not home.exists()
        assert repr(explored) == "<Exploring: closed>"
        with pytest.raises(InputError, match="the pages are closed"):
            _ = explored.chosen
        with pytest.raises(InputError, match="the pages are closed"):
            explored.close()


@pytest.fixture
def browser(exploring):
    """Somebody who has opened the link."""
    with httpx.Client(timeout=60, base_url=f"http://localhost:{exploring[1].port}") as client:
        assert client.get(exploring[1].url).status_code == 303
        yield client


def study_at(browser: httpx.Client) -> str:
    (one,) = browser.get("/api/studies").json()["studies"]
    return f"/api/studies/{one['id']}"


def test_nothing_is_chosen_until_somebody_chooses_and_then_it_can_be_released(
    exploring, browser
) -> None:
    study, explored = exploring
    with pytest.raises(NotYetError, match="nothing is chosen"):
        _ = explored.chosen
    assert "Nothing is chosen" in explored._repr_html_()
    place = study_at(browser)
    answer = browser.post(f"{place}/negotiate", json={"k": 4, "max_suppressed": 10}).json()
    assert browser.post(f"{place}/pins", json={"solution": answer, "title": "mine"}).status_code == 201
    assert isinstance(explored.chosen, Offer)
    assert explored.chosen == study.negotiate(k=4, max_suppressed=10).exact
    assert explored.pinned == {"mine": explored.chosen}
    assert explored.study is study
    assert "Chosen in the pages" in explored._repr_html_()
    assert study.release(explored.chosen).decision.promise.k == 4


def test_the_study_comes_back_as_it_was_edited_there(exploring, browser) -> None:
    study, explored = exploring
    place = study_at(browser)
    assert browser.put(f"{place}/roles", json={"roles": {"note": ["insensitive"]}}).status_code == 200
    assert explored.study.specification.attributes["note"].released
    assert explored.study.specification.table is study.specification.table
    assert "note" not in study.specification.attributes
    browser.post(f"{place}/undo")
    assert explored.study is study


def test_only_the_notebooks_page_may_show_it_in_a_frame(exploring, browser) -> None:
    page = browser.get("/")
    assert page.status_code == 200
    assert page.headers["content-security-policy"].endswith(f"frame-ancestors {NOTEBOOK}")
    assert "x-frame-options" not in page.headers
    assert "frame-ancestors 'none'" in browser.get("/api/studies").headers["content-security-policy"]


def test_a_link_lets_one_in_and_its_token_is_in_no_command_line(exploring) -> None:
    _, explored = exploring
    link = explored.url
    with httpx.Client(timeout=60) as first, httpx.Client(timeout=60) as thief:
        assert thief.get(link.partition("?")[0]).status_code == 401
        assert first.get(link).status_code == 303
        assert thief.get(link).status_code == 403
        assert thief.get(f"{link.partition('=')[0]}=x").status_code == 403
    assert link.partition("=")[2] not in " ".join(explored._process._running.args)


def test_other_pages_cannot_make_a_browser_ask_it(exploring, browser) -> None:
    place = study_at(browser)
    for headers in (
        {"origin": NOTEBOOK},
        {"origin": "http://evil.example"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
        {"host": "evil.example"},
    ):
        assert browser.get(place, headers=headers).status_code == 403, headers


def test_a_frame_leads_the_browser_to_the_host_by_which_it_knows_the_notebook(exploring) -> None:
    shown = exploring[1].frame(500)
    assert 'height="500"' in shown
    assert 'location.hostname === "127.0.0.1"' in shown
    assert NOTEBOOK not in shown


def test_outside_of_a_notebook_it_says_where_it_is(exploring) -> None:
    assert repr(exploring[1]).startswith(f"<Exploring: http://localhost:{exploring[1].port}/?token=")


def test_both_loopback_addresses_are_taken_so_that_nobody_else_waits_at_one() -> None:
    listening = pages_process.listen(None)
    try:
        port = listening[0].getsockname()[1]
        for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            with (
                socket.socket(family, socket.SOCK_STREAM) as other,
                pytest.raises(OSError, match="ddress"),
            ):
                other.bind((host, port))
        with pytest.raises(InputError, match=f"port {port}"):
            pages_process.listen(port)
    finally:
        for each in listening:
            each.close()


def test_what_is_no_origin_goes_into_no_header() -> None:
    for wrong in ("*", "localhost:8888", "http://a b", "http://a;script-src *", "http://a/path", ""):
        with pytest.raises(InputError, match="not the origin of a page"):
            ListeningPlace.of("127.0.0.1", 1, framed_by=[wrong])
    assert ListeningPlace.of("127.0.0.1", 1, framed_by=["HTTP://Localhost:1/"]).framed_by == (
        "http://localhost:1",
    )


def test_a_link_leads_to_the_session_that_it_was_made_for(tmp_path: Path) -> None:
    for server in run_server(SMALL, tmp_path, framed_by=[NOTEBOOK]):
        session = server.sessions.open()
        with server.stranger() as one, server.stranger() as other:
            for client in (one, other):
                led = client.get("/", params={"token": server.sessions.once(session)})
                assert led.cookies[server.place.cookie] == session.key
            third = server.stranger()
            assert third.get("/", params={"token": server.sessions.once()}).status_code == 303
            assert third.cookies[server.place.cookie] != session.key
            third.close()
            token = server.sessions.once(session)
            server.sessions.end(session)
            fresh = server.stranger()
            led = fresh.get("/", params={"token": token})
            assert led.cookies[server.place.cookie] != session.key
            fresh.close()


def test_the_notebooks_origins_are_those_of_the_server_of_its_kernel(tmp_path: Path) -> None:
    def tell(name: str, url: str) -> None:
        (tmp_path / name).write_text(json.dumps({"url": url}))

    tell("jpserver-7.json", "http://localhost:8899/lab")
    tell("jpserver-8.json", "http://hub.example:8888/")
    tell("jpserver-9.json", "https://localhost:8888/")
    tell("nbserver-10.json", "http://127.0.0.1:8001/")
    (tmp_path / "jpserver-11.json").write_text("damaged")
    assert origins_told(tmp_path, "7") == ("http://localhost:8899", "http://127.0.0.1:8899")
    assert origins_told(tmp_path, "10") == ("http://localhost:8001", "http://127.0.0.1:8001")
    for server in ("8", "9", "11", "12"):
        assert origins_told(tmp_path, server) == ()


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "find_spec", lambda name: None if name == "nicegui" else sys)
    with shoal.Study(TABLE, **ROLES) as study, pytest.raises(MissingExtraError, match=r"shoal\[web\]"):
        study.explore()
