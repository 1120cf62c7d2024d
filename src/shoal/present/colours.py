"""All colours, light and dark: reports, pages, pictures and matplotlib take theirs from this table."""

from __future__ import annotations

import re

COLOURS = {
    "ground": ("#f6f8f9", "#0e161b"),
    "paper": ("#ffffff", "#162128"),
    "sunk": ("#eef2f4", "#1d2a32"),
    "line": ("#dbe2e6", "#2b3a43"),
    "line-strong": ("#74828f", "#7f909b"),
    "ink": ("#15232b", "#e8eff2"),
    "quiet": ("#52636e", "#a5b5be"),
    "shade": ("#15232b38", "#00000090"),
    "accent": ("#0b6477", "#6fd0e2"),
    "accent-soft": ("#e0f0f3", "#143742"),
    "on-accent": ("#ffffff", "#04222a"),
    # For what was chosen: a point, a reference.
    "mark": ("#a8480f", "#f2a566"),
    "bad": ("#a4262c", "#ff9d9d"),
    "bad-soft": ("#fbe9e9", "#3d1f22"),
    "warn": ("#7a4b00", "#f3c069"),
    "warn-soft": ("#fdf1dc", "#382a12"),
    "good": ("#1d6b3a", "#86d9a4"),
    "good-soft": ("#e2f3e8", "#14311f"),
    "identifying": ("#a4262c", "#ff9d9d"),
    "quasi": ("#7a4b00", "#f3c069"),
    "sensitive": ("#6b3fa0", "#cfb0ff"),
    "class": ("#1f5fa8", "#8fc1ff"),
    "insensitive": ("#1d6b3a", "#86d9a4"),
    "undecided": ("#4a5560", "#b9c4cc"),
    # Shades of one hue, from little to much.
    "s0": ("#d7efe9", "#e3faf4"),
    "s1": ("#b3dedd", "#b6e6e2"),
    "s2": ("#82c3cd", "#84c9cf"),
    "s3": ("#4f9fb5", "#58a4b3"),
    "s4": ("#2f7697", "#37778d"),
    "s5": ("#274f77", "#33597a"),
    "s6": ("#2a2a4d", "#3d3d6b"),
    # For different curves and kinds, which also have different marks.
    "c0": ("#0b6477", "#6fd0e2"),
    "c1": ("#c2571a", "#f2a566"),
    "c2": ("#3f7d3a", "#86d9a4"),
    "c3": ("#6b3fa0", "#cfb0ff"),
    "c4": ("#8a6a00", "#f3c069"),
    "c5": ("#2a2a4d", "#8fc1ff"),
}


def sheet(light: str, dark: str = "") -> str:
    """Return the colours as custom properties of a selector.

    `dark` is the selector for the dark ones; without it they follow the reader's setting.
    """
    first, second = (" ".join(f"--{name}: {both[i]};" for name, both in COLOURS.items()) for i in (0, 1))
    night = (
        f"{dark} {{ {second} }}"
        if dark
        else f"@media (prefers-color-scheme: dark) {{ {light} {{ {second} }} }}"
    )
    return f"{light} {{ {first} }}\n{night}\n"


def resolved(css: str, *, dark: bool) -> str:
    """Return a stylesheet with the colours filled in, for programs that know no custom properties.

    >>> resolved(".a { fill: var(--paper); }", dark=False)
    '.a { fill: #ffffff; }'
    """
    return re.sub(r"var\(--([\w-]+)\)", lambda found: COLOURS[found[1]][dark], css)
