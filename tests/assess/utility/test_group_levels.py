"""Where labels of groups stand: all classes at once as each by itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal import Hierarchy
from shoal.assess.utility.group_levels import GroupLevels

# The label "b" is a leaf and the group of two leaves; "e" has no other leaf beside it.
HIERARCHY = Hierarchy.from_rows(
    [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"], ["e", "e", "*"]]
)
DOMAIN = ("a", "b", "c", "d", "e", "none of these", None)
LABELS = ("a", "b", "ab", "cd", "e", "*", "{a, c}", None)


@given(st.data())
def test_the_levels_of_all_classes_are_those_of_each(data):
    shown = data.draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=6))
    pairs = st.tuples(st.integers(0, len(shown) - 1), st.integers(0, len(DOMAIN) - 1))
    drawn = data.draw(st.lists(pairs, min_size=1, max_size=12))
    classes = np.array([one for one, _ in drawn], dtype=np.int64)
    codes = np.array([code for _, code in drawn], dtype=np.int32)
    levels = GroupLevels(HIERARCHY, dict.fromkeys(DOMAIN, 1))
    found = levels.of_classes(shown, classes, DOMAIN, codes)
    for c, label in enumerate(shown):
        one = levels.of(label, {DOMAIN[code] for of, code in drawn if of == c})
        assert found[c] == (-1 if one.made_up else one.level)
