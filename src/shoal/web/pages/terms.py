"""The terms that the pages use, in plain words: the answers to "What is this?"."""

from __future__ import annotations

TERMS = {
    "identifying": ("Names a person outright: a name, a card number, an address. It is never released."),
    "quasi-identifier": (
        "Names nobody by itself, but can do so together with others: age, sex and postal code "
        "single out most people. It is released in coarser values."
    ),
    "sensitive": (
        "Something nobody should learn about a person: a diagnosis, an income. It is released as it is, "
        "so groups must be mixed enough."
    ),
    "class": (
        "What the released table is meant to predict. It is released unchanged, and the "
        "classification loss measures how well it can still be predicted."
    ),
    "insensitive": (
        "Harmless, and unknown to anybody who might look for a person. It is released unchanged."
    ),
    "undecided": (
        "Nobody has said yet what it is. It is not released until somebody does, because it might single "
        "people out."
    ),
    "role": (
        "What a column is for: whether it could name a person, must be protected, or is harmless. "
        "The role decides what happens to it."
    ),
    "hierarchy": (
        "How a column's values become coarser, level by level: 37, then 35-39, then 30-39, then any "
        "age (*)."
    ),
    "level": (
        "How coarse a column is in the release: level 0 has the original values, the last level one "
        "value for all."
    ),
    "equivalence class": (
        "The rows that look the same in all quasi-identifiers. Each of them hides among the others."
    ),
    "class size": (
        "How many rows look the same in all quasi-identifiers. A row that is alone can be recognized."
    ),
    "unique column": (
        "No value of it occurs twice, as with the number of a record: who knows the value finds the row."
    ),
    "unique": "A row that looks like no other row in the columns considered.",
    "k-anonymity": (
        "Every row looks like at least k - 1 others in all columns that could identify it, so nobody can be "
        "picked out of a crowd of k."
    ),
    "l-diversity": (
        "Every crowd has at least l different sensitive values, so finding a person's crowd does not "
        "reveal the value."
    ),
    "l+-diversity": (
        "No sensitive value has more than its allowed share of any crowd, so nobody can be surer "
        "of it than that share."
    ),
    "threshold": "The largest share of a crowd that may have a certain sensitive value.",
    "suppression": (
        "Not releasing rows that are too rare to hide. Suppressing a few can save much detail in all others."
    ),
    "generalization": "Releasing coarser values instead of exact ones: 30-39 instead of 37.",
    "lattice": ("All combinations of levels, from all values exact at the bottom to all * at the top."),
    "node": "One combination of levels, one for each quasi-identifier.",
    "height": "The sum of the levels of all quasi-identifiers: how coarse a release is overall.",
    "Pareto frontier": (
        "The best trade-offs: for each amount of privacy the one with the least loss, over all nodes and "
        "every amount of suppression up to the limit. Nothing else is better in both."
    ),
    "cost": (
        "What the search minimizes: the loss of the released rows, plus a price for what is suppressed. A "
        "suppressed row also pays for its sensitive value, so it costs more than it adds to the loss."
    ),
    "loss": "How much detail a release gives up, by the chosen measure. 0 is the original table.",
    "LM": "Loss metric: for each value, the share of all values it could stand for, added up.",
    "DM": (
        "Discernibility: each row costs the size of its crowd, each suppressed row the size of the "
        "table."
    ),
    "CM": "Classification: how many rows do not belong to the majority class of their crowd.",
    "Prec": "Precision: how far up their hierarchies the values are, overall.",
    "full-subtree recoding": (
        "A column may stay fine in one place and become coarse in another, as long as whole branches of "
        "its hierarchy are replaced together."
    ),
    "cut": "Where a hierarchy is cut: the values that are released for a column.",
    "lower bound": "No solution can cost less than this; the search has proven it so far.",
    "gap": "How far the best solution found may still be from the best possible. 0% is proven best.",
    "scheme": (
        "What happens to crowds that break the promise: nothing, or their rows are suppressed, or only "
        "their sensitive values."
    ),
    "certificate": "Says what a release promises and what was measured on it; for everybody.",
    "record": "Says how a release was made, with its seed; for the curator alone.",
    "re-identification risk": (
        "How likely somebody who knows a person's quasi-identifiers is to pick the right row."
    ),
    "prosecutor risk": (
        "The risk if the attacker knows that the person is in the table: 1 divided by the class size."
    ),
    "journalist risk": "The risk if the attacker does not know whether the person is in the table.",
    "marketer risk": "The share of rows that an attacker who matches all of them gets right.",
    "column combination": "Some columns taken together. A few harmless ones can single out a person.",
    "pMSE": (
        "Whether a model tells released rows from original ones. At 0 it cannot, so they are alike; at 0.25 "
        "it always can. In the literature: propensity score mean squared error."
    ),
    "ARX form": (
        "A text file with one line for each value, from the value to the coarsest group, separated by ;. "
        "ARX, the anonymization tool, reads and writes it."
    ),
}
"""What each term means, in a sentence or two for somebody who has never heard it."""


def meaning(term: str) -> str:
    """Return the plain words for a term.

    >>> meaning("gap")
    'How far the best solution found may still be from the best possible. 0% is proven best.'
    """
    return TERMS[term]
