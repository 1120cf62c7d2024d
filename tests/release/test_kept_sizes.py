"""What is kept of a recoding by groups is at most three times as large as the released table, in any format.

That holds from about 12 kB of released table on (docs/groups.md): a record has 10 to 20 kB in any case. Nor
does it hold of labels that say next to nothing about amounts, since the combinations are kept as they were.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal import Study
from shoal.cli.output import save

AGES = {"intervals": {"origin": 15, "widths": [5, 10, 20, 40]}}
LIKE_ADULT = {
    "sex": 2,
    "race": 5,
    "marital": 7,
    "education": 16,
    "country": 41,
    "workclass": 8,
    "salary": 2,
    "occupation": 14,
}
"""How many values each attribute has."""


def like_adult():
    """A study of nine attributes with few values each, skewed, as Adult has them."""
    rng, rows = np.random.default_rng(2), 4000
    table = {"age": np.clip(rng.normal(38, 13, rows), 17, 90).astype(int).astype(str)}
    quasi = {"age": AGES}
    for name, count in LIKE_ADULT.items():
        words = [f"{name} {i}" for i in range(count)]
        shares = 1 / np.arange(1, count + 1) ** 1.5
        table[name] = rng.choice(words, rows, p=shares / shares.sum())
        half = max(count // 2, 1)
        quasi[name] = {"*": {f"{name}, one half": words[:half], f"{name}, the other": words[half:]}}
    return Study(pa.table(table), quasi=quasi)


def with_amounts():
    """A study of eleven columns, eight of them amounts with a thousand values or more."""
    rng, rows = np.random.default_rng(1), 1500
    wealth = rng.lognormal(0, 1, rows)
    table, quasi = {}, {}
    for a in range(8):
        paid = np.minimum(wealth * rng.lognormal(0, 0.7, rows) * 3000, 99_999).astype(np.int64)
        table[f"amount{a}"] = np.where(rng.random(rows) < 0.1, 0, paid).astype(str)
        quasi[f"amount{a}"] = {"intervals": {"origin": 0, "widths": [100, 1000, 10_000]}}
    born = np.datetime64("1940-01-01") + rng.integers(0, 20_000, rows)
    table["born"], quasi["born"] = born.astype(str), {"dates": ["month", "year"]}
    table["sex"], quasi["sex"] = rng.choice(["f", "m"], rows), {"*": ["f", "m"]}
    table["state"], quasi["state"] = (
        rng.choice(list("abcd"), rows),
        {"*": {"x": ["a", "b"], "y": ["c", "d"]}},
    )
    return Study(pa.table(table), quasi=quasi)


@pytest.mark.parametrize(
    ("table", "algorithm"),
    [(like_adult, "mondrian"), (like_adult, "local-recoding"), (with_amounts, "mondrian")],
)
def test_solution_and_record_take_three_times_the_release_at_most(table, algorithm, tmp_path):
    with table() as study:
        found = study.anonymize(algorithm, k=5, options={"effort": 0})
        save(tmp_path / "solution.json", found, False)
        for out in (tmp_path / "out.csv", tmp_path / "out.parquet"):
            study.release(found, seed=1).write(out)
    solution = _bytes(tmp_path.glob("solution.json*"))
    for out in (tmp_path / "out.csv", tmp_path / "out.parquet"):
        released = out.stat().st_size
        # Everything for the curator alone, but the page to read.
        record = [path for path in tmp_path.glob(f"{out.name}.*") if path.stat().st_mode & 0o077 == 0]
        record.remove(out.with_name(f"{out.name}.report.html"))
        assert out.with_name(f"{out.name}.record.json") in record
        assert out.with_name(f"{out.name}.groups.parquet") in record
        assert released > 12_000
        assert solution <= 3 * released, (out.name, solution / released)
        assert _bytes(record) <= 3 * released, (out.name, _bytes(record) / released)


def _bytes(paths):
    return sum(path.stat().st_size for path in paths)
