"""Tables of Delta and Iceberg, which DuckDB reads as streams of Arrow: one version, a few batches at a time.

DuckDB has extensions for both, but loads them from the network; Shoal lets it load none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.engines.duckdb.connection import Connection
from shoal.data.files import sources
from shoal.describe import Place
from shoal.errors import InputError, MissingExtraError, NoTableError

if TYPE_CHECKING:
    import pyarrow as pa

CATALOG = "catalog:"
"""What the url of an Iceberg table begins with if a catalog finds it; otherwise it is a metadata file."""


def open_lake(place: Place, session: Connection, view: str) -> None:
    """Make the version that a table has now visible to DuckDB, as long as the session lasts."""
    rows = _delta(place) if place.engine == "delta" else _iceberg(place)
    sources.check_columns(rows.schema.names, str(place))
    session.show(lambda connection: connection.register(view, rows))


def _delta(place: Place) -> Any:
    """Return the dataset of the files that a Delta table has now; removed rows are not in them."""
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError
    except ImportError:
        raise MissingExtraError("tables of Delta", "deltalake", "delta") from None
    where = delta_path(place)
    if "://" not in where and not Path(where).is_dir():
        raise NoTableError(f"{place}: there is no such folder; check url and table")
    with _told(place, DeltaError):
        try:
            return DeltaTable(where).to_pyarrow_dataset()
        except TableNotFoundError:
            raise NoTableError(
                f"{place}: the folder is no table of Delta (it has no _delta_log)"
            ) from None


def delta_path(place: Place) -> str:
    """Return the folder of a Delta table: that of its name, in the folder that the url names.

    >>> delta_path(Place("delta", "visits", "lake"))
    'lake/visits'
    """
    return "/".join([*([place.address.rstrip("/")] if place.url else []), *place.names])


def _iceberg(place: Place) -> _Streams:
    try:
        from pyiceberg.catalog import load_catalog
        from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
        from pyiceberg.table import StaticTable
    except ImportError:
        raise MissingExtraError("tables of Iceberg", "pyiceberg", "iceberg") from None
    address = place.address
    with _told(place, ValueError, TypeError, OSError, KeyError):
        if not address.startswith(CATALOG):
            if "://" not in address:
                sources.check_file(Path(address))
            return _Streams(StaticTable.from_metadata(address))
        try:
            return _Streams(load_catalog(address.removeprefix(CATALOG)).load_table(place.names))
        except (NoSuchTableError, NoSuchNamespaceError):
            raise NoTableError(f"{place}: the catalog has no such table; check its name") from None


class _Streams:
    """The rows of an Iceberg table as it is now, as a new stream for each statement that reads them."""

    def __init__(self, table: Any) -> None:
        self._scan = table.scan(snapshot_id=getattr(table.current_snapshot(), "snapshot_id", None))
        self.schema: pa.Schema = self._scan.to_arrow_batch_reader().schema

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._scan.to_arrow_batch_reader().__arrow_c_stream__(requested_schema)


@contextmanager
def _told(place: Place, *kinds: type[Exception]) -> Iterator[None]:
    """Turn what a library refuses into one sentence; its own words may have addresses with keys in them."""
    try:
        yield
    except InputError:
        raise
    except kinds as problem:
        name = type(problem).__name__
        raise InputError(
            f"{place} cannot be read ({name}); open it with its own package to see why, or write it "
            "without the features that this package does not read (deletion vectors, for one)"
        ) from None
