"""The built-in taxonomies: each value has one place, and the places are the offices' own."""

from __future__ import annotations

from itertools import pairwise

import pytest

from shoal.describe.hierarchies import build_hierarchy
from shoal.describe.hierarchies.taxonomies import TAXONOMIES
from shoal.describe.hierarchies.taxonomies.code_classes import _BLOCKS, _CHAPTERS, icd10_path
from shoal.describe.hierarchies.taxonomies.country_regions import _COUNTRIES
from shoal.errors import InputError


def test_there_are_all_countries_once() -> None:
    codes = [one.split()[:2] for listed in _COUNTRIES.values() for one in listed.split(";")]
    assert len(codes) == 248  # and Antarctica, which is in no region
    assert len({two for two, _ in codes}) == len({three for _, three in codes}) == 248
    assert all(len(two) == 2 and len(three) == 3 and (two + three).isupper() for two, three in codes)
    assert len(_COUNTRIES) == 22


@pytest.mark.parametrize(
    ("taxonomy", "value", "labels"),
    [
        ("countries", "Germany", ("Western Europe", "Europe")),
        ("countries", "gbr", ("Northern Europe", "Europe")),
        ("countries", "Cote d'Ivoire", ("Western Africa", "Africa")),
        ("countries", "MX", ("Central America", "Americas")),
        ("countries", "Iran", ("Southern Asia", "Asia")),
        ("countries", "Cyprus", ("Western Asia", "Asia")),
        ("us-states", "Texas", ("West South Central", "South")),
        ("us-states", "dc", ("South Atlantic", "South")),
        ("icd-10", "I21.4", ("I21.-", "I20-I25", "I00-I99 circulatory system")),
        ("icd-10", "b99", ("B99.-", "B99.-", "A00-B99 infectious and parasitic diseases")),
        ("icd-10", "W19", ("W19.-", "V01-X59", "V01-Y98 external causes")),
        ("isco-08", "2221", ("222*", "22**", "2 professionals")),
        ("nace-2", "86.10", ("86.1*", "86*", "Q health and social work")),
        ("nace-2", "G47", ("47*", "47*", "G wholesale and retail trade")),
        ("isced-2011", "5", ("high (ISCED 5-8)",)),
    ],
)
def test_a_value_is_where_its_office_has_it(taxonomy: str, value: str, labels: tuple[str, ...]) -> None:
    ((leaf, *found, root),) = build_hierarchy({"taxonomy": taxonomy}, [value], "x").rows()
    assert (leaf, tuple(found), root) == (value, labels, "*")


def test_blocks_of_diagnoses_are_apart_in_order_and_inside_their_chapters() -> None:
    blocks = [(one[:3], one[4:]) for one in _BLOCKS.split()]
    ordered = sorted(blocks)
    assert all(low <= high for low, high in ordered)
    assert all(before[1] < after[0] for before, after in pairwise(ordered))
    chapters = [one.split()[0] for one in _CHAPTERS.split(";")]
    assert len(chapters) == 22
    for low, high in blocks:
        assert sum(one[:3] <= low and high <= one[4:] for one in chapters) == 1
        first, last = icd10_path(low), icd10_path(high)
        assert first is not None
        assert last is not None
        assert first[1:] == last[1:]


def test_short_and_long_codes_are_told_apart() -> None:
    build_hierarchy({"taxonomy": "icd-10"}, ["C50", "C50.9", "E11", "E11.9"], "x").tree()
    build_hierarchy({"taxonomy": "isco-08"}, ["2", "23", "231", "2310"], "x").tree()
    build_hierarchy({"taxonomy": "nace-2"}, ["C", "10", "10.1", "10.11", "86"], "x").tree()


def test_what_a_taxonomy_does_not_know_is_named() -> None:
    with pytest.raises(InputError, match="'Atlantis' is not a country, by its English name or ISO code"):
        build_hierarchy({"taxonomy": "countries"}, ["Atlantis"], "x")
    with pytest.raises(InputError, match="unknown taxonomy 'contries'; did you mean countries"):
        build_hierarchy({"taxonomy": "contries"}, ["FR"], "x")
    assert all(path("#") is None for _, path in TAXONOMIES.values())
