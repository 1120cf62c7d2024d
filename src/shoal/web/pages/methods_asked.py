"""What a named method may be asked to promise, and the settings of the step Methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.errors import InputError, show
from shoal.search.algorithms import ALGORITHMS


@dataclass(frozen=True)
class PromiseField:
    """A field of the form: its name in a question, what it is called, and what it means."""

    name: str
    title: str
    meaning: str
    main: bool = False
    about_values: bool = False
    """Whether it is about sensitive values, so that there must be some."""
    whole: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)


FIELDS = (
    PromiseField(
        "k", "k: rows that look alike", "Every group has at least so many rows.", True, whole=True
    ),
    PromiseField(
        "l",
        "l: different sensitive values",
        "Every group has at least so many different sensitive values.",
        True,
        True,
        whole=True,
    ),
    PromiseField(
        "t",
        "t: nearness to the whole table, such as 0.2",
        "The sensitive values of every group are spread as in the whole table, or nearly: at most this far "
        "from it (t-closeness).",
        True,
        True,
    ),
    PromiseField(
        "distance",
        "How far values are apart, for t",
        "All alike, by their order, or by their tree.",
        True,
        True,
        choices={"": "all alike", "ordered": "by their order", "hierarchical": "by their tree"},
    ),
    PromiseField(
        "suppress", "Rows suppressed, at most", "A number of rows, or a share such as 1%.", main=True
    ),
    PromiseField(
        "theta",
        "Largest share of a value, such as 1/4",
        "No sensitive value has a larger share of a group.",
        about_values=True,
    ),
    PromiseField(
        "entropy_l",
        "Entropy l",
        "Every group is as uncertain as one of so many equally frequent values.",
        about_values=True,
    ),
    PromiseField(
        "recursive_l",
        "Recursive (c, l), such as 2,3",
        "The most frequent value is rarer than c times the l-th and all after it.",
        about_values=True,
    ),
    PromiseField(
        "beta",
        "Beta: gain of a value, such as 1",
        "In a group no value is more than 1 + beta times as frequent as in the whole table.",
        about_values=True,
    ),
    PromiseField(
        "delta_disclosure",
        "Delta: change of a value",
        "In a group every value is e^delta times as frequent as in the whole table, or nearer.",
        about_values=True,
    ),
    PromiseField(
        "max_risk", "Highest risk of a row, such as 0.09", "No row is found with a higher risk."
    ),
    PromiseField("average_risk", "Average risk", "On average rows are found with no higher risk."),
    PromiseField(
        "k_map",
        "k-map: people of the population in every group",
        "So many rows of the population fall into every group.",
        whole=True,
    ),
    PromiseField(
        "delta",
        "Presence: lowest,highest chance, such as 0,0.5",
        "The chance that a person of the population is in the release lies between these.",
    ),
)
"""In the order of the form; the first ones are those that most people ask for."""


@dataclass(frozen=True)
class MethodWish:
    """What the form holds: the method, and the texts of the fields by name."""

    method: str = "mondrian"
    given: Mapping[str, str] = field(default_factory=lambda: {"k": "5", "suppress": "1%"})

    @classmethod
    def reopened(cls, kept: Any) -> MethodWish:
        """Return what was kept, as far as there are such methods and fields."""
        wish = cls()
        if not isinstance(kept, Mapping):
            return wish
        names = {each.name for each in ALGORITHMS}
        fields = {one.name for one in FIELDS}
        given = {str(name): str(text) for name, text in dict(kept.get("given", {})).items()}
        return cls(
            kept["method"] if kept.get("method") in names else wish.method,
            {name: text for name, text in given.items() if name in fields},
        )

    def changed(self, **changes: Any) -> MethodWish:
        """Return the wish with something changed."""
        return replace(self, **changes)

    def kept(self) -> dict[str, Any]:
        """Return the wish as it is kept."""
        return {"method": self.method, "given": dict(self.given)}

    def asked(self) -> dict[str, Any]:
        """Return the question as `Study.anonymize` takes it; refuse a text that is no whole number.

        >>> MethodWish("mondrian", {"k": "5", "t": "", "suppress": "1%"}).asked()
        {'k': 5, 'suppress': '1%'}
        """
        asked: dict[str, Any] = {}
        for one in FIELDS:
            text = self.given.get(one.name, "").strip()
            if not text or (one.name == "distance" and not self.given.get("t")):
                continue
            if one.whole and not text.isdecimal():
                raise InputError(f"{one.title}: {show(text)} is no whole number; type one")
            asked[one.name] = int(text) if one.whole else text
        return asked

    def words(self) -> str:
        """Return what is promised, in a title.

        >>> MethodWish("mondrian", {"k": "5", "t": "0.2", "suppress": "1%"}).words()
        'k = 5, t = 0.2'
        """
        told = [
            f"{one.name.replace('_', '-')} = {self.given[one.name]}"
            for one in FIELDS
            if self.given.get(one.name) and one.name not in ("suppress", "distance")
        ]
        return ", ".join(told) or "nothing promised"
