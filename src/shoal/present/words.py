"""The report's sentences: figures and decisions in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.numbers import amount, count, many, much_suppressed, percent
from shoal.present.report.facts import (
    Facts,
    counted,
    fraction,
    number,
    part,
    text,
    texts,
    unit,
    whole,
)

ROLES = {
    "quasi": "others may know them: made coarser where needed",
    "sensitive": "sensitive: protected within the groups",
    "class": "label to be predicted: released unchanged",
    "insensitive": "released unchanged",
    "identifying": "identify persons: not released",
    "undecided": "nobody has decided about them: not released",
    "person": "pseudonyms: random names that show which rows are about one person",
}

PUBLIC_ROLES = {
    "quasi": "others may know them: values may be coarser than they were",
    "sensitive": "sensitive: protected within the groups, may be empty in places",
    "person": ROLES["person"],
}


LEVELS = {"serious": "Serious", "warning": "Warning", "note": "Note"}

KINDS = {
    "node": "In each of these columns, all values were replaced by their group on one level of the "
    "column's hierarchy (full-domain generalization).",
    "cut": "In each of these columns, every value was replaced by the group chosen for its branch of the "
    "column's hierarchy (full-subtree generalization).",
    "groups": "Similar rows were put into groups, and each group got its own values that cover "
    "all its rows (group-wise generalization).",
    "cells": "Single cells of these columns were blanked, and nothing else was changed (local suppression). "
    "A blanked cell holds the root of the column's hierarchy.",
    "buckets": "These columns were not changed. The sensitive column was moved to a separate table, which "
    "counts its values in groups of rows whose values differ (Anatomy).",
}

SCHEMES = {
    "NoSupp": "Coarser values alone had to keep the promise (scheme NoSupp).",
    "allRec": "Groups that would break the promise were suppressed whole (scheme allRec).",
    "vioRec": "From groups that would break the promise, as few rows as possible were suppressed "
    "(scheme vioRec).",
    "allSA": "In groups that would break the promise, every sensitive value was suppressed (scheme allSA).",
    "vioSA": "In groups that would break the promise, the sensitive values that are too frequent were "
    "suppressed (scheme vioSA).",
}

LIMITS = (
    "The promise is about the columns that others may know. Anyone who knows more about a person, for "
    "instance a column that is released unchanged, may tell apart rows that otherwise look the same.",
    "A group hides which row is whose. It does not hide what the whole group has in common: if many "
    "rows of a group share a value, that value is likely for everyone in it.",
    "Other files about the same persons, published earlier or later, may reveal more together with this "
    "one than each does alone.",
    "Values are coarser than they were, and rows with rare combinations may be missing. Totals counted "
    "from this file can be lower than in the population, especially for small groups of persons.",
    "No method makes it impossible to learn anything about a person from data about persons.",
)


def exact_share(given: Any) -> str:
    """Return a share as promised, and in percent.

    >>> exact_share("2/3")
    '2/3 (66.7%)'
    """
    found = fraction(given)
    if found is None:
        return str(given)
    return percent(found) if found.denominator in {1, 10, 100} else f"{found} ({percent(found)})"


def listing(names: Sequence[str], most: int = 12) -> str:
    """Return names as a list within a sentence.

    >>> listing(["a", "b", "c"]), listing(["a", "b", "c"], most=1)
    ('a, b and c', 'a and 2 more')
    """
    if len(names) > most + 1:
        return ", ".join(names[:most]) + f" and {len(names) - most:,} more"
    return " and ".join(([", ".join(names[:-1])] if len(names) > 1 else []) + list(names[-1:]))


def metric_title(found: str) -> str:
    """Return what a metric measures; nothing for an unknown one."""
    from shoal.metrics import METRICS  # with numpy

    titles = {one.name.upper(): one.title for one in METRICS}
    return titles.get(found.upper(), "entropy of the class labels" if found.lower() == "entropy" else "")


def metric_name(found: str | None) -> str:
    """Return a metric with its title."""
    if found is None:
        return "the chosen metric"
    title = metric_title(found)
    return f"{found} ({title})" if title else found


def having(facts: Facts, role: str) -> list[str]:
    """Return the columns with a role, in the order of the release."""
    roles = part(facts, "roles")
    order = {name: i for i, name in enumerate(texts(facts, "columns"))}
    found = [name for name in roles if role in texts(roles, name)]
    return sorted(found, key=lambda name: order.get(name, len(order)))


def what_was_done(facts: Facts) -> list[str]:
    """Return what happened to the table, in sentences."""
    rows, decision = part(facts, "rows"), part(facts, "decision")
    original, released, gone = (whole(rows, name) for name in ("original", "released", "suppressed"))
    said = []
    if much := much_suppressed(gone, original):
        said.append(much.strip())
    quasi = having(facts, "quasi")
    if quasi:
        verb, noun = ("is", "column") if len(quasi) == 1 else ("are", "columns")
        said.append(f"The {noun} by which others might recognize a person {verb} {listing(quasi)}.")
    kind = KINDS.get(text(decision, "kind") or "")
    if kind is not None:
        said.append(kind)
    scheme = SCHEMES.get(text(decision, "scheme") or "")
    if text(decision, "kind") == "buckets":
        said.append("Nothing was suppressed or made coarser.")
    elif text(decision, "kind") == "cells":
        blanked = whole(decision, "blanked_cells") or 0
        said.append(
            f"{many(blanked, 'cell')} {'is' if blanked == 1 else 'are'} blanked; no row was suppressed."
        )
    elif gone == 0 and whole(facts, "values_suppressed") == 0:
        said.append("Nothing was suppressed: coarser values alone keep the promise.")
    elif scheme is not None:
        said.append(scheme)
    if released is not None and original:
        line = f"Of {many(original, 'row')}, {count(released)} were released ({percent(released / original)})"
        if gone:
            line += f"; {count(gone)} ({percent(gone / original)}) were suppressed"
        said.append(line + ".")
    whose = part(facts, "persons")
    persons, left = whole(whose, "original"), whole(whose, "released")
    if persons and left is not None:
        line = f"They are about {many(persons, 'person')}; {count(left)} have a released row"
        line += f", {count(persons - left)} have none left" if persons > left else ""
        said.append(f"{line}. Privacy is counted in persons, losses and suppression in rows.")
    if kind := text(whose, "pseudonyms"):
        said.append(_PSEUDONYMS.get(kind, ""))
    if followed := text(whose, "followed"):
        said.append(followed)
    said += shifted(facts)
    emptied = whole(facts, "values_suppressed")
    if emptied:
        verb = "was" if emptied == 1 else "were"
        said.append(f"{many(emptied, 'sensitive value')} {verb} suppressed.")
    hidden = texts(facts, "not_released")
    if hidden:
        verb = "was" if len(hidden) == 1 else "were"
        said.append(f"{many(len(hidden), 'column')} {verb} not released: {listing(hidden)}.")
    if said:
        said.append("The released rows are in random order and have no row numbers.")
    return said


def how_chosen(facts: Facts) -> list[str]:
    """Return how the solution was chosen and what is proven about it; for the curator alone."""
    decision = part(facts, "decision")
    loss, share = number(decision, "loss"), number(decision, "share")
    metric = metric_name(text(decision, "metric"))
    said = []
    if share is not None:
        measure = metric_name(text(decision, "measure") or text(decision, "metric"))
        lost, _ = shares_apart(decision)
        said.append(f"Measured by {measure}, the release loses {lost} of all detail.")
    elif loss is not None:  # a solution that an older version saved
        said.append(f"Measured by {metric}, the release loses {amount(loss)}.")
    cost, several = number(decision, "cost"), whole(decision, "top")
    if cost is not None:
        said.append(
            f"Measured by {metric}, generalization and suppression together cost {amount(cost)}: the price "
            "that the search minimized, in which a suppressed row also pays for its sensitive value."
        )
    if several is not None:
        said.append(f"It was picked at random from the {count(several)} cheapest choices of its kind.")
    said += how_near(decision)
    if decision.get("certified") is True:
        said.append("The search is certified: no better point of the trade-off was missed.")
    if decision.get("seed") is not None:
        said.append(f"The order of the rows was drawn with the seed {decision['seed']}: keep it secret.")
    return said


def shares_apart(decision: Facts) -> tuple[str, str]:
    """Return the share of all detail that is lost, and the least that could be, as far as that is known; with
    as many digits as tell the two apart.

    >>> shares_apart({"loss": 12.0, "share": 0.0024, "lower_bound": 10.0})
    ('0.24%', '0.2%')
    """
    loss, share, bound = (number(decision, name) for name in ("loss", "share", "lower_bound"))
    if share is None or not loss or bound is None:
        return percent(share), percent(None)
    least = bound / loss * share
    for digits in range(1, 12):
        shown = percent(share, digits), percent(least, digits)
        if shown[0] != shown[1]:
            return shown
    return percent(share), percent(least)


def how_near(decision: Facts) -> list[str]:
    """Return whether an answer is proven, or how much less another could lose, as far as that is known."""
    loss, share, cost = (number(decision, name) for name in ("loss", "share", "cost"))
    bound, gap = number(decision, "lower_bound"), number(decision, "gap")
    less = "costs less" if cost is not None else "loses less"
    if decision.get("optimal") is True:
        return [
            "It is proven that no other choice of this kind, with these hierarchies and this promise, "
            f"{less}."
        ]
    if bound:  # at 0 there was no time for one
        verb = "costs" if cost is not None else "loses"
        distance = f": a gap of at most {percent(gap)} of what it {verb}" if gap is not None else ""
        least = f"cost less than {amount(bound)}"
        if cost is None and loss and share is not None:
            least = f"lose less than {shares_apart(decision)[1]}"
        elif cost is None:
            least = f"lose less than {amount(bound)}"
        # The bound of groups is about all groups, also where some columns were to be consistent.
        groups = text(decision, "kind") == "groups"
        which = "groups under labels of these hierarchies" if groups else "choice of this kind"
        return [f"No {which} can {least}{distance}. It is not proven to be the best."]
    if decision.get("optimal") is False:
        return ["This is not proven to be the smallest possible loss."]
    return []


_PSEUDONYMS = {
    "fresh": "A random name stands for each person; another release would have other names.",
    "stable": "A random name stands for each person. It is the same in every release under the secret that "
    "the record keeps, so that their rows can be put together: keep the record to yourself.",
}


def shifted(facts: Facts) -> list[str]:
    """Return that dates were moved, and by how much at most."""
    whose = (
        "each person's by the same number" if "persons" in facts else "each row by a number of its own"
    )
    return [
        f"The dates of {name} were moved by up to {many(days, 'day')}, back or ahead: {whose} of days, drawn "
        "at random, which is kept nowhere."
        for name in part(facts, "shifted")
        if (days := whole(part(facts, "shifted"), name))
    ]


def _persons(facts: Facts) -> list[str]:
    """Return whether anyone can count the persons of the released rows."""
    if "persons" not in facts:
        return []
    column = text(part(facts, "persons"), "column")
    if column is None:
        return [
            "A person may have several rows. Persons were counted by the publisher, and cannot be recounted "
            "from the file, which does not tell whose rows are whose."
        ]
    return [
        f"A person may have several rows: those with the same pseudonym in {column}. Anyone who recognizes "
        "some of a person's rows together may find all of them."
    ]


def meaning(facts: Facts) -> list[str]:
    """Return what the promises mean for a person in the file."""
    promise, measured = part(facts, "promise"), counted(facts)
    quasi = having(facts, "quasi")
    known = listing(quasi) if quasi else "the columns that others may know"
    k, smallest = whole(promise, "k"), whole(measured, "k")
    least = smallest if k is None or (smallest or 0) > k else k
    said = [f"A group is all rows that look the same in {known}."]
    if least is not None and least > 1:
        those = "rows of at least {0} persons" if unit(facts) == "person" else "at least {0} rows"
        said.append(
            f"Anyone who knows these about a person in the file finds {those.format(count(least))} that fit, "
            f"and picks the right one with a chance of at most 1 in {count(least)}."
        )
    said += _persons(facts)
    sensitive = having(facts, "sensitive")
    about = ("l", "theta", "t", "entropy_l", "recursive_l", "beta", "delta_disclosure")
    values = any(promise.get(name) for name in about)
    if sensitive and values:
        said.append(
            f"Within a group, {listing(sensitive)} varies as much as promised, so that finding a person's "
            "group does not give the value away with certainty."
        )
    elif sensitive:
        said.append(f"How {listing(sensitive)} is spread within a group is not part of the promise.")
    k_map = whole(promise, "k_map")
    if k_map is not None:
        said.append(
            f"In the whole population, every group fits {many(k_map, 'person')} or more, so that anyone who "
            f"knows only the population names a row with a chance of at most 1 in {count(k_map)}."
        )
    if promise.get("sampling_fraction") is not None:
        said.append(
            "The risks that are promised are those for one who knows the population, but not who was drawn."
        )
    if promise.get("delta") is not None:
        said.append(
            "Whether a person of the population is in this file at all remains as uncertain as promised."
        )
    return said + shifted(facts)
