"""Reads pages as a browser or a screen reader would, and makes facts of every kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from typing import Any

from hypothesis import strategies as st

from shoal.present.report.html import render_report
from tests.present.sample_facts import facts

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """What is on a page; it refuses tags that do not match."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: Counter[tuple[str, str]] = Counter()
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute stands twice in {tag}"
        self.tags.append((tag, dict(attrs)))
        for outer in set(self.open):
            self.inside[outer, tag] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"{tag} was never opened"
        assert self.open[-1] == tag, f"{tag} closes {self.open[-1]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        """Everything that is read on the page."""
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of every such tag."""
        return [attrs for name, attrs in self.tags if name == tag]


@cache
def text_of(page: str) -> str:
    """Return everything that is read on a page; many pages are alike."""
    return Page(page).text


def internal(given: dict[str, Any]) -> Page:
    return Page(render_report(given, public=False))


def public(given: dict[str, Any]) -> Page:
    return Page(render_report(given, public=True))


def paths(given: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every part of the facts; of long lists to the first part."""
    if isinstance(given, dict):
        for name, inner in given.items():
            yield (*before, name)
            yield from paths(inner, (*before, name))
    elif isinstance(given, list) and given:
        yield (*before, 0)
        yield from paths(given[0], (*before, 0))


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(sorted({str(name) for path in paths(facts()) for name in path})), inner
        )
    ),
    max_leaves=12,
)
