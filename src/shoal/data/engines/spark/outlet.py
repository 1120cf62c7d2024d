"""How Spark writes a release: mapping tables go to every executor, and the executors write the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.engine import Engine, Hidden
from shoal.data.engines.spark import dialect
from shoal.data.engines.spark.text import raw_name
from shoal.data.sql import bucket_statements, release_statement
from shoal.data.sql.bucket_statements import BucketShape
from shoal.data.sql.release_statement import ReleaseShape
from shoal.errors import InputError, show

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlglot import exp

    from shoal.data.engines.spark.engine import SparkEngine

_DATED = {"date": "DATE", "timestamp_ntz": "TIMESTAMP_NTZ"}
_UNGROUPED = ("map<", "variant", "geometry", "geography", "interval")
"""Types whose values Spark cannot compare."""


def outlet(engine: SparkEngine, shape: ReleaseShape, tables: Mapping[str, pa.Table]) -> SparkOutlet:
    """Return the outlet for the released rows."""
    plain = _plain_names(engine)
    renamed = replace(
        shape,
        columns=tuple(plain[name] for name in shape.columns),
        quasi=tuple(plain[name] for name in shape.quasi),
        quotas=tuple(plain[name] for name in shape.quotas),
        favoured=None if shape.favoured is None else plain[shape.favoured],
        blanked={plain[name]: by_value for name, by_value in shape.blanked.items()},
        safe=frozenset(plain[name] for name in shape.safe),
        persons=tuple(plain[name] for name in shape.persons),
        person="person_name" if shape.person else "",
        household=None if shape.household is None else plain[shape.household],
        shifts={plain[name]: days for name, days in shape.shifts.items()},
    )
    dated = {plain[name]: _DATED.get(engine.type_of(name)) for name in shape.shifts}
    statement = release_statement.statement(
        "source", engine.kinds(), renamed, ordered=False, dated=dated
    )
    used = [*shape.named, *shape.quotas, *shape.blanked]
    if shape.favoured is not None:
        used.append(shape.favoured)
    names = [*shape.columns, *([shape.person] if shape.person else [])]
    return SparkOutlet(engine, statement, used, tables, names)


def bucket_outlets(
    engine: SparkEngine, shape: BucketShape, tables: Mapping[str, pa.Table]
) -> tuple[SparkOutlet, SparkOutlet]:
    """Return two outlets: the rows with their groups, and the groups' sensitive values."""
    renamed = plain_shape(engine, shape)
    used = [*shape.columns, shape.sensitive, *shape.persons]
    rows = bucket_statements.rows_statement("source", engine.kinds(), renamed)
    values = bucket_statements.values_statement("source", engine.kinds(), renamed)
    person = [shape.person] if shape.persons else []
    return (
        SparkOutlet(engine, rows, used, tables, [*shape.columns, shape.group, *person]),
        SparkOutlet(engine, values, used, tables, [shape.group, shape.sensitive, shape.count]),
    )


def plain_shape(engine: SparkEngine, shape: BucketShape) -> BucketShape:
    """Return a shape with the columns' plain names."""
    plain = _plain_names(engine)
    return replace(
        shape,
        columns=tuple(plain[name] for name in shape.columns),
        sensitive=plain[shape.sensitive],
        group="bucket_number",
        count="rows_counted",
        persons=tuple(plain[name] for name in shape.persons),
        person="person_name" if shape.persons else "",
    )


def _plain_names(engine: SparkEngine) -> dict[str, str]:
    return {name: raw_name(i) for i, name in enumerate(engine.columns)}


class SparkOutlet:
    """The released rows of one table, as a frame that is not yet computed."""

    def __init__(
        self,
        engine: SparkEngine,
        statement: exp.Select,
        used: Sequence[str],
        tables: Mapping[str, pa.Table],
        names: Sequence[str],
    ) -> None:
        self._engine = engine
        self.tables = tuple(tables)
        for name in used:
            kind = engine.type_of(name)
            if kind.startswith(_UNGROUPED) and not kind.startswith("interval day"):
                raise InputError(
                    f"the column {show(name)} holds {kind.upper()}, which Spark does not compare; turn it "
                    "into text, or leave it out",
                    file=engine.name,
                )
        numbers = sorted({engine.columns.index(name) for name in used})
        with engine.told():
            numbered = engine.ask(dialect.numbered("source", numbers), source=engine.raw)
            maps = {name: engine.taken_in(table) for name, table in tables.items()}
            rows = engine.ask(dialect.scattered(statement), source=engine.texts(numbered), **maps)
            self.rows = rows.toDF(*names)

    def table(self) -> Any:
        """Return the rows as a Spark frame, computed and kept by the executors.

        So the verified rows are exactly those that the frame returns, even if the original changes.
        """
        with self._engine.told():
            return self.rows.localCheckpoint(eager=True)

    def write(self, path: Path, progress: Callable[[float], None] | None = None) -> None:
        """Refuse, because all rows would have to come to this process."""
        raise InputError(
            "rows in Spark are written by Spark; name a folder or a table of Spark (`into`)",
            file=path,
        )

    @contextmanager
    def into(
        self, target: str, *, replace: bool = False, hidden: Hidden | None = None
    ) -> Iterator[Engine]:
        """Write the rows into a folder of Parquet files (a path) or a table (a name), and yield it.

        With a hidden column the executors keep the rows, which are checked and then written without it.
        """
        from shoal.data.engines.spark.targets import target_of

        landing, rows = target_of(self._engine, target), self.rows
        if hidden is not None:
            kept = self.table()
            hidden.check(type(self._engine)(kept))
            rows = kept.drop(hidden.column)
        with landing.written(rows, replace) as made:
            yield made

    def close(self) -> None:
        """Do nothing: the mapping tables go with the frame."""
