"""What each word that an option takes means: one place, from which help and reference are made."""

from __future__ import annotations

from collections.abc import Mapping

Words = Mapping[str, str]
"""By word: what it means, without a full stop."""

OBJECTIVES: Words = {
    "k,loss": "the smallest group against the loss",
    "suppressed,loss": "rows left out against the loss, at one k",
    "l,loss": "distinct sensitive values against the loss",
    "t,loss": "distance from the whole table against the loss",
    "k,suppressed,loss": "all three against each other",
    "k,l,loss": "all three against each other",
    "theta,loss": "the largest share of a value against the loss, over cuts",
}
METRICS: Words = {
    "LM": "how many values a label covers",
    "DM": "how large the groups are",
    "CM": "rows that are not of their group's most frequent class",
    "Prec": "how many levels a label is up",
    "NCP": "like LM, but the first step up costs too",
    "ClassSize": "rows by group, on average",
    "NUE": "bits about the value that a label hides",
    "Ambiguity": "how many combinations a row may stand for",
    "Height": "levels of the node, added up",
    "Intensity": "like Prec, without steps that change nothing",
    "target:COLUMN": "bits about that column that are lost",
}
NODE_METRICS: Words = {name: said for name, said in METRICS.items() if ":" not in name}
CUT_METRICS: Words = {
    **{name: METRICS[name] for name in ("LM", "DM", "CM", "NCP")},
    "Entropy": "bits about the class that are lost",
}
SCHEMES: Words = {
    "NoSupp": "nothing; such a group is not allowed",
    "allRec": "all rows of the group",
    "vioRec": "as few rows of it as will do",
    "allSA": "all sensitive values of the group",
    "vioSA": "the sensitive values above their limit",
}
METHODS: Words = {
    "exact": "a search that proves that nothing is missing",
    "poka": "the POkA paper's search, which may miss points",
    "exhaustive": "every node, one after the other",
}
RECODINGS: Words = {
    "nodes": "one level for all values of a column",
    "cuts": "one label for each value, each branch at its own height",
    "groups": "other labels in other groups of rows: found, not proven",
    "all": "all of these on one picture, with a bound below",
}
CURVES: Words = {
    "nodes": RECODINGS["nodes"],
    "cuts": RECODINGS["cuts"],
    "local-recoding": "groups, with labels of the hierarchies",
    "mondrian": "groups, with intervals and sets of values",
}
ALGORITHMS: Words = {
    "flash": "levels: the cheapest node, proven up to a billion nodes",
    "incognito": "levels: all minimal nodes, and the cheapest",
    "samarati": "levels: the lowest height",
    "mingen": "levels: the highest precision",
    "datafly": "levels: raises the column with the most values",
    "genetic": "levels: evolution of nodes",
    "k-optimize": "cuts: the cheapest, proven",
    "top-down": "cuts: refines from the roots",
    "bottom-up": "cuts: coarsens from the values",
    "annealing": "cuts: simulated annealing",
    "mondrian": "groups: the least loss as a rule",
    "local-recoding": "groups: labels of the hierarchies",
    "mu-argus": "cells of rare combinations; may miss k",
    "local-suppression": "cells: few are blanked, with a bound",
    "anatomy": "two tables, quasi values unchanged",
}
ALGORITHM_OPTIONS: Words = {
    "regions=strict": "mondrian: no two groups overlap, the default",
    "regions=relaxed": "mondrian: groups may overlap, for less loss",
    "split=best": "mondrian: where the loss falls most, the default",
    "split=median": "mondrian: at the median of the widest column",
    "labels=sets": "mondrian: tight intervals and sets, the default",
    "labels=hierarchy": "mondrian: labels of the hierarchies",
    "start=nearest": "local-recoding: merges near combinations, the default",
    "start=rounds": "local-recoding: rounds of one level a column",
    "consistent=A,B": "groups: these columns have one level in all rows",
    "effort=NUMBER": "groups, local-suppression: how long to improve; usually 1",
    "effort=all": "groups, local-suppression: improve until the time limit",
    "combinations=A,B;A,C": "local-suppression: what can be known together",
    "combination_size=NUMBER": "local-suppression: all sets of so many columns",
    "missing=value": "local-suppression: a blank is a value, the default",
    "missing=wildcard": "local-suppression: a blank is like any value",
    "weights=A=2,B=0.5": "local-suppression: what a blank in a column costs",
    "proof=SECONDS": "local-suppression: how long HiGHS may prove",
    "identifying=A,B": "mu-argus: the set Identifying",
    "more=A,B": "mu-argus: the set More",
    "most=A,B": "mu-argus: the set Most, with all in no other set",
    "choose=rule": "mu-argus: a rule decides for the holder, the default",
    "choose=ask": "mu-argus: you decide, asked on the terminal",
    "tolerance=SHARE": "mu-argus: the rule recodes above these outliers",
    "preferred=A,B": "mingen: of equals, the lowest in these columns",
    "population=NUMBER": "genetic: nodes of a generation",
    "generations=NUMBER": "genetic: how many there are",
    "steps=NUMBER": "annealing: how many steps the walk has",
    "sensitive=COLUMN": "anatomy: the column to split off",
}
"""What `anonymize --option` takes: words in small letters as they are, others to be filled in."""
PREFERENCES: Words = {
    "loss": "the node of the least loss",
    "height": "the node of the least height, as in the paper",
}
OFFERS: Words = {
    "suppression": "the answer that suppresses more",
    "height": "the answer that generalizes higher",
    "privacy": "the answer with a smaller k or l",
}
DISTANCES: Words = {
    "equal": "any two values are equally far apart",
    "ordered": "as many steps as lie between them in their order",
    "hierarchical": "how high in the hierarchy they meet",
}
MISSING: Words = {
    "value": "a missing value is a value of its own",
    "wildcard": "a missing value is like any other",
}
PSEUDONYMS: Words = {
    "fresh": "other names in every release",
    "stable": "the same names again, under a secret that the record keeps",
}
ATTACKS: Words = {
    "linkage": "find a person's row by some known columns",
    "singling-out": "say what is true of one row alone",
    "linkability": "join two halves of a person's columns",
    "inference": "take a sensitive value from the nearest row",
    "homogeneity": "read a value that a group shares",
    "downcoding": "undo labels that are no coarser than needed",
    "minimality": "conclude from what the best answer avoided",
    "refinement": "place everybody whose quasi values are known",
    "learning": "predict sensitive values with models",
    "membership": "tell who was in the table",
    "composition": "put several releases together",
}
ACCEPTED: Words = {"minimality": ATTACKS["minimality"]}
"""The attack that can stop a release, and be accepted."""
DIALECTS: Words = {
    "snowflake": "Snowflake; never run there, only read back",
    "bigquery": "BigQuery; never run there, only read back",
    "duckdb": "DuckDB, on which the tests run them",
}
