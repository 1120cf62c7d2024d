"""What each step means, for somebody who has read no paper: some sentences and a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nicegui import ui

from shoal.present.charts.svg import drawing, element, label, line
from shoal.web.pages import parts

WIDTH, HEIGHT = 340.0, 150.0


@dataclass(frozen=True)
class StepMeaning:
    """The sentences about a step, and what its picture shows."""

    words: tuple[str, ...]
    shows: str
    picture: Callable[[], list[str]]


def explain(step: str) -> ui.element | None:
    """Put "What does this mean?" here, if the step has an explanation."""
    found = MEANINGS.get(step)
    if found is None:
        return None
    with parts.details("What does this mean?") as place, ui.element("div").classes("meaning"):
        with ui.element("div"):
            for words in found.words:
                parts.text(words)
        with ui.element("figure").classes("chart"):
            ui.html(
                drawing(WIDTH, HEIGHT, found.shows, found.picture(), "meaning-picture"), sanitize=False
            )
    return place.classes("means")


def _cell(words: str, x: float, y: float, kind: str = "", wide: float = 62) -> str:
    box = element("rect", x=x, y=y, width=wide, height=22, rx=4, class_=f"box {kind}".strip())
    return box + label(words, x + wide / 2, y + 15, "note" if kind == "out" else "", "middle")


def _arrow(*points: tuple[float, float]) -> str:
    (x, y) = points[-1]
    head = element("path", d=f"M{x - 6} {y - 4}L{x} {y}L{x - 6} {y + 4}", class_="axis-line")
    return line("axis-line", *points) + head


def _crowd(x: float, y: float, count: int, kind: str) -> str:
    return "".join(
        element("circle", cx=x + 16 * (i % 3), cy=y + 16 * (i // 3), r=6, class_=f"person {kind}")
        for i in range(count)
    )


def _table() -> list[str]:
    rows = (("37", "nurse"), ("34", "carer"), ("31", "nurse"))
    drawn = [label("the original", 10, 16, "note"), label("the release", 210, 16, "note")]
    for i, (age, job) in enumerate(rows):
        y = 28 + 28 * i
        drawn += [_cell(age, 10, y, wide=40), _cell(job, 54, y)]
        drawn += [_cell("30-39", 210, y, "kept", 50), _cell("care", 264, y, "kept")]
    return [*drawn, _arrow((132, 67), (196, 67)), label("three that look the same", 210, 136, "note")]


def _roles() -> list[str]:
    lines = (
        ("name", "out", "never leaves"),
        ("age, sex, zip", "kept", "leave in coarser values"),
        ("diagnosis", "", "leaves as it is, hidden in a crowd"),
    )
    drawn = []
    for i, (name, kind, words) in enumerate(lines):
        y = 20 + 40 * i
        drawn += [
            _cell(name, 6, y, kind, 96),
            _arrow((108, y + 11), (132, y + 11)),
            label(words, 140, y + 15),
        ]
    return drawn


def _tree() -> list[str]:
    drawn = [line("edge", (170, 30), (85, 62)), line("edge", (170, 30), (255, 62))]
    drawn += [line("edge", (85, 80), (40, 112)), line("edge", (85, 80), (130, 112))]
    drawn += [_cell("*", 139, 12), _cell("30-39", 54, 60), _cell("40-49", 224, 60)]
    drawn += [
        _cell("34", 14, 110, wide=52),
        _cell("37", 104, 110, wide=52),
        label("finest", 290, 126, "note", "middle"),
    ]
    return [*drawn, label("coarsest", 250, 26, "note")]


def _alone() -> list[str]:
    return [
        _crowd(60, 50, 1, "alone"),
        label("one of a kind:", 66, 110, anchor="middle"),
        label("everybody finds this one", 66, 128, "note", "middle"),
        _crowd(230, 36, 6, "kept"),
        label("one of six:", 246, 110, anchor="middle"),
        label("nobody knows which", 246, 128, "note", "middle"),
    ]


def _balance() -> list[str]:
    drawn = []
    for x, crowd, share, words in (
        (10, 2, 0.95, "k = 2"),
        (125, 4, 0.75, "k = 4"),
        (240, 6, 0.45, "k = 6"),
    ):
        drawn += [_crowd(x + 20, 30, crowd, "kept"), label(words, x + 36, 78, anchor="middle")]
        drawn.append(element("rect", x=x, y=92, width=86 * share, height=12, rx=3, class_="bar b0"))
    return [*drawn, label("the larger the crowd, the less detail is left", 170, 132, "note", "middle")]


def _branches() -> list[str]:
    drawn = [*_tree()[:4], _cell("*", 139, 12), _cell("30-39", 54, 60), _cell("40-49", 224, 60, "kept")]
    drawn += [_cell("34", 14, 110, "kept", 52), _cell("37", 104, 110, "kept", 52)]
    return [*drawn, label("released: 34, 37 and 40-49", 246, 128, "note", "middle")]


def _ways() -> list[str]:
    told = (
        ("all ages alike", "30-39"),
        ("a branch of its own", "37"),
        ("each group for itself", "36-38"),
    )
    drawn = []
    for i, (words, value) in enumerate(told):
        y = 16 + 42 * i
        drawn += [
            _cell("37", 10, y, wide=46),
            _arrow((62, y + 11), (92, y + 11)),
            _cell(value, 98, y, "kept"),
        ]
        drawn.append(label(words, 172, y + 15, "note"))
    return drawn


def _versus() -> list[str]:
    drawn = []
    for i, (words, a, b) in enumerate((("detail lost", 0.8, 0.25), ("risk left", 0.3, 0.45))):
        y = 30 + 56 * i
        drawn.append(label(words, 84, y + 20, anchor="end"))
        for j, (share, letter) in enumerate(((a, "A"), (b, "B"))):
            drawn.append(
                element(
                    "rect",
                    x=112,
                    y=y + 18 * j,
                    width=200 * share,
                    height=14,
                    rx=3,
                    class_=f"bar b{2 * j}",
                )
            )
            drawn.append(label(letter, 104, y + 12 + 18 * j, "letter", "end"))
    return drawn


def _packets() -> list[str]:
    return [
        _cell("the release", 110, 10, "kept", 120),
        _arrow((140, 36), (80, 66)),
        _arrow((200, 36), (260, 66)),
        _cell("for everybody", 20, 70, "kept", 120),
        _cell("for you alone", 200, 70, "out", 120),
        label("table, certificate", 80, 112, "note", "middle"),
        label("record, study, script", 260, 112, "note", "middle"),
    ]


def _both() -> list[str]:
    drawn = []
    for i, (words, kind, answer) in enumerate(
        (("original rows", "", "mean age 41.3"), ("released rows", "kept", "mean age 41.0"))
    ):
        y = 24 + 52 * i
        drawn += [_cell(words, 14, y, kind, 120), _arrow((142, y + 11), (182, y + 11))]
        drawn.append(label(answer, 194, y + 15))
    return [*drawn, label("nearly the same: still good for this", 170, 136, "note", "middle")]


def _guess() -> list[str]:
    return [
        _cell("nurse, 37", 14, 54, "", 90),
        _arrow((112, 65), (172, 65)),
        _crowd(196, 56, 6, "kept"),
        label("one of these six: which?", 212, 108, "note", "middle"),
    ]


MEANINGS = {
    "table": StepMeaning(
        (
            "You have a table about people and want to give it to others. Even without names, somebody who "
            "knows a person's age, job and postal code may find that person's row.",
            "Shoal makes such values coarser until several people look the same, and keeps as much detail "
            "as it can. The steps on the left lead there; each proposes something, so you can simply go on.",
        ),
        "Three exact rows become three rows that look the same",
        _table,
    ),
    "roles": StepMeaning(
        (
            "Every column is one of a few kinds. What names a person never leaves. What others may know "
            "about a person (age, sex, postal code) is made coarser. What nobody should learn (a diagnosis) "
            "stays as it is, because the crowd around it protects the person.",
            "Shoal has looked at the names and values of your columns and proposes a role for each.",
        ),
        "Names are held back, what others know is made coarser, what is sensitive stays",
        _roles,
    ),
    "hierarchies": StepMeaning(
        (
            "To make a value coarser, Shoal must know what is coarser: 37 is one of 30-39, which is one of "
            "all ages. Such a tree is called a hierarchy. The better the groups fit your subject, the more "
            "the release is worth.",
        ),
        "A tree of ages: single years below, decades above, all ages at the top",
        _tree,
    ),
    "risk": StepMeaning(
        (
            "Think of somebody who knows a few things about a neighbour and looks for the neighbour's row. "
            "If only one row fits, it is found, with everything else in it. If six fit, nobody can tell "
            "which it is.",
            "This page counts how many people are alone like that in your table as it is now.",
        ),
        "A person who is alone is found; one among six is not",
        _alone,
    ),
    "negotiate": StepMeaning(
        (
            "You say how large the crowd must be in which everybody hides: k = 5 means that each row looks "
            "like at least four others. The more you ask for, the more detail is lost.",
            "The list shows different ways to have it. The first loses least; take it unless its note says "
            "something that does not suit your readers.",
        ),
        "Larger crowds leave less detail",
        _balance,
    ),
    "optimize": StepMeaning(
        (
            "A crowd does not help if everybody in it has the same illness. Here you limit how large the "
            "share of one illness may be in any crowd, so that nobody becomes too sure of it.",
            "Branches of a column may stay finer than others. Shoal tries all possibilities and proves that "
            "none is better.",
        ),
        "A tree of which one branch stays fine and another becomes coarse",
        _branches,
    ),
    "methods": StepMeaning(
        (
            "Many methods are known, and some readers or rules ask for a certain one. Here each can be run "
            "by its name, and with promises that the other steps do not ask for. If nobody asks you for "
            "one, you can skip this step.",
        ),
        "The same age released by three kinds of methods",
        _ways,
    ),
    "compare": StepMeaning(
        (
            "What you pinned stands side by side: how much of the detail each loses, and how easily people "
            "are still found. Look for one that is low in both; the rows below show what your readers would "
            "see.",
        ),
        "Two solutions: what each loses, and what risk it leaves",
        _versus,
    ),
    "release": StepMeaning(
        (
            "Shoal writes the table, reads it again and checks that it keeps what was promised. Then there "
            "are two files: one that you may give to everybody, and one with how it was made, which you "
            "keep for yourself.",
        ),
        "The public file and the private file of a release",
        _packets,
    ),
    "use": StepMeaning(
        (
            "A release is made for somebody who wants to count, compare or predict. Here the same is done "
            "with the original and with the released rows: what gives nearly the same answer is still good "
            "for that.",
            "What you look for most may be something of your own. Write it below, and it is tried on both.",
        ),
        "The same question, asked of the original and of the released rows",
        _both,
    ),
    "attacks": StepMeaning(
        (
            "Others may try to find a person in what you release, or to learn something about one. Here "
            "known ways to do that are tried before you give anything away. Beside each success stands what "
            "a mere guess would reach: only what is far above it is a reason to worry.",
        ),
        "Somebody who knows a person's job and age, and a crowd of six in which each may be the person",
        _guess,
    ),
}
"""By the step's key."""
