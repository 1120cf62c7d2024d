"""Household risk is sdcMicro's, and what attackers know of a household is counted person by person."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from math import prod

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.assess.risk.households import household_risk
from shoal.assess.risk.records import numbered_rows, risk_records
from shoal.data.opening import opened
from shoal.data.tally.tally import take_tally

K7 = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")


def tally_of(columns, quasi, *others, persons=()):
    with opened(pa.table(columns)) as engine:
        return take_tally(engine, list(quasi), list(others), list(persons))


@pytest.mark.parametrize("keys", [K7, ("urbrur", "roof", "walls", "water", "sex")], ids=["k7", "k5"])
def test_household_risk_is_that_of_sdcmicro(sdcmicro, keys):
    with opened(sdcmicro / "tables" / "testdata.csv") as engine:
        tally = take_tally(engine, list(keys), ["ori_hid", "sampling_weight"])
    told = json.loads((sdcmicro / "figures" / "testdata_risk.json").read_text())
    told = told["k7" if keys is K7 else "k5"]
    found = household_risk(tally, "ori_hid")
    expected = told["measure_risk_unweighted"]
    assert (found.households, found.largest) == (told["n_households"], told["max_household"])
    assert found.prosecutor.members == pytest.approx(expected["global_risk_ER"])
    assert found.prosecutor.persons == pytest.approx(expected["hier_risk_ER"])
    assert found.prosecutor.households == pytest.approx(expected["sum_hier_one_per_household"])
    assert found.uniques[0] == told["freqCalc"]["n1"]


def test_household_risk_by_weights_is_that_of_sdcmicro(sdcmicro):
    with opened(sdcmicro / "tables" / "testdata.csv") as engine:
        tally = take_tally(engine, list(K7), ["ori_hid"])
    with (sdcmicro / "figures" / "testdata_k7_risk.csv").open() as file:
        rows = list(csv.DictReader(file))
    with (sdcmicro / "tables" / "testdata.csv").open() as file:
        own = [tuple(row[key] for key in K7) for row in csv.DictReader(file)]
    risk = dict(zip(own, (float(row["measure_risk_w"]) for row in rows), strict=True))
    sampled = np.array([risk[values] for values in tally.combinations()])
    told = json.loads((sdcmicro / "figures" / "testdata_risk.json").read_text())
    expected = told["k7"]["measure_risk_weighted"]
    found = household_risk(tally, "ori_hid", sampled).sample
    assert found.members == pytest.approx(expected["global_risk_ER"])
    assert found.persons == pytest.approx(expected["hier_risk_ER"])
    assert found.households == pytest.approx(expected["sum_hier_one_per_household"])
    assert found.highest == pytest.approx(max(float(row["hier_risk_w"]) for row in rows))


@st.composite
def people(draw):
    """Rows of a household or none, two values, and a weight that has nothing to do with them."""
    one = st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from("xyz"), st.sampled_from("uv"),
                    st.sampled_from("12"))  # fmt: skip
    return draw(st.lists(one, min_size=1, max_size=25))


@given(people())
def test_households_are_as_they_are_counted_row_by_row(rows):
    names = ("home", "one", "other", "weight")
    columns = {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)}
    found = household_risk(tally_of(columns, ("one", "other"), "home", "weight"), "home")
    homes = [home or i for i, (home, *_) in enumerate(rows)]
    own = [row[1:3] for row in rows]
    times, members = Counter(own), defaultdict(list)
    for home, values in zip(homes, own, strict=True):
        members[home].append(values)
    risks = {home: 1 - prod(1 - 1 / times[one] for one in inside) for home, inside in members.items()}
    assert found.households == len(members)
    assert found.prosecutor.households == pytest.approx(sum(risks.values()))
    assert found.prosecutor.persons == pytest.approx(sum(risks[home] for home in homes))
    assert found.prosecutor.highest == pytest.approx(max(risks.values()))
    by_size = Counter((one, len(members[home])) for home, one in zip(homes, own, strict=True))
    together = {home: tuple(sorted(inside)) for home, inside in members.items()}
    by_members = Counter((one, together[home]) for home, one in zip(homes, own, strict=True))
    assert found.uniques == tuple(
        sum(n == 1 for n in one.values()) for one in (times, by_size, by_members)
    )


def by_persons(rows):
    """Who lives where, with the values of their rows there, and the household of each row; by definition."""
    homes = [(home, None) if home else (None, who) for home, _, _, who in rows]
    members = defaultdict(lambda: defaultdict(set))
    for home, (_, one, other, who) in zip(homes, rows, strict=True):
        members[home][who].add((one, other))
    return homes, members


def alone(rows, known):
    """How many persons have values that, with what is known beside, no other person has."""
    having = defaultdict(set)
    for fact, (_, one, other, who) in zip(known, rows, strict=True):
        having[one, other, fact].add(who)
    return len({who for them in having.values() if len(them) == 1 for who in them})


@given(people(), st.randoms(use_true_random=False))
def test_members_are_persons_where_these_have_several_rows(rows, rng):
    rows = [(*row[:3], f"p{rng.randrange(max(len(rows) * 2 // 3, 1))}") for row in rows]
    names = ("home", "one", "other", "who")
    columns = {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)}
    tally = tally_of(columns, ("one", "other"), "home", persons=["who"])
    found = household_risk(tally, "home")
    homes, members = by_persons(rows)
    crowd = defaultdict(set)
    for _, one, other, who in rows:
        crowd[one, other].add(who)
    risk = {
        (home, who): max(1 / len(crowd[value]) for value in values)
        for home, inside in members.items()
        for who, values in inside.items()
    }
    together = {
        home: 1 - prod(1 - risk[home, who] for who in inside) for home, inside in members.items()
    }
    assert found.households == len(members)
    assert found.rows == len({row[3] for row in rows})
    assert found.largest == max(map(len, members.values()))
    assert found.prosecutor.members == pytest.approx(sum(risk.values()))
    assert found.prosecutor.persons == pytest.approx(sum(together[home] for home, _ in risk))
    assert found.prosecutor.households == pytest.approx(sum(together.values()))
    assert found.prosecutor.highest == pytest.approx(max(together.values()))
    looks = {
        home: tuple(sorted(tuple(sorted(values)) for values in inside.values()))
        for home, inside in members.items()
    }
    assert found.uniques == (
        alone(rows, [None] * len(rows)),
        alone(rows, [len(members[home]) for home in homes]),
        alone(rows, [looks[home] for home in homes]),
    )
    with opened(pa.table(columns)) as engine:
        numbered = numbered_rows(engine, tally, "home", ["who"])
    risks = 1 / tally.people_in(np.arange(len(tally)), len(tally))
    records = risk_records(numbered, {"risk": risks}).to_pydict()
    assert records["household_size"] == [len(members[home]) for home in homes]
    assert records["household_risk"] == pytest.approx([together[home] for home in homes])
