"""Where Spark writes released rows: beside the target, verified there, and then moved into place.

A killed process leaves `.NAME.shoal-...` beside a folder, or a table `shoal_staged_...`.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from shoal.data.engines.spark.engine import SparkEngine
from shoal.data.engines.spark.reading import is_path, quoted, read_parquet, read_place
from shoal.data.engines.spark.session import is_remote, told
from shoal.describe import Place
from shoal.documents.whole.journal import THERE
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.data.engines.spark.folder import Folder


def target_of(engine: SparkEngine, target: str) -> Target:
    """Return the target that a text names: a path, or a table's name."""
    place = Place("spark", target) if engine.place is None else engine.place.at(target)
    if not is_path(target):
        return TableTarget(engine, place)
    if is_remote(engine.session):
        return RemoteFolderTarget(engine, place)
    return FolderTarget(engine, place)


class Target(ABC):
    """A place for new rows; each kind writes them in its own way."""

    def __init__(self, engine: SparkEngine, place: Place) -> None:
        self._engine = engine
        self._session = engine.session
        self._place = place

    def _check_other(self) -> None:
        """Refuse to overwrite the rows that are released."""
        from pyspark.errors import AnalysisException

        try:
            older = set(read_place(self._session, self._place).inputFiles())
        except AnalysisException:  # there is nothing to read
            return
        if older & set(self._engine.raw.inputFiles()):
            raise self._refuse("is the table that is released; choose another name")

    def _refuse(self, what: str) -> InputError:
        return InputError(what, file=str(self._place))

    def _told(self) -> Any:
        return told(str(self._place), self._place.address, self._session)

    @abstractmethod
    def written(self, rows: Any, replace: bool) -> AbstractContextManager[SparkEngine]:
        """Write rows and yield them; they are at the target when the block ends without an error."""


class FolderTarget(Target):
    """A folder of Parquet files, renamed through Hadoop's file system."""

    @contextmanager
    def written(self, rows: Any, replace: bool) -> Iterator[SparkEngine]:
        """Write rows to a hidden folder beside the target, yield them, and rename it."""
        from shoal.data.engines.spark.folder import Folder

        with self._told():
            folder = Folder(self._session, self._place.table)
            folder.recover()
            if folder.exists() and not replace:
                raise self._refuse(THERE)
            if strange := folder.stranger():
                raise self._refuse(f"holds {strange}, which is not Parquet; choose another path")
            self._check_other()
        try:
            with self._told():
                rows.write.parquet(folder.staged)
                made = SparkEngine.over(read_parquet(self._session, folder.staged), self._place)
            yield made
            with self._told():
                self._move(folder, replace)
        finally:
            with suppress(Exception):
                folder.drop_staged()

    def _move(self, folder: Folder, replace: bool) -> None:
        if folder.exists() and not replace:
            raise self._refuse(THERE)
        folder.move_in()
        self._session.catalog.refreshByPath(self._place.table)


class RemoteFolderTarget(Target):
    """A folder of Parquet files behind Spark Connect, which cannot rename anything.

    So the executors keep the rows, which are verified and then written to a new folder.
    """

    @contextmanager
    def written(self, rows: Any, replace: bool) -> Iterator[SparkEngine]:
        """Yield the rows, and write them when the block ends without an error."""
        if replace:
            raise self._refuse("Spark Connect cannot replace folders in one step; name a new one")
        if self._exists():
            raise self._refuse(THERE)
        with self._told():
            kept = rows.localCheckpoint(eager=True)
            made = SparkEngine.over(kept, self._place)
        yield made
        with self._told():
            kept.write.parquet(self._place.table)

    def _exists(self) -> bool:
        from pyspark.errors import AnalysisException

        try:
            with_columns = self._session.read.parquet(self._place.table)
            return bool(with_columns.columns)
        except AnalysisException as problem:
            return not str(problem.getCondition()).startswith("PATH_NOT_FOUND")


class TableTarget(Target):
    """A table of the catalog, which renames tables."""

    @contextmanager
    def written(self, rows: Any, replace: bool) -> Iterator[SparkEngine]:
        """Write rows to a staging table, yield it, and rename it."""
        names = self._place.names
        staged = (*names[:-1], f"shoal_staged_{secrets.token_hex(6)}")
        before = (*names[:-1], f"shoal_staged_before_{names[-1]}")
        with self._told():
            if self._exists(before) and not self._exists(names):
                self._rename(before, names)  # an earlier run was killed between two renames
            if self._exists(names):
                if not replace:
                    raise self._refuse(THERE)
                kind = self._session.catalog.getTable(quoted(names)).tableType
                if kind not in {"MANAGED", "EXTERNAL"}:
                    raise self._refuse("is a view, which is not replaced; choose another name")
            self._check_other()
        try:
            with self._told():
                rows.write.saveAsTable(quoted(staged))
                made = SparkEngine.over(self._session.table(quoted(staged)), self._place)
            yield made
            with self._told():
                self._move(staged, names, before, replace)
        finally:
            with suppress(Exception):
                self._drop(staged)

    def _move(
        self, staged: tuple[str, ...], names: tuple[str, ...], before: tuple[str, ...], replace: bool
    ) -> None:
        if not self._exists(names):
            self._rename(staged, names)
            return
        if not replace:
            raise self._refuse(THERE)
        self._drop(before)
        self._rename(names, before)
        try:
            self._rename(staged, names)
        except BaseException:
            self._rename(before, names)
            raise
        self._drop(before)

    def _exists(self, names: tuple[str, ...]) -> bool:
        return bool(self._session.catalog.tableExists(quoted(names)))

    def _rename(self, names: tuple[str, ...], new: tuple[str, ...]) -> None:
        # The new name is in the same catalog.
        self._session.sql(f"ALTER TABLE {quoted(names)} RENAME TO {quoted(new[-2:])}")

    def _drop(self, names: tuple[str, ...]) -> None:
        self._session.sql(f"DROP TABLE IF EXISTS {quoted(names)}")
