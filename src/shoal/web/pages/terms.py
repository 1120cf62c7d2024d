"""Plain words for the terms that the pages use: what "What is this?" answers."""

from __future__ import annotations

TERMS = {
    "identifying": (
        "Names a person outright: a name, a number of a card, an address. It is never released."
    ),
    "quasi-identifier": (
        "Does not name anybody alone, but together with others it can: age, sex and postal code "
        "single out most people. It is released in coarser values."
    ),
    "sensitive": (
        "What nobody should learn about a person: a diagnosis, an income. It is released as it is, "
        "so groups must be mixed enough."
    ),
    "class": (
        "What the released table is meant to predict. It is released unchanged, and the "
        "classification loss counts how well it can still be told."
    ),
    "insensitive": (
        "Harmless, and known to nobody who would look for a person. It is released unchanged."
    ),
    "role": (
        "What a column is for: whether it could name a person, must be protected, or is harmless. "
        "The role decides what is done with it."
    ),
    "hierarchy": (
        "How a column's values become coarser, level by level: 37, then 35-39, then 30-39, then any "
        "age (*)."
    ),
    "level": (
        "How coarse a column is released: level 0 are the values as they are, the last level is one "
        "value for all."
    ),
    "equivalence class": (
        "The rows that look the same in all quasi-identifiers. Whoever is in it hides among the others."
    ),
    "class size": (
        "How many rows look the same in all quasi-identifiers. One that is alone can be recognized."
    ),
    "unique": "A row that no other row looks like, in the columns that are considered.",
    "k-anonymity": (
        "Every row looks like at least k - 1 others in what could identify it, so nobody can be "
        "told apart from a crowd of k."
    ),
    "l-diversity": (
        "Every crowd has at least l different sensitive values, so finding the crowd does not tell "
        "the value."
    ),
    "l+-diversity": (
        "In no crowd does a sensitive value have more than its allowed share, so nobody can be sure "
        "of it beyond that share."
    ),
    "threshold": "The largest share of a crowd that may have a certain sensitive value.",
    "suppression": (
        "Leaving out rows that are too rare to hide. Few of them can save much detail for all others."
    ),
    "generalization": "Releasing coarser values instead of exact ones: 30-39 instead of 37.",
    "lattice": (
        "All combinations of levels, from everything exact at the bottom to everything * at the top."
    ),
    "node": "One combination of levels, one for each quasi-identifier.",
    "height": "The sum of the levels of all quasi-identifiers: how coarse a release is in all.",
    "Pareto frontier": (
        "The best trades: for each amount of privacy the one with the least loss. Nothing else is "
        "better in both."
    ),
    "cost": (
        "What the search keeps low: the loss of the rows that stay, and a price for what is suppressed. A "
        "suppressed row pays for its sensitive value too, so it costs more than it adds to the loss."
    ),
    "loss": "How much detail a release gives up, by the chosen measure. 0 is the table as it is.",
    "LM": "Loss metric: for each value the share of all values it could stand for, added up.",
    "DM": (
        "Discernibility: each row costs the size of its crowd, each suppressed row the size of the "
        "table."
    ),
    "CM": "Classification: how many rows do not belong to the majority class of their crowd.",
    "Prec": "Precision: how far up their hierarchies the values are, in all.",
    "full-subtree recoding": (
        "A column may be fine in one place and coarse in another, as long as whole branches of its "
        "hierarchy are replaced together."
    ),
    "cut": "Where a hierarchy is cut through: the values that are released for a column.",
    "lower bound": "No solution can cost less than this; proven by the search so far.",
    "gap": "How far the best solution found may still be from the best there is. 0% is proven best.",
    "scheme": (
        "What is done with crowds that break the promise: nothing, delete their rows, or blank "
        "their sensitive values."
    ),
    "certificate": "Says what a release promises and what was measured on it; for everybody.",
    "record": "Says how a release was made, with its seed; for the curator alone.",
    "re-identification risk": (
        "How likely somebody who knows a person's quasi-identifiers picks the right row."
    ),
    "prosecutor risk": (
        "The risk if the attacker knows that the person is in the table: 1 divided by the class size."
    ),
    "journalist risk": "The risk if the attacker does not know whether the person is in the table.",
    "marketer risk": "The share of rows that an attacker who matches all of them gets right.",
    "column combination": "Some columns taken together. A few harmless ones can single out a person.",
    "ARX form": (
        "A text file, one line a value, from the value to the coarsest group, with ; between. ARX, "
        "the anonymization tool, reads and writes it."
    ),
}
"""What each term means, in a sentence or two for somebody who never heard it."""


def meaning(term: str) -> str:
    """Return the plain words for a term.

    >>> meaning("gap")
    'How far the best solution found may still be from the best there is. 0% is proven best.'
    """
    return TERMS[term]
