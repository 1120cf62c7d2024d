"""What the release of a workspace is still good for."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.assess.utility.indicators import Indicator
from shoal.assess.utility.measuring import utility_of_release
from shoal.errors import ChangedError
from shoal.questions.releases import UtilityQuestion
from shoal.web.server.intake import read_apart
from shoal.web.server.reader import TWO_TABLES
from shoal.web.workspace.bench import Bench
from shoal.web.workspace.questions import Document
from shoal.web.workspace.releasing import Releases
from shoal.web.workspace.state import keep_text

if TYPE_CHECKING:
    import pyarrow as pa

_TOO_MUCH = (
    "the indicators are not done within {memory} of memory and {seconds} seconds, so they were stopped; sum "
    "up more, or use the command line"
)


class Uses:
    """What the release that is there keeps, beside the study that it is of."""

    def __init__(self, bench: Bench, releases: Releases) -> None:
        self._bench, self._releases = bench, releases

    @property
    def stale(self) -> bool:
        """Whether the study is another one than the release was made of."""
        return self._releases.study_key not in (None, self._bench.state.study_key)

    def measure(
        self,
        *,
        model: Sequence[str] = (),
        indicator: str = "",
        predict: Sequence[str] = (),
        seed: int = 0,
    ) -> Document:
        """Return what `shoal utility --json` would print of the release; `indicator` is the SQL itself.

        The statements are somebody's own, so they run in a process apart, with limits on memory and time.
        """
        out = self._releases.file()
        with self._bench.lock:
            if self.stale:
                raise ChangedError(
                    "the study has changed since this release was made, so the two cannot be compared; "
                    "release again, or undo the change"
                )
            judged_by = self._bench.own_study()
        question = UtilityQuestion(
            str(out), source=None, model=tuple(model), predict=tuple(predict), seed=seed
        )

        def own(both: tuple[pa.Table, pa.Table]) -> tuple[Indicator, ...]:
            return self._run_apart(indicator, both)

        with judged_by:
            found = utility_of_release(
                judged_by.material(), question, own if indicator.strip() else None
            )
        return found.to_dict() | {"file": out.name, "sentences": list(found.sentences)}

    def _run_apart(self, sql: str, both: tuple[pa.Table, pa.Table]) -> tuple[Indicator, ...]:
        self._bench.check_room()
        folder = self._bench.folder / f"asked-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        try:
            for name, table in zip(TWO_TABLES, both, strict=True):
                _write(folder / name, table)
            given = folder / "statements.sql"
            keep_text(given, sql)
            limits = replace(self._bench.limits, read_seconds=self._bench.limits.sql_seconds)
            found = read_apart("indicators", given, folder, limits, _TOO_MUCH)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return tuple(Indicator.from_dict(one) for one in found["indicators"])


def _write(path: Path, table: pa.Table) -> None:
    import pyarrow as pa

    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
