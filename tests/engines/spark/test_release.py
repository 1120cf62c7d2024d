"""Spark releases the rows that DuckDB releases, and its executors do all of it."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest

from shoal import Study
from shoal.answers.recoding import CutRecoding, Decision, Group, GroupRecoding, NodeRecoding, Scheme
from shoal.data.opening import open_engine
from shoal.describe.promise import Promise, ShareLimits
from shoal.errors import InputError
from shoal.verification import verify_table
from tests.engines.spark.tables import PEOPLE, counted, people
from tests.engines.spark_home import PARTS

NODE = NodeRecoding({"zip": 1, "age": 2})
HALF = Promise(3, None, {"illness": ShareLimits(Fraction(1, 2), {})})


def by_groups(table):
    """A recoding of combinations that follows no hierarchy."""
    pairs = sorted({(row["zip"], str(int(row["age"]))) for row in table.to_pylist()})
    split = {"many": pairs[: len(pairs) // 2], "some": pairs[len(pairs) // 2 :]}
    groups = [Group({"zip": name, "age": "*"}, tuple(members)) for name, members in split.items()]
    return GroupRecoding(("zip", "age"), tuple(groups))


def decisions(table):
    """One of every kind of recoding and of suppression."""
    whole = CutRecoding({"zip": ("*****",), "age": ("*",)})
    return {
        "node": Decision(NODE, Promise(15), Scheme.ALL_REC, "LM"),
        "cut": Decision(whole, Promise(50), Scheme.NO_SUPP, "LM"),
        "groups": Decision(by_groups(table), Promise(4), Scheme.ALL_REC, "LM"),
        "quotas": Decision(NODE, HALF, Scheme.VIO_REC, "LM"),
        "favoured quotas": Decision(by_groups(table), HALF, Scheme.VIO_REC, "CM"),
        "blanked classes": Decision(NodeRecoding({"zip": 2, "age": 2}), HALF, Scheme.ALL_SA, "LM"),
        "blanked values": Decision(NodeRecoding({"zip": 2, "age": 2}), HALF, Scheme.VIO_SA, "LM"),
    }


@pytest.mark.parametrize("kind", decisions(people(10)))
def test_the_same_rows_are_released_and_measured(spark, kind):
    table = people()
    decision = decisions(table)[kind]
    with Study(table, **PEOPLE) as ours, Study(spark.parts(table), **PEOPLE) as theirs:
        expected, found = (
            study.release(decision, seed=11, spreadsheet_safe=True).verified_table()
            for study in (ours, theirs)
        )
    assert type(found[0]).__module__.startswith("pyspark.sql")
    assert found[1] == expected[1]
    assert counted(found[0]) == counted(expected[0])
    assert found[0].columns == expected[0].column_names
    assert found[1].measured.rows > 0


def test_anatomy_deals_the_same_rows(spark):
    table = people(120)
    made = {name: PEOPLE[name] for name in ("quasi", "sensitive", "identifying", "insensitive")}
    illness = pa.array(["flu", "cold", "gout", None] * 30)
    table = table.set_column(3, "illness", illness)
    both = []
    for rows in (table, spark.parts(table)):
        with Study(rows, **made) as study:
            release = study.release(study.anonymize("anatomy", l=2), seed=5)
            both.append([counted(frame) for frame in release.frames()])
    assert both[0] == both[1]


def test_spark_connect_gives_what_the_classic_session_gives(spark):
    table = people(200)
    made = []
    for frame in (spark.parts(table), spark.frame(table, spark.remote)):
        with Study(frame, **PEOPLE) as study:
            front = study.frontier()
            assert study.negotiate(k=3).exact is not None
            made.append(study.release(front, k=5, seed=1).frame())
    assert type(made[0]).__module__ == "pyspark.sql.classic.dataframe"
    assert type(made[1]).__module__ == "pyspark.sql.connect.dataframe"
    assert counted(made[0]) == counted(made[1])
    assert verify_table(made[1], Promise(5), ["zip", "age"]).holds
    assert not verify_table(made[1], Promise(10**6), ["zip", "age"]).holds


def plan_of(frame):
    return frame._jdf.queryExecution().executedPlan().toString()


def test_mapping_tables_are_broadcast_and_rows_never_meet_in_one_place(spark):
    table = people()
    # The plan is not changed while it runs, and there is no broadcast that is not asked for.
    session = spark.session.newSession()
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    frame = spark.frame(table, session)
    tables = {
        "node": "deleted",
        "groups": "combinations",
        "quotas": "quotas",
        "blanked values": "blanked0",
    }
    for kind, special in tables.items():
        with Study(frame, **PEOPLE) as study:
            outlet = study.release(decisions(table)[kind], seed=1)._outlet()
        assert special in outlet.tables
        plan = plan_of(outlet.rows)
        assert plan.count("BroadcastHashJoin") == len(outlet.tables), kind
        for never in ("SinglePartition", "SortMergeJoin", "NestedLoop", "CartesianProduct"):
            assert never not in plan, kind
        assert ("Window" in plan) == (kind == "quotas")


def test_rows_that_are_equal_a_hundred_thousand_times_are_spread(spark):
    session = spark.session.newSession()
    session.conf.set("spark.sql.adaptive.enabled", "true")
    session.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
    frame = session.range(0, 120_000, 1, 4).selectExpr(
        "LPAD(CAST(IF(id % 1000 = 0, id, 1) AS STRING), 6, '0') AS zip", "'x' AS note"
    )
    with Study(frame, quasi={"zip": {"mask": {"digits": 6}}}, insensitive="note") as study:
        released = study.release(study.frontier(), k=100, seed=3).frame()
    parts = released.selectExpr("SPARK_PARTITION_ID() AS part").groupBy("part").count()
    sizes = parts.toArrow()["count"].to_pylist()
    assert sum(sizes) == 120_000
    assert len(sizes) == PARTS
    assert max(sizes) < 1.1 * min(sizes)


def test_the_order_tells_nothing_of_the_original(spark):
    """Equal rows do not stand together, and another seed gives another order."""
    session = spark.session.newSession()
    session.conf.set("spark.sql.adaptive.enabled", "true")
    frame = session.range(0, 3000, 1, 3).selectExpr("CAST(id % 3 AS STRING) AS zip", "id % 3 AS note")
    orders = []
    for seed in (1, 2):
        with Study(frame, quasi={"zip": {"mask": {"digits": 1}}}, insensitive="note") as study:
            released = study.release(study.frontier(), k=3000, seed=seed).frame()
        orders.append(released.toArrow()["note"].to_pylist())
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
    changes = sum(one != other for one, other in zip(orders[0], orders[0][1:], strict=False))
    assert changes > 1500  # two in three, where neighbours have nothing to do with each other


def test_a_frame_stays_what_was_verified(spark):
    """The original changes between two looks at it."""
    session = spark.session
    path = str(spark.folder / "changing")
    session.range(0, 60).selectExpr("CAST(id % 2 AS STRING) AS zip").write.parquet(path)
    with Study(session.read.parquet(path), quasi={"zip": {"mask": {"digits": 1}}}) as study:
        released = study.release(study.frontier(), k=30, seed=1).frame()
    before = counted(released)
    session.range(0, 5).selectExpr("'9' AS zip").write.mode("overwrite").parquet(path)
    assert counted(released) == before


def test_only_groups_come_to_this_process(spark, monkeypatch):
    from pyspark.sql.classic.dataframe import DataFrame

    fetched = []
    arrow = DataFrame.toArrow

    def watched(self):
        rows = arrow(self)
        fetched.append(rows.num_rows)
        return rows

    def never(self, *_, **__):
        raise AssertionError("rows are fetched")

    monkeypatch.setattr(DataFrame, "toArrow", watched)
    for name in (
        "collect",
        "toPandas",
        "take",
        "head",
        "first",
        "toLocalIterator",
        "__arrow_c_stream__",
    ):
        monkeypatch.setattr(DataFrame, name, never, raising=False)  # older Sparks lack the last
    frame = spark.session.range(0, 20_000, 1, 4).selectExpr(
        "CAST(10 + id % 50 AS STRING) AS zip", "CAST(id AS STRING) AS note"
    )
    with Study(frame, quasi={"zip": {"mask": {"digits": 2}}}, insensitive="note") as study:
        release = study.release(study.frontier(), k=100, seed=1)
        release.frame()
        with release.into(str(spark.folder / "fetched")) as rows:
            release.check(rows)
    assert max(fetched) == 50


def test_what_cannot_be_released_is_refused(spark, tmp_path):
    frame = spark.session.sql("SELECT '1' AS zip, MAP('a', 1) AS tags FROM RANGE(5)")
    made = {"quasi": {"zip": {"mask": {"digits": 1}}}, "insensitive": "tags"}
    with (
        Study(frame, **made) as study,
        pytest.raises(InputError, match=r"MAP<STRING,INT>.*does not compare"),
    ):
        study.release(study.frontier(), k=1).frame()
    with Study(spark.parts(people(50)), **PEOPLE) as study:
        front = study.frontier()
        with pytest.raises(InputError, match=r"into"):
            study.release(front, k=2).write(tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())
    engine = open_engine(frame)
    engine.close()
    with pytest.raises(InputError, match="closed"):
        engine.count()
