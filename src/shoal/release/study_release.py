"""The release of a study: rows as the kind of table that went in, and files with their papers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.files.sources import like
from shoal.release.bucket_release import AnatomyRelease
from shoal.release.papers import documents as papers
from shoal.release.release import Release

if TYPE_CHECKING:
    from shoal.release.papers.publish import Published


class StudyRelease(Release):
    """A release of a study; rows come back as the kind of table that went in."""

    def __repr__(self) -> str:
        promise = ", ".join(f"{name} {value}" for name, value in self.decision.promise.to_dict().items())
        return f"<{type(self).__name__} of {self.material.engine.name}: promises {promise}>"

    def _repr_html_(self) -> str:
        """Return for notebooks what is promised, suppressed and done to the columns."""
        from shoal.release.release_display import release_html

        return release_html(self)

    def frame(self) -> Any:
        """Return the released rows, verified: a pandas, Polars, Arrow, Spark or DuckDB frame."""
        return like(self.material.specification.table, self.table())

    @property
    def certificate(self) -> dict[str, Any]:
        """What is promised, and what was measured on the released rows."""
        verdict = self.verified_table()[1]
        return papers.certificate(self, verdict, None, None, self.beside(None, None))

    def write(
        self,
        path: str | Path,
        *,
        into: str | None = None,
        force: bool = False,
        sign: str | Path | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Published:
        """Write the table with its papers and reports, all or nothing.

        With `into` the rows go to a new table of that name in the engine that holds the study's table, and
        the file (YAML) says where it is. `sign` is the file of a private key (Ed25519): the certificate's
        signature is then written beside it.
        """
        # Reports and audit are loaded when something is released, not at every start.
        from shoal.release.papers.publish import publish

        with self.material.limits.kept():
            return publish(self, path, into=into, force=force, sign=sign, progress=progress)


class StudyAnatomy(AnatomyRelease, StudyRelease):
    """A release of a study in two tables; `table` and `frame` give the first of them."""

    def frames(self) -> tuple[Any, Any]:
        """Return both tables, verified, as the kind of table that went in."""
        first, second = self.tables()
        given = self.material.specification.table
        return like(given, first), like(given, second)
