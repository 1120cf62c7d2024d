"""Studies in Python: what can be given, what comes back, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal import Hierarchy, InputError, NoSolutionError, Study
from shoal.metrics import METRICS
from shoal.release.papers.documents import read_record, specification_of

ZIPS = ["02138", "02139", "02141", "02142"]
AGES = ["30", "31", "34", "36"]
TABLE = pa.table(
    {"zip": ZIPS, "age": AGES, "salary": ["low", "high", "low", "low"], "name": list("abcd")}
)
QUASI = {"zip": {"mask": {"digits": 5}}, "age": {"intervals": {"widths": [5, 10]}}}


def study(table=TABLE, quasi=QUASI, **given):
    return Study(table, quasi=quasi, **given)


def refusal(asked):
    with pytest.raises(InputError) as problem:
        asked()
    message = str(problem.value)
    assert "\n" not in message
    return message


def pairs(front):
    return [(point.k, point.loss) for point in front]


class TestTables:
    @pytest.mark.parametrize(
        "make", [pa.table, lambda t: t.to_pandas(), pl.from_arrow, duckdb.from_arrow]
    )
    def test_every_kind_of_frame_has_the_same_frontier(self, make):
        assert pairs(study(make(TABLE)).frontier()) == pairs(study().frontier())

    @pytest.mark.parametrize("kind", [str, Path])
    def test_a_file_has_the_same_frontier(self, tmp_path, kind):
        TABLE.to_pandas().to_csv(tmp_path / "people.csv", index=False)
        asked = study(kind(tmp_path / "people.csv"))
        assert pairs(asked.frontier()) == pairs(study().frontier())

    def test_numbers_are_found_in_the_hierarchy_as_text(self):
        ages = Hierarchy.from_rows([("30", "*"), ("31", "*")])
        for column in ([30, 31], [30.0, 31.0], pd.array([30, 31], dtype="Int64"), np.array([30, 31])):
            assert pairs(study(pd.DataFrame({"age": column}), {"age": ages}).frontier()) == [
                (2, 2.0),
                (1, 0.0),
            ]

    def test_the_order_of_the_rows_changes_nothing(self):
        turned = TABLE.take(pa.array([3, 1, 0, 2]))
        assert study(turned).frontier().points == study().frontier().points

    def test_a_table_of_nothing_is_refused(self):
        assert (
            refusal(lambda: study(TABLE.slice(0, 0)).frontier())
            == "the pyarrow Table: the table has no rows"
        )

    def test_a_missing_column_is_refused(self):
        message = refusal(lambda: study(TABLE.drop_columns("age")))
        assert message.startswith("the table the pyarrow Table has no column 'age'; ")

    def test_a_list_is_no_table(self):
        assert refusal(lambda: study([1, 2])).startswith("a list is not a table")


class TestHierarchies:
    def test_are_files_descriptions_or_made_before(self, tmp_path):
        (tmp_path / "zip.csv").write_text("".join(f"{zip_code};*\n" for zip_code in ZIPS))
        made = Hierarchy.from_rows([(zip_code, "*") for zip_code in ZIPS])
        tree = {"*": ZIPS}
        fronts = [
            pairs(study(quasi={"zip": given}).frontier())
            for given in (tmp_path / "zip.csv", str(tmp_path / "zip.csv"), made, tree)
        ]
        assert fronts == [[(4, 4.0), (1, 0.0)]] * 4

    def test_a_missing_value_stays_itself_until_the_root(self):
        table = pa.table({"zip": ["02138", "02138", None, ""]})
        found = study(table, {"zip": {"mask": {"digits": 5}}}).frontier(method="exhaustive")
        assert [(point.k, point.node["zip"]) for point in found] == [(4, 5), (2, 0)]

    def test_a_missing_value_goes_where_its_row_says(self):
        tree = Hierarchy.from_rows([("a", "x", "*"), ("b", "y", "*"), (None, "y", "*")])
        table = pa.table({"q": ["a", "a", "b", None]})
        assert [(point.k, point.node["q"]) for point in study(table, {"q": tree}).frontier()] == [
            (4, 2), (2, 1), (1, 0),
        ]  # fmt: skip

    def test_a_column_of_missing_values_only(self):
        table = pa.table({"q": pa.array([None, None], pa.string())})
        assert pairs(study(table, {"q": {"mask": {"digits": 5}}}).frontier()) == [(2, 0.0)]

    def test_leaves_that_the_data_lacks_count_in_the_loss(self):
        tree = {"x": ["a", "b"], "y": ["c", "d", "e"]}
        front = study(pa.table({"q": ["a", "b"]}), {"q": tree}).frontier()
        assert [(point.k, point.loss, point.node["q"]) for point in front] == [(2, 0.5, 1), (1, 0.0, 0)]

    def test_other_things_are_no_hierarchies(self):
        message = refusal(lambda: study(quasi={"zip": 5}).frontier())
        assert message.startswith(
            "a int is not a hierarchy for 'zip'; give a file, a description or a Hierarchy"
        )
        assert refusal(lambda: study(quasi={"zip": ZIPS}).frontier()).startswith(
            "a list is not a hierarchy"
        )

    def test_a_column_without_one_is_refused(self):
        assert refusal(lambda: study(quasi={"zip": None})).startswith(
            "the quasi column 'zip' has no hierarchy"
        )

    def test_values_that_they_lack_are_refused(self):
        message = refusal(lambda: study(quasi={"zip": {"*": ZIPS[:2]}}).frontier())
        assert message == (
            "the hierarchy of zip: no row for the value '02141' of the column 'zip' (1 rows) "
            "and 1 more values; add it"
        )


class TestRoles:
    def test_columns_may_have_them(self):
        asked = study(class_="salary", identifying="name")
        assert asked.quasi == ("zip", "age")
        assert asked.unlisted == ()
        assert study(sensitive=["salary", "name"]).unlisted == ()
        assert study().unlisted == ("salary", "name")

    def test_a_quasi_column_may_be_the_class(self):
        tree = {"*": ["low", "high"]}
        asked = study(quasi={"salary": tree}, class_="salary")
        assert pairs(asked.frontier(metric="CM")) == [(4, 1.0), (1, 0.0)]

    def test_no_quasi_column_is_refused(self):
        assert refusal(lambda: study(quasi={})).startswith("no column has the role quasi")

    def test_an_identifying_column_has_no_other_role(self):
        assert "has no other role" in refusal(lambda: study(identifying="age"))

    def test_an_unknown_column_is_refused(self):
        assert "has no column 'salry'; did you mean salary?" in refusal(lambda: study(sensitive="salry"))


class TestLevels:
    def test_limit_the_search(self):
        front = study(levels={"zip": (1, 3), "age": (0, 1)}).frontier(method="exhaustive")
        assert front.nodes == 6
        assert all(1 <= point.node["zip"] <= 3 for point in front)

    @pytest.mark.parametrize(
        ("levels", "words"),
        [
            ({"zip": (0, 6)}, "max_level 6 of 'zip' is above the root, level 5"),
            ({"zip": (3, 2)}, "min_level 3 of 'zip' is not between 0 and 2"),
            ({"zip": (-1, 2)}, "min_level -1 of 'zip' is not between 0 and 2"),
            (
                {"zpi": (0, 1)},
                "levels are given for 'zpi', which is not a quasi attribute; did you mean zip?",
            ),
            (
                {"salary": (0, 1)},
                "levels are given for 'salary', which is not a quasi attribute; known are zip, age",
            ),
        ],
    )
    def test_that_are_not_there_are_refused(self, levels, words):
        assert refusal(lambda: study(levels=levels).frontier()) == words


class TestWeights:
    def test_count_in_the_loss_and_decide_what_is_generalized(self):
        table = pa.table({"a": ["1", "1", "2", "2"], "b": ["1", "2", "1", "2"]})
        quasi = {"a": {"*": ["1", "2"]}, "b": {"*": ["1", "2"]}}
        plain = study(table, quasi).frontier(min_k=2, max_k=2)
        assert [(point.node, point.loss) for point in plain] == [({"a": 0, "b": 1}, 4.0)]
        weighed = study(table, quasi, weights={"a": "0.3", "b": 2}).frontier(min_k=2, max_k=2)
        assert [(point.node, point.loss) for point in weighed] == [({"a": 1, "b": 0}, 1.2)]
        best = study(table, quasi, weights={"a": 0.3, "b": 2}).optimize(k=2)
        assert (best.cut, best.cost) == ({"a": ("*",), "b": ("1", "2")}, 1.2)

    def test_are_kept_for_the_next_release(self, tmp_path):
        rows = pa.table({"zip": ["02138", "02139", "02141", "02142"], "age": ["1", "1", "2", "2"]})
        pq.write_table(rows, tmp_path / "people.parquet")
        quasi = {"zip": {"mask": {"digits": 5}}, "age": {"*": ["1", "2"]}}
        asked = Study(tmp_path / "people.parquet", quasi=quasi, weights={"age": "2.5"})
        asked.release(asked.frontier(), k=2).write(tmp_path / "out.csv")
        record = read_record(tmp_path / "out.csv.record.json")
        assert record["attributes"]["age"]["weight"] == "5/2"
        assert "weight" not in record["attributes"]["zip"]
        assert specification_of(record, rows, tmp_path).weights == {"zip": 1, "age": Fraction(5, 2)}

    @pytest.mark.parametrize(
        ("weights", "words"),
        [
            (
                {"zpi": 1},
                "weights are given for 'zpi', which is not a quasi attribute; did you mean zip?",
            ),
            ({"zip": -1}, "a weight of -1; use 0 to 1,000,000"),
            ({"zip": "much"}, "a weight is a number such as 2 or 0.5, not 'much'"),
            ({"zip": math.nan}, "a weight is a number such as 2 or 0.5, not 'nan'"),
            ({"zip": 0, "age": 0}, "every quasi column weighs 0; give one a weight above 0"),
        ],
    )
    def test_that_cannot_be_are_refused(self, weights, words):
        assert refusal(lambda: study(weights=weights)) == words


class TestFrontier:
    def test_of_the_four_zips_is_known(self):
        front = study(quasi={"zip": QUASI["zip"]}).frontier()
        # Two classes of two at 0213*, 0214*; all in one at 021**.
        assert [(point.k, point.node, point.loss) for point in front] == [
            (4, {"zip": 2}, 4.0), (2, {"zip": 1}, 4 / 3), (1, {"zip": 0}, 0.0),
        ]  # fmt: skip
        assert (front.method, front.metric, front.rows, front.nodes) == ("exact", "LM", 4, 6)
        assert front.certified

    @pytest.mark.parametrize("metric", [metric.name for metric in METRICS])
    @pytest.mark.parametrize("suppress", [0, 1, "50%"])
    @pytest.mark.parametrize("fill", [False, True])
    def test_exact_finds_what_exhaustive_finds(self, metric, suppress, fill):
        asked = study(class_="salary")
        exact = asked.frontier(metric=metric, suppress=suppress, fill=fill)
        every = asked.frontier(metric=metric, suppress=suppress, fill=fill, method="exhaustive")
        assert exact.points == every.points
        assert exact.suppression_limit == {0: 0, 1: 1, "50%": 2}[suppress]

    def test_suppressed_rows_cost_all_they_can(self):
        table = pa.table({"q": ["a", "a", "b"]})
        front = study(table, {"q": {"*": ["a", "b"]}}).frontier(suppress=1)
        assert [(point.k, point.loss, point.suppressed) for point in front] == [
            (3, 3.0, 0),
            (2, 1.0, 1),
            (1, 0.0, 0),
        ]

    @pytest.mark.parametrize("suppress", [0.5, "0.5", "50%", 2, "2", np.float64(0.5), np.int64(2)])
    def test_suppression_may_be_written_in_many_ways(self, suppress):
        assert study().frontier(suppress=suppress).suppression_limit == 2

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"suppress": "lots"}, "'lots' is not an amount of suppression"),
            ({"suppress": -1}, "suppression of -1 is negative"),
            ({"suppress": "101%"}, "is more than the whole table"),
            ({"suppress": 5}, "suppression of 5 rows, but the table has 4"),
            ({"suppress": math.nan}, "'nan' is not an amount of suppression"),
            ({"suppress": math.inf}, "'inf' is not an amount of suppression"),
            ({"suppress": "1e999999999"}, "is not an amount of suppression"),
            ({"metric": "XX"}, "unknown metric 'XX'"),
            ({"metric": "Perc"}, "did you mean Prec?"),
            ({"metric": "Entropy"}, "only shoal optimize has the metric Entropy"),
            ({"metric": "CM"}, "the metric CM needs a column of the role class"),
            ({"method": "guess"}, "unknown method 'guess'"),
            ({"min_k": 0}, "min_k is 0; use a whole number, 1 or more"),
            ({"min_k": -3}, "min_k is -3; use a whole number, 1 or more"),
            ({"max_k": 0}, "max_k is 0; use a whole number, 1 or more"),
            ({"min_k": 3, "max_k": 2}, "no k lies between 3 and 2"),
            ({"depth": 1}, "the method exact has no depth"),
            (
                {"objectives": "k,suppressed,loss", "fill": True},
                "fill is about k,loss and l,loss, not about k,suppressed,loss; leave it out",
            ),
            ({"method": "exhaustive", "depth": 1}, "the method exhaustive has no depth"),
            ({"method": "poka", "depth": 0}, "depth is 0; use a whole number, 1 or more"),
            ({"method": "poka", "depth": -5}, "depth is -5; use a whole number, 1 or more"),
            ({"time_limit": 0}, "time_limit is 0; use more than 0"),
            ({"time_limit": -1.5}, "time_limit is -1.5; use more than 0"),
            ({"time_limit": math.nan}, "time_limit is nan; use more than 0"),
        ],
    )
    def test_silly_questions_are_refused(self, given, words):
        assert words in refusal(lambda: study().frontier(**given))

    @pytest.mark.parametrize(
        "given",
        [{"min_k": 5}, {"suppress": "100%", "fill": True}, {"min_k": 3, "max_k": 3},
         {"min_k": 5, "method": "poka"}, {"min_k": 5, "method": "exhaustive"}],
    )  # fmt: skip
    def test_a_question_without_an_answer_says_so(self, given):
        with pytest.raises(NoSolutionError) as problem:
            study().frontier(**given)
        assert problem.value.exit_status == 3
        assert "\n" not in str(problem.value)

    def test_a_time_limit_keeps_what_was_found(self):
        front = study().frontier(time_limit=1e-9)
        assert len(front) > 0
        assert study().frontier(time_limit=math.inf).certified

    def test_a_large_depth_is_the_whole_lattice(self):
        assert study().frontier(method="poka", depth=10**30).points[0].k == 4

    def test_the_largest_k_may_be_any_number(self):
        assert pairs(study().frontier(max_k=10**30)) == pairs(study().frontier())

    def test_progress_is_told(self):
        told = []
        study().frontier(method="exhaustive", progress=lambda share, words: told.append((share, words)))
        assert all(0 <= share <= 1 and isinstance(words, str) for share, words in told)


class TestSettings:
    def test_are_taken(self, tmp_path):
        asked = study(threads=1, memory_limit="200MB", temp_directory=tmp_path)
        assert asked.threads == 1
        assert pairs(asked.frontier()) == pairs(study().frontier())

    @pytest.mark.parametrize("threads", [0, -1, 10**6])
    def test_silly_numbers_of_threads_are_refused(self, threads):
        assert f"threads is {threads}; use a whole number from 1 to 1,024" in refusal(
            lambda: study(threads=threads)
        )

    def test_answers_do_not_depend_on_threads(self):
        one, two = (study(threads=n).frontier(method="exhaustive") for n in (1, 2))
        assert one.points == two.points


class TestClosing:
    def test_a_study_is_closed_at_the_end_of_its_block(self):
        with study() as asked:
            asked.frontier()
        with pytest.raises(InputError, match="the pyarrow Table: the table is closed; open it again"):
            asked.tally("name")

    def test_a_tally_is_taken_once(self):
        with study() as asked:
            assert asked.tally() is asked.tally()
            first = asked.tally()
        assert asked.tally() is first


def test_public_names_are_those_of_the_contract():
    assert {"Study", "Hierarchy", "Taxonomy", "InputError", "NoSolutionError"} <= set(shoal.__all__)
