"""Facts of a release of the Adult table as reports get them, the figures counted on the real table."""

from __future__ import annotations

import copy
from typing import Any

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
COLUMNS = [*QUASI, "occupation", "hours-per-week", "salary-class"]
LEVELS = {
    "age": 3, "workclass": 1, "education": 2, "marital-status": 1, "race": 0, "sex": 0, "native-country": 1,
}  # fmt: skip

POINTS = [
    (45222, 316554.0), (21087, 290936.5), (19701, 288553.2), (14695, 271332.0), (8829, 263368.9),
    (6171, 244074.2), (2444, 239066.6), (1829, 217160.4), (1205, 213972.2), (1017, 206104.6),
    (580, 189550.5), (407, 181606.0), (282, 173987.7), (211, 170928.8), (197, 166715.0),
    (139, 154852.8), (120, 154795.8), (119, 150625.1), (102, 141863.7), (98, 139701.0),
    (73, 139067.0), (71, 132051.3), (62, 130202.3), (52, 123662.9), (51, 114955.4), (36, 107465.5),
    (29, 104359.5), (27, 102532.0), (21, 96209.5), (18, 94657.0), (16, 79968.6), (10, 71890.5),
    (9, 67264.4), (8, 60920.5), (5, 52671.1), (4, 47823.5), (3, 40531.7), (2, 34932.3), (1, 0.0),
]  # fmt: skip

BEFORE = [
    (1, 1, 9892, 9892), (2, 4, 3144, 8004), (5, 9, 916, 5913), (10, 19, 404, 5258),
    (20, 49, 184, 5330), (50, 99, 96, 6718), (100, 499, 32, 4107), (500, None, 0, 0),
]  # fmt: skip
AFTER = [
    (1, 1, 0, 0), (2, 4, 0, 0), (5, 9, 0, 0), (10, 19, 15, 255),
    (20, 49, 55, 1793), (50, 99, 23, 1582), (100, 499, 36, 8129), (500, None, 20, 31674),
]  # fmt: skip

SUBGROUPS = [
    ("sex", "Male", 30527, 972), ("sex", "Female", 14695, 817),
    ("race", "White", 38903, 640), ("race", "Black", 4228, 231), ("race", "Asian-Pac-Islander", 1303, 519),
    ("race", "Amer-Indian-Eskimo", 435, 178), ("race", "Other", 353, 221),
    ("workclass", "Private", 33307, 1092), ("workclass", "Self-emp-not-inc", 3796, 138),
    ("workclass", "Local-gov", 3100, 221), ("workclass", "State-gov", 1946, 137),
    ("workclass", "Self-emp-inc", 1646, 48), ("workclass", "Federal-gov", 1406, 132),
    ("workclass", "Without-pay", 21, 21),
]  # fmt: skip

