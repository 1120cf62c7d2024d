"""Releases that list their rows in one order are found out, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from shoal import Study
from shoal.assess.composition import compare_releases
from shoal.assess.composition.row_order import Placed, count_windows, shared_order
from shoal.demo import write_hospital

FINE = {"node": {"age": 3, "sex": 0, "zip": 4, "occupation": 3, "admission-date": 2}, "k": 2}
COARSE = {"node": {"age": 4, "sex": 0, "zip": 5, "occupation": 2, "admission-date": 3}, "k": 5}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A function that releases one table, and returns the file."""
    folder = tmp_path_factory.mktemp("hospital")
    with Study.open(write_hospital(folder, 2_000)) as study:

        def write(name, solution, **options):
            study.release(solution, **options).write(folder / name)
            return folder / name

        yield write


def test_one_order_is_found_out_although_rows_are_suppressed(release):
    # As releases of one seed came before the order had a key.
    one, other = release("1.csv", FINE, order_key="1"), release("2.csv", COARSE, order_key="1")
    header, *rows = other.read_text().splitlines()
    assert len(rows) != len(one.read_text().splitlines()) - 1
    found = compare_releases(one, other)
    assert found.order.paired
    assert found.order.correlation > 0.2
    assert not found.harmless
    assert "in the same order (" in found.sentences()[0]
    # Turning it round does not help.
    other.write_text("\n".join([header, *reversed(rows)]) + "\n")
    found = compare_releases(one, other)
    assert found.order.paired
    assert found.order.correlation < -0.2
    assert "in opposite orders" in found.sentences()[0]


def test_releases_of_one_seed_do_not_pair_up(release):
    one, other = release("3.csv", FINE, seed=1), release("4.csv", COARSE, seed=1)
    found = compare_releases(one, other)
    assert not found.order.paired
    assert found.order.deviations < 4
    assert not any("order" in sentence for sentence in found.sentences())
    assert set(found.to_dict()["order"]) == {"correlation", "deviations", "paired"}
    # The same rows in one order are nothing to speak of.
    assert compare_releases(one, one).order is None


def placed(blocks, windows):
    """The rows of a file, given the block of each in turn."""
    at = np.arange(len(blocks)) * windows // len(blocks)
    return Placed(at, np.asarray(blocks), np.ones(len(blocks), dtype=np.int64))


def dense(one, other, windows):
    """The correlation of the tables of windows and blocks, cell by cell."""
    common = sorted(set(one.blocks.tolist()) & set(other.blocks.tolist()))
    tables = []
    for side in (one, other):
        counts = np.zeros((windows, 1 + max(common)))
        inside = np.isin(side.blocks, common)
        np.add.at(counts, (side.windows[inside], side.blocks[inside]), side.counts[inside])
        expected = np.broadcast_to(counts.sum(axis=0) / windows, counts.shape)
        tables.append(((counts - expected) / np.sqrt(np.maximum(expected, 1e-300)))[:, common])
    return float(
        (tables[0] * tables[1]).sum() / np.sqrt((tables[0] ** 2).sum() * (tables[1] ** 2).sum())
    )


@pytest.mark.parametrize("kinds", [2, 9, 400])
def test_the_correlation_is_that_of_all_cells(kinds):
    random = np.random.default_rng(kinds)
    one = random.integers(0, kinds, 400)
    other = np.concatenate([one[:200], random.integers(0, kinds + 1, 150)])
    windows = count_windows(len(one), len(other))
    sides = placed(one, windows), placed(other, windows)
    found = shared_order(*sides, windows)
    turned = Placed(windows - 1 - sides[1].windows, sides[1].blocks, sides[1].counts)
    forth, back = dense(*sides, windows), dense(sides[0], turned, windows)
    assert found.correlation == pytest.approx(forth if forth >= back else -back)


@pytest.mark.parametrize("kinds", [5, 30, 1000])
def test_chance_is_not_taken_for_an_order(kinds):
    """The deviations of orders that are drawn by chance are those of the larger of two normal numbers."""
    random = np.random.default_rng(kinds)
    rows = random.integers(0, kinds, 1000)
    windows = count_windows(1000, 900)
    found = [
        shared_order(
            placed(random.permutation(rows), windows),
            placed(random.permutation(rows)[:900], windows),
            windows,
        ).deviations
        for _ in range(200)
    ]
    assert max(found) < 4.5
    assert 0.4 < np.mean(found) < 0.8
    fewer = rows[random.random(1000) < 0.95]
    assert shared_order(placed(rows, windows), placed(fewer, windows), windows).paired


@pytest.mark.parametrize("blocks", [[0] * 100, [0] * 19])
def test_where_nothing_tells_rows_apart_nothing_is_said(blocks):
    windows = count_windows(len(blocks), len(blocks))
    if windows:
        assert shared_order(placed(blocks, windows), placed(blocks, windows), windows) is None
    else:
        assert len(blocks) < 20
