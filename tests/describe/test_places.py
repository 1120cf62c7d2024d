"""A file that says where a table lies says it in plain texts."""

from __future__ import annotations

import pytest

from shoal.describe import Place
from shoal.describe.places import read_place
from shoal.errors import InputError

LISTS = "url: [&a0 [x, x], " + ", ".join(f"&a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)) + "]"
"""Written out, the last list would have a million million values."""


@pytest.mark.parametrize("more", [LISTS, "url: &a [*a]", "url: {a: b}", "<<: {url: x}"])
def test_what_is_no_plain_text_is_refused(tmp_path, more):
    file = tmp_path / "place.yaml"
    file.write_text(f"engine: postgres\ntable: public.people\n{more}\n")
    with pytest.raises(InputError, match="does not say where a table is"):
        read_place(file)


def test_names_stay_as_they_are_written(tmp_path):
    file = tmp_path / "place.yaml"
    file.write_text("engine: postgres\ntable: '007'\nurl: postgresql://x/y\n")
    assert read_place(file) == Place("postgres", "007", "postgresql://x/y")
