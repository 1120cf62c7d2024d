"""The report is one whole, safe and readable page, and its public version tells no secret."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.present.charts.grid import LIGHT_INK_FROM
from shoal.present.colours import COLOURS
from shoal.present.report.html import render_report
from tests.examples import examples
from tests.present.page import JUNK, Page, internal, paths, public, text_of
from tests.present.sample_facts import cut_facts, facts

HOSTILE = """<script>alert("x")</script><img src=x onerror='y'>&{{ 7 * 7 }}</table></svg>"""

both_kinds = pytest.mark.parametrize("public", [False, True], ids=["internal", "public"])


@pytest.mark.parametrize("make", [facts, cut_facts])
@both_kinds
def test_a_page_is_whole_and_refers_to_nothing_outside(make: Callable[[], Any], public: bool) -> None:
    page = render_report(make(), public=public)
    parsed = Page(page)
    assert page.startswith("<!DOCTYPE html>")
    assert set(re.findall(r"[a-z]+://[^\s\"'<]*", page)) <= {"http://www.w3.org/2000/svg"}
    assert not {"script", "link", "img", "iframe", "object", "base"} & {tag for tag, _ in parsed.tags}
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", page))
    assert "@import" not in page
    for tag, attrs in parsed.tags:
        assert not any(name.startswith("on") or name in {"src", "style"} for name in attrs), tag


@both_kinds
def test_identifiers_are_unique_and_references_lead_somewhere(public: bool) -> None:
    page = Page(render_report(facts(), public=public))
    ids = Counter(attrs["id"] for _, attrs in page.tags if "id" in attrs)
    assert max(ids.values()) == 1
    for _, attrs in page.tags:
        for name in (attrs.get("aria-labelledby") or "").split():
            assert name in ids
        if (attrs.get("href") or "#").removeprefix("#"):
            assert (attrs["href"] or "").removeprefix("#") in ids


@both_kinds
def test_a_screen_reader_finds_its_way(public: bool) -> None:
    page = Page(render_report(facts(), public=public))
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("main")) == len(page.all("header")) == len(page.all("footer")) == 1
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(page.all("caption")) == len(page.all("table")) > 0
    assert all(attrs.get("scope") in {"row", "col"} for attrs in page.all("th"))
    for name in ("title", "desc"):
        assert page.inside["svg", name] >= len(
            [svg for svg in page.all("svg") if "picture" in (svg.get("class") or "")]
        )
    assert page.inside["svg", "title"] == len(page.all("svg"))
    assert all(svg["role"] == "img" and svg["aria-labelledby"] for svg in page.all("svg"))


def test_every_chart_has_its_figures_in_a_table_beside_it() -> None:
    page = internal(facts())
    charts = [svg for svg in page.all("svg") if "picture" in (svg.get("class") or "")]
    beside = [details for details in page.all("details") if details.get("class") == "data"]
    assert len(page.all("figure")) == len(beside) == 5
    assert len(charts) == 2 * len(beside), "each chart is drawn for wide and for narrow screens"


def test_the_internal_page_says_everything() -> None:
    text = internal(facts()).text
    for said in (
        "Internal: do not publish",
        "Of 45,222 rows, 43,433 were released (96%); 1,789 (4%) were suppressed.",
        "1 column was not released: age-band.",
        "Every group has at least 10 rows (k = 10). the smallest has 16 ✓ kept",
        "It is proven that no other choice of this kind",
        "chosen: k = 16, 25.3% lost",
        "Rows that are unique 9,892 0",
        "age + education + native-country 2,232",
        "marital-status 45.5%",
        "--source STUDY --report attacks.html",
        "was HS-grad →\xa0 now Secondary education".replace("\xa0", ""),
        "3 of 4 74 → 5 0-19, 20-39, 40-59, 60-79 and 80-99",
        "Rows with workclass = Without-pay were suppressed most often: 100% of them, against 4% of all rows.",
        "The release keeps 76% of what the tree could learn.",
        "seed 8274419306618",
    ):
        assert said in text, said


def test_warnings_come_first_the_worst_of_them_before_the_others() -> None:
    given = facts()
    given["measured"]["k"] = 9
    text = internal(given).text
    places = [
        text.index(said)
        for said in (
            "A promise is not kept. Every group has at least 10 rows",
            "In 3 groups",
            "The release is",
            "has 96",
        )
    ]
    assert places == sorted(places)
    assert places[-1] < text.index("What was done", text.index("Warnings"))
    assert "✗ not kept" in text
    assert "✗ not kept" in public(given).text
    assert "nothing to warn about" in internal(given | {"warnings": [], "measured": None}).text


def test_a_cut_that_is_not_proven_best_says_so() -> None:
    text = internal(cut_facts()).text
    assert (
        "No choice of this kind can cost less than 77,121.4: a gap of at most 3.6% of what it costs. It "
        "is not proven to be the best." in text
    )
    assert "the release loses 25.3% of all detail." in text
    assert "2,671 sensitive values were suppressed." in text
    assert "chosen by branch" in text
    assert "was Adm-clerical → now (missing)" in text
    assert "proven smallest" not in text


def test_where_nothing_was_suppressed_the_page_says_so() -> None:
    rows = {"original": 45222, "released": 45222, "suppressed": 0}
    text = internal(facts() | {"rows": rows}).text
    assert "Nothing was suppressed: coarser values alone keep the promise." in text
    assert "Of 45,222 rows, 45,222 were released (100%)." in text
    assert "suppressed whole" not in text


def test_changed_cells_are_marked_by_words_and_signs() -> None:
    page = render_report(facts(), public=False)
    given = facts()["samples"]
    changed = sum(
        old != new
        for before, after in zip(given["before"], given["after"], strict=True)
        for old, new in zip(before, after, strict=True)
    )
    assert page.count("<ins") == page.count("<del>") == page.count("→&nbsp;") == changed
    assert "suppressed" in internal(facts() | {"samples": given | {"after": [None] * 6}}).text


def test_a_limit_for_one_value_is_judged_only_where_the_figures_prove_it() -> None:
    given = facts()
    text = internal(given).text
    assert (
        "The value Armed-Forces of occupation makes up at most 10% of a group. not among these figures"
        in text
    )
    given["promise"]["theta"]["occupation"] = {"uniform": "1/2", "values": {}}
    assert "No value of occupation makes up more than 1/2 (50%) of a group." in internal(given).text
    assert "✗ not kept" in internal(given).text


@both_kinds
def test_hostile_names_and_values_stay_text(public: bool) -> None:
    plain = json.dumps(facts(), ensure_ascii=False)
    for word in (
        "adult-release",
        "age-band",
        "occupation",
        "Armed-Forces",
        "education",
        "White",
        "Private",
        "0-19",
        "Male",
    ):
        plain = plain.replace(word, word[:3] + json.dumps(HOSTILE)[1:-1])
    plain = plain.replace("2026-11-15", json.dumps(HOSTILE)[1:-1]).replace(
        "0.1.0", json.dumps(HOSTILE)[1:-1]
    )
    page = render_report(json.loads(plain), public=public)
    parsed, harmless = Page(page), Page(render_report(facts(), public=public))
    assert {tag for tag, _ in parsed.tags} == {tag for tag, _ in harmless.tags}
    assert Counter(tag for tag, _ in parsed.tags) == Counter(tag for tag, _ in harmless.tags)
    assert {name for _, attrs in parsed.tags for name in attrs} == {
        n for _, attrs in harmless.tags for n in attrs
    }
    assert HOSTILE in parsed.text
    assert "<script" not in page


@both_kinds
def test_signs_that_hide_or_reverse_text_are_written_out(public: bool) -> None:
    given = facts()
    given["columns"][0] = "a\x00b\u202ec\ud800\x1b"
    given["samples"]["columns"][0] = given["columns"][0]
    page = render_report(given, public=public)
    assert r"a\x00b\u202ec\ud800\x1b" in page
    assert page.encode("utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", page)


@pytest.mark.parametrize("path", list(paths(facts())), ids=lambda path: ".".join(map(str, path)))
def test_any_part_may_be_missing(path: tuple[Any, ...]) -> None:
    for drop in (False, True):
        given = copy.deepcopy(facts())
        inner: Any = given
        for name in path[:-1]:
            inner = inner[name]
        if drop:
            del inner[path[-1]]
        else:
            inner[path[-1]] = None
        for kind in (False, True):
            text = text_of(render_report(given, public=kind))
            assert not re.search(r"\bNone\b|\bnan\b|Undefined", text)


@both_kinds
def test_nothing_at_all_still_makes_a_page(public: bool) -> None:
    assert Page(render_report({}, public=public)).all("h1")
    assert Page(render_report(dict.fromkeys(facts()), public=public)).all("h1")


@settings(max_examples=examples(150))
@given(st.dictionaries(st.sampled_from(sorted(facts())), JUNK), st.booleans())
def test_no_facts_break_a_page(given: dict[str, Any], public: bool) -> None:
    Page(render_report(given, public=public))


def test_importing_the_report_imports_neither_matplotlib_nor_jinja2() -> None:
    heavy = "{'jinja2', 'matplotlib', 'numpy'}"
    code = f"import sys, shoal.present.report.html; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("dark", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_its_ground(dark: int) -> None:
    colours = {name: both[dark][:7] for name, both in COLOURS.items()}
    for ink in ("ink", "quiet", "accent"):
        for ground in ("ground", "paper", "sunk", "accent-soft"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for ink in ("mark", "identifying", "quasi", "sensitive", "class", "insensitive"):
        assert contrast(colours[ink], colours["paper"]) >= 4.5, ink
    for tone in ("bad", "warn", "good"):
        for ink in (tone, "ink"):
            assert contrast(colours[ink], colours[f"{tone}-soft"]) >= 4.5, tone
    for drawn in ("line-strong", *(f"c{i}" for i in range(6))):
        assert contrast(colours[drawn], colours["paper"]) >= 3, drawn
    assert contrast(colours["on-accent"], colours["accent"]) >= 4.5
    for i in range(7):
        ink = "#ffffff" if i >= LIGHT_INK_FROM else "#15232b"
        assert contrast(ink, colours[f"s{i}"]) >= 4.5, i


def test_the_page_has_its_colours_light_dark_and_in_print() -> None:
    page = render_report(facts(), public=False)
    for dark in (0, 1):
        assert f"--accent: {COLOURS['accent'][dark]};" in page
    assert page.count(f"--accent: {COLOURS['accent'][0]};") == 2, "once for the screen, once for paper"
    used = set(re.findall(r"var\(--([\w-]+)\)", page))
    assert used - {"tone", "tone-soft"} <= set(COLOURS)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_trade_off_says_what_its_points_suppress() -> None:
    given = facts()
    for suppression, words in {
        "up-to": "the table (every amount of suppression up to 452 rows) that no other beats",
        "fill": "(every node suppressing as much as it may of 452 rows, as in the POkA paper)",
        None: "generalize the table that no other beats",  # records of before
    }.items():
        given["frontier"]["suppression"] = suppression
        assert words in render_report(given, public=False)


def test_the_curator_reads_who_stood_out_and_what_households_add() -> None:
    given = facts()
    page = text_of(render_report(given, public=False))
    assert "What made 5,710 rows unique by at most 3 columns" in page
    assert "native-country Laos 5%" in page
    assert "20,000 households before and 19,000 households after" in page
    secret = text_of(render_report(given, public=True))
    assert "Laos" not in secret
    assert "households" not in secret
