"""The public page tells nothing but what everybody may know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.present.report.facts import public_facts
from shoal.present.report.html import render_report
from tests.examples import examples
from tests.present.page import JUNK, public
from tests.present.sample_facts import cut_facts, facts

PUBLIC_KEYS = ("file", "sha256", "made", "version", "columns", "roles", "promise", "measured")


def test_the_public_page_depends_on_nothing_internal() -> None:
    given = facts()
    page = render_report(given, public=True)
    assert page == render_report({name: given[name] for name in PUBLIC_KEYS}, public=True)
    assert page == render_report(cut_facts(), public=True)
    given["measured"]["loss"] = given["promise"]["seed"] = 4711
    given["measured"]["sensitive"]["occupation"]["value"] = "Prof-specialty"
    given["roles"]["salary-class"] = ["insensitive"]
    given["roles"]["secret-column"] = ["quasi"]
    assert page == render_report(given, public=True)


@settings(max_examples=examples(50))
@given(st.dictionaries(st.sampled_from(sorted(set(facts()) - set(PUBLIC_KEYS))), JUNK))
def test_no_internal_facts_whatever_change_the_public_page(internal: dict[str, Any]) -> None:
    assert render_report(facts() | internal, public=True) == render_report(facts(), public=True)


def leaves(given: Any) -> Iterator[Any]:
    if isinstance(given, dict | list):
        for inner in given.values() if isinstance(given, dict) else given:
            yield from leaves(inner)
    elif given is not None and not isinstance(given, bool):
        yield given


def test_no_internal_value_or_word_is_on_the_public_page() -> None:
    given = facts()
    allowed = {str(value) for value in leaves(public_facts(given))} | set(given["columns"])
    text, fixed = public(given).text, public({}).text
    secrets = {
        value
        for value in leaves({n: given[n] for n in given if n not in PUBLIC_KEYS})
        if str(value) not in allowed
    }
    assert len(secrets) > 200
    for value in secrets:
        shown = {str(value)}
        if isinstance(value, int | float):
            shown |= {f"{value:,}", f"{value:,.0f}", f"{value:,.1f}"} | (
                {f"{100 * value:.1f}%"} if value < 1 else set()
            )
        # What a page without facts says tells nothing; numbers of one or two digits are everywhere, and
        # the tests above cover them.
        for form in shown:
            if len(form) > 2 and form not in fixed:
                assert not re.search(rf"(?<![\w.,/-]){re.escape(form)}(?![\w/-]|[.,]\d)", text), form
    for word in (
        "loss", "lost", "optimal", "proven", "bound", "gap", "seed", "metric", "frontier", "certified",
        "minimal", "best", "allrec", "original", "unique", "before and after", "age-band",
    ):  # fmt: skip
        assert word not in text.lower(), word
    assert "suppressed" not in text


def test_a_file_name_cannot_become_an_option_or_a_second_command() -> None:
    assert "shoal verify ./-o.csv" in public(facts() | {"file": "-o.csv"}).text
    assert "shoal verify 'a; rm b.csv'" in public(facts() | {"file": "/home/ann/a; rm b.csv"}).text
    assert "ann" not in public(facts() | {"file": "/home/ann/out.csv"}).text
