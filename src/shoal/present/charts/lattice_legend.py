"""The legend of the lattice."""

from __future__ import annotations

from shoal.present.charts.lattice_chart import SHADES, shade_words
from shoal.present.charts.svg import element, text


def legend(*, small: bool) -> str:
    """Return the legend as HTML: the shapes of nodes or parts of bars, and the shades of suppressed rows."""
    shapes = _NODES if small else _PARTS
    marks = [
        *shapes,
        ("the answer", '<path d="M9 1l6 6l-6 6l-6-6z" class="answer"/>'),
        ("visited", '<path d="M9 7h0" class="visits"/>'),
        (
            "suggestions: S suppress more, H coarser, P less privacy",
            '<g class="suggested"><circle cx="9" cy="7" r="6.5"/></g>',
        ),
    ]
    shades = [
        (f"{shade_words(shade)}", f'<rect x="1" y="1" width="16" height="12" class="s{shade}"/>')
        for shade in range(len(SHADES) + 1)
    ]
    return _list("Shapes", marks) + _list("Rows suppressed", shades)


_NODES = [
    ("meets the request", '<rect x="2" y="1" width="14" height="12" rx="3" class="node meets s2"/>'),
    ("within the heights", '<circle cx="9" cy="7" r="5.5" class="node within s2"/>'),
    ("beyond them", '<circle cx="9" cy="7" r="3" class="node beyond s2"/>'),
]
_PARTS = [
    ("meet the request", '<rect x="1" y="2" width="16" height="10" class="part meets s2"/>'),
    ("within the heights", '<rect x="1" y="4.5" width="16" height="5" class="part within s2"/>'),
    ("beyond them", '<rect x="1" y="6" width="16" height="2" class="part beyond s2"/>'),
]


def _list(name: str, items: list[tuple[str, str]]) -> str:
    entries = "".join(
        f'<li><svg viewBox="0 0 18 14" class="lattice" aria-hidden="true">{mark}</svg>{text(words)}</li>'
        for words, mark in items
    )
    return element("ul", f"<li><b>{text(name)}</b></li>", entries, class_="legend", aria_label=name)