ATTRIBUTES = [
    ("age", 0.223887, 4, 74, 5, ["0-19", "20-39", "40-59", "60-79", "80-99"]),
    ("workclass", 0.313972, 2, 7, 2, ["Government", "Non-Government"]),
    ("education", 0.39276, 3, 16, 3, ["Higher education", "Primary education", "Secondary education"]),
    ("marital-status", 0.455339, 2, 7, 2, ["spouse not present", "spouse present"]),
    ("race", 0.03956, 1, 5, 5, ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"]),
    ("sex", 0.03956, 1, 2, 2, ["Female", "Male"]),
    ("native-country", 0.303278, 2, 41, 4, ["Asia", "Europe", "North America", "South America"]),
]

HIERARCHIES: dict[str, list[tuple[int, list[str]]]] = {
    "age": [
        (100, ["1", "2", "3", "4", "5"]), (20, ["0-4", "5-9", "10-14", "15-19", "20-24"]),
        (10, ["0-9", "10-19", "20-29", "30-39", "40-49"]), (5, ["0-19", "20-39", "40-59", "60-79", "80-99"]),
        (1, ["*"]),
    ],
    "workclass": [
        (8, ["Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov"]),
        (3, ["Non-Government", "Government", "Unemployed"]), (1, ["*"]),
    ],
    "education": [
        (16, ["Bachelors", "Some-college", "11th", "HS-grad", "Prof-school"]),
        (5, ["Undergraduate", "High School", "Professional Education", "Graduate", "Primary School"]),
        (3, ["Higher education", "Secondary education", "Primary education"]), (1, ["*"]),
    ],
    "marital-status": [
        (7, ["Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed"]),
        (2, ["spouse present", "spouse not present"]), (1, ["*"]),
    ],
    "race": [(5, ["White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"]), (1, ["*"])],
    "sex": [(2, ["Male", "Female"]), (1, ["*"])],
    "native-country": [
        (41, ["United-States", "Cambodia", "England", "Puerto-Rico", "Canada"]),
        (5, ["North America", "Asia", "Europe", "Africa", "South America"]), (1, ["*"]),
    ],
}  # fmt: skip

SAMPLES = [
    "46|Private|HS-grad|Married-civ-spouse|White|Female|United-States|Adm-clerical|40|>50K",
    "40-59|Non-Government|Secondary education|spouse present|White|Female|North America|Adm-clerical|40|>50K",
    "48|Self-emp-not-inc|Assoc-voc|Married-civ-spouse|White|Female|United-States|Exec-managerial|25|>50K",
    "40-59|Non-Government|Higher education|spouse present|White|Female|North America|Exec-managerial|25|>50K",
    "50|Self-emp-inc|Prof-school|Married-civ-spouse|White|Male|United-States|Prof-specialty|60|>50K",
    "40-59|Non-Government|Higher education|spouse present|White|Male|North America|Prof-specialty|60|>50K",
    "21|Private|Some-college|Never-married|White|Male|Nicaragua|Adm-clerical|30|<=50K",
    "20-39|Non-Government|Higher education|spouse not present|White|Male|South America|Adm-clerical|30|<=50K",
    "49|Private|7th-8th|Married-civ-spouse|White|Male|United-States|Transport|48|<=50K",
    "40-59|Non-Government|Secondary education|spouse present|White|Male|North America|Transport|48|<=50K",
    "55|Self-emp-not-inc|9th|Married-civ-spouse|White|Male|United-States|Farming|30|<=50K",
    "40-59|Non-Government|Secondary education|spouse present|White|Male|North America|Farming|30|<=50K",
]

WARNINGS = [
    (
        "minimality", "warning",
        "The release is the proven best one. Who knows that can infer more than the rows show; do not "
        "publish how it was chosen, or let one of several good solutions be drawn (--top).",
    ),
    (
        "homogeneity", "serious",
        "In 3 groups, one value of occupation makes up more than 60% of the rows (the most is 37 of 57, "
        "Prof-specialty).",
    ),
    ("distinct", "note", "The column hours-per-week is released unchanged and has 96 different values."),
]  # fmt: skip


def facts() -> dict[str, Any]:
    """Return the facts of a release by a node of the lattice, with every part."""
    return {
        "file": "adult-release.csv",
        "sha256": "9f2feb0f1ef425b292f2f94bc8482494df430413a6a1ac3a7d5d5d8a1c0e7b44",
        "made": "2026-11-15",
        "version": "0.1.0",
        "rows": {"original": 45222, "released": 43433, "suppressed": 1789},
        "values_suppressed": 0,
        "columns": list(COLUMNS),
        "roles": {
            **{name: ["quasi"] for name in QUASI},
            "occupation": ["sensitive"],
            "hours-per-week": ["insensitive"],
            "salary-class": ["class"],
            "age-band": ["identifying"],
        },
        "not_released": ["age-band"],
        "promise": {
            "k": 10,
            "l": 3,
            "theta": {"occupation": {"uniform": "2/3", "values": {"Armed-Forces": "1/10"}}},
        },
        "measured": {
            "rows": 43433,
            "groups": 149,
            "k": 16,
            "sensitive": {"occupation": {"l": 4, "largest_share": "37/57"}},
        },
        "decision": {
            "kind": "node",
            "node": dict(LEVELS),
            "cut": None,
            "scheme": "allRec",
            "metric": "LM",
            "loss": 79968.6,
            "share": 79968.6 / 316554,
            "optimal": True,
            "certified": True,
            "lower_bound": 79968.6,
            "gap": 0.0,
            "seed": 8274419306618,
        },
        "frontier": {
            "metric": "LM",
            "points": [{"k": k, "loss": loss} for k, loss in POINTS],
            "chosen_k": 16,
            "certified": True,
            "suppression": "up-to",
            "suppression_limit": 452,
        },
        "risk": {
            "before": _risk(
                45222, 14668, 9892, 1, {"0.05": 0.642762, "0.2": 0.395737, "0.5": 0.218743}, BEFORE
            ),
            "after": _risk(43433, 149, 0, 16, {"0.05": 0.005871, "0.2": 0.0, "0.5": 0.0}, AFTER),
        },
        "worst_combinations": [
            {
                "columns": ["age", "education", "native-country"],
                "uniques": 2232,
                "share": 0.049357,
                "k": 1,
            },
            {
                "columns": ["age", "marital-status", "native-country"],
                "uniques": 1424,
                "share": 0.031489,
                "k": 1,
            },
            {
                "columns": ["age", "workclass", "native-country"],
                "uniques": 1168,
                "share": 0.025828,
                "k": 1,
            },
            {"columns": ["age", "native-country"], "uniques": 627, "share": 0.013865, "k": 1},
        ],
        "suda": {
            "size": 3,
            "rows": 5710,
            "columns": [{"column": "age", "share": 0.81}, {"column": "sex", "share": 0.12}],
            "values": [{"column": "native-country", "value": "Laos", "share": 0.05, "within": 0.2}],
        },
        "households": {
            "before": 20000,
            "after": 19000,
            "uniques": [{"known": "their own values", "before": 9892, "after": 0}],
        },
        "losses": [
            {"metric": "LM", "title": "general loss", "loss": 79968.6, "share": 79968.6 / 316554},
            {"metric": "DM", "title": "discernibility", "loss": 157156935.0, "share": 0.076848},
            {"metric": "CM", "title": "classification", "loss": 10284.0, "share": 0.227411},
        ],
        "attributes": [
            {
                "name": name,
                "loss": loss,
                "level": LEVELS[name],
                "height": height,
                "distinct_before": before,
                "distinct_after": after,
                "labels": list(labels),
            }
            for name, loss, height, before, after, labels in ATTRIBUTES
        ],
        "samples": {
            "columns": list(COLUMNS),
            "before": [row.split("|") for row in SAMPLES[::2]],
            "after": [row.split("|") for row in SAMPLES[1::2]],
        },
        "hierarchies": [
            {
                "name": name,
                "levels": [{"count": count, "examples": list(some)} for count, some in levels],
            }
            for name, levels in HIERARCHIES.items()
        ],
        "subgroups": [
            {"attribute": attribute, "value": value, "rows": rows, "suppressed": gone}
            for attribute, value, rows, gone in SUBGROUPS
        ],
        "classification": {
            "original_error": 0.1712,
            "released_error": 0.1896,
            "baseline_error": 0.2478,
            "rows": 15060,
        },
        "warnings": [
            {"code": code, "level": level, "sentence": sentence} for code, level, sentence in WARNINGS
        ],
    }


def cut_facts() -> dict[str, Any]:
    """Return the facts of a release by a cut that empties sensitive values and is not proven best."""
    result = copy.deepcopy(facts())
    result["decision"] |= {
        "kind": "cut",
        "node": None,
        "cut": {name: list(labels) for name, _, _, _, _, labels in ATTRIBUTES},
        "scheme": "vioSA",
        "optimal": False,
        "certified": False,
        "cost": 79968.6,
        "lower_bound": 77121.4,
        "gap": 0.0356,
    }
    for attribute in result["attributes"]:
        attribute["level"] = attribute["height"] = None
    result["rows"] = {"original": 45222, "released": 45222, "suppressed": 0}
    result["values_suppressed"] = 2671
    result["samples"]["after"][0][7] = None
    result["subgroups"] = None
    result["warnings"] = []
    return result


def _risk(
    rows: int, classes: int, uniques: int, k: int, at_risk: dict[str, float], sizes: list[Any]
) -> dict[str, Any]:
    return {
        "rows": rows,
        "classes": classes,
        "uniques": uniques,
        "k": k,
        "prosecutor_highest": 1 / k,
        "prosecutor_average": classes / rows,
        "marketer": classes / rows,
        "journalist_highest": 1 / k,
        "journalist_average": classes / rows,
        "at_risk": at_risk,
        "histogram": [
            {"from": first, "to": last, "classes": groups, "rows": inside}
            for first, last, groups, inside in sizes
        ],
    }
