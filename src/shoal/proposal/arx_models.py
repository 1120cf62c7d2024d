"""The privacy models and settings of an ARX project, in the words of Shoal's questions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

_METRICS = {
    "loss": "LM",
    "discernability": "DM",
    "discernibility": "DM",
    "non-uniform entropy": "NUE",
    "normalized non-uniform entropy": "NUE",
    "precision": "Prec",
    "height": "Height",
    "average equivalence class size": "ClassSize",
    "ambiguity": "Ambiguity",
    "classification accuracy": "CM",
}
"""ARX's quality models, and the metrics here that measure the same or come nearest to it."""


@dataclass
class Requested:
    """What a project asks for: options of `shoal anonymize`, and notes on what they cannot say."""

    options: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def set(self, option: str, value: str) -> None:
        """Ask for a value; where columns have different ones, for the stricter, and say so."""
        before = self.options.get(option)
        if before is not None and before != value:
            pick: Callable[..., str] = max if option in ("--k", "--l", "--entropy-l") else min
            value = pick(before, value, key=float)
            said = "columns have limits of their own in ARX; {} {} holds for all"
            self.notes = [note for note in self.notes if note != said.format(option, before)]
            self.notes.append(said.format(option, value))
        self.options[option] = value

    def set_distance(self, kind: str) -> None:
        """Ask for a distance of t-closeness; columns with different ones need a study in Python."""
        if self.options.setdefault("--distance", kind) != kind:
            self.notes.append(
                f"another column's t-closeness has the {kind} distance; Study.anonymize(distance={{...}}) "
                "takes one by column"
            )


def requested(criteria: Iterable[str], metric: str, suppress: str) -> Requested:
    """Return what a project asks for, from its models as ARX writes them.

    >>> asked = requested(["5-anonymity", "Profitability"], "Loss (0.5/1.0/1.0)", "0.05")
    >>> asked.options
    {'--k': '5', '--suppress': '0.05', '--metric': 'LM'}
    >>> print(*asked.notes)
    ARX's model "Profitability" has no counterpart here and was left out
    """
    found = Requested()
    for criterion in criteria:
        _add(found, criterion.strip())
    if not found.options:
        found.notes.append(
            "nothing is promised yet: add a promise such as --k 5 to the command, since no model of the "
            "project has a counterpart here"
        )
    share = float(suppress or 0)
    if not 0 <= share <= 1:
        raise ValueError(f"{suppress} of the rows may be suppressed")
    found.options["--suppress"] = "100%" if share == 1 else (suppress or "0")
    name, _, coding = metric.partition(" (")
    if (weighed := re.fullmatch(rf"{_N}/{_N}/{_N}\)", coding.strip())) and weighed[2] != weighed[3]:
        found.notes.append(
            f"ARX weighs coarser cells by {weighed[2]} and suppressed ones by {weighed[3]}; here both "
            "weigh 1, so another answer may be the best"
        )
    name = name.strip()
    found.options["--metric"] = _METRICS.get(name.lower(), "LM")
    if name.lower() not in _METRICS:
        found.notes.append(f'ARX\'s quality model "{name}" has no counterpart here; LM takes its place')
    elif name.lower() == "classification accuracy":
        found.notes.append(
            "CM, the rows outside their group's majority, is near ARX's accuracy, not equal"
        )
    return found


def _add(found: Requested, text: str) -> None:
    """Add one model, or the note why it was left out."""
    for pattern, take in _MODELS:
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            take(found, *match.groups())
            return
    found.notes.append(f'ARX\'s model "{text}" has no counterpart here and was left out')


_N = r"([0-9]+(?:\.[0-9]+)?(?:E-?[0-9]+)?)"
_COLUMN = r" for attribute '.*'"


def _close(found: Requested, t: str, kind: str) -> None:
    found.set("--t", t)
    found.set_distance(kind.lower())


def _recursive(found: Requested, c: str, least: str) -> None:
    given = f"{_plain(c)},{least}"
    if found.options.setdefault("--recursive-l", given) != given:
        found.notes.append(f"another column asks for --recursive-l {given}; ask for it apart")


def _disclosure(found: Requested, delta: str) -> None:
    """ARX takes logarithms to base 2, and demands less than delta; here they are natural, and at most."""
    limit = Fraction(math.floor(float(delta) * math.log(2) * 10**6), 10**6)
    found.set("--delta-disclosure", str(float(limit)))


def _unique(found: Requested, share: str, estimator: str) -> None:
    found.set("--population-uniques", _plain(share))
    if estimator.lower() != "zayatz":
        found.notes.append(
            f"population uniques are estimated by Zayatz here, not by {estimator.title()}"
        )
    found.notes.append(
        "population uniques need to know the population: say in the study by sampling_fraction what share of "
        "it the table is (ARX's own figure is not in a form that can be read); else the table is all of it"
    )


def _population(found: Requested, option: str, value: str) -> None:
    found.notes.append(
        f"{option} {value} needs a table of the population: add population to the study, then the option "
        "to the command (ARX has it as a subset, in a form that cannot be read)"
    )


def _included(found: Requested) -> None:
    found.notes.append(
        "the project has a research subset, in a form that cannot be read: all its rows were imported"
    )


def _plain(number: str) -> str:
    """Return a number without an exponent.

    >>> _plain("1.0E-4")
    '0.0001'
    """
    text = f"{Decimal(number):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


_MODELS: tuple[tuple[str, Callable[..., None]], ...] = (
    (rf"\(?{_N}\)?-anonymity", lambda found, k: found.set("--k", k)),
    (rf"distinct-{_N}-diversity{_COLUMN}", lambda found, least: found.set("--l", least)),
    (
        rf"(?:shannon-)?entropy-{_N}-diversity{_COLUMN}",
        lambda found, least: found.set("--entropy-l", _plain(least)),
    ),
    (
        rf"recursive-\({_N}, ?{_N}\)-diversity{_COLUMN}",
        _recursive,
    ),
    (rf"{_N}-closeness with (equal|ordered|hierarchical) distance{_COLUMN}", _close),
    (rf"{_N}-basic likeness{_COLUMN}", lambda found, beta: found.set("--beta", _plain(beta))),
    (rf"{_N}-disclosure privacy{_COLUMN}", _disclosure),
    (rf"\({_N}\)-avg-reidentification-risk", lambda found, p: found.set("--average-risk", _plain(p))),
    (rf"\({_N}\)-population-uniqueness \((\w+)\)", _unique),
    (rf"\({_N}\)-map", lambda found, k: _population(found, "--k-map", k)),
    (
        rf"\({_N}, ?{_N}\)-presence",
        lambda found, low, high: _population(found, "--delta", f"{low},{high}"),
    ),
    (r"Inclusion", _included),
)
