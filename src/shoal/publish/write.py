"""Writes a release with its papers: everything is made beside, verified, and then moved in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.audit import AuditWarning
from shoal.bucket_check import second_suffix
from shoal.diff.mappings import mapping_files
from shoal.digests import digest
from shoal.publish.facts import gather, warnings_about
from shoal.release import papers
from shoal.release.release import Release
from shoal.release.staging import Staging
from shoal.report.html import render_report
from shoal.verify import Verdict


@dataclass(frozen=True)
class Published:
    """A release that is written and verified: where it lies and what was measured on it."""

    path: Path
    verdict: Verdict
    certificate: Mapping[str, Any]
    record: Mapping[str, Any]
    warnings: tuple[AuditWarning, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal release --json` prints."""
        return {
            "file": str(self.path),
            "certificate": self.certificate,
            "suppressed": self.record["suppressed"],
            "warnings": [warning.to_dict() for warning in self.warnings],
        }


def publish(
    release: Release,
    out: str | Path,
    *,
    force: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Published:
    """Write the table, its certificate, record, mappings and reports; all of it or nothing."""
    out = Path(out)
    with Staging(out, force) as staging:
        data = staging.path()
        verdict = release.write_rows(data, progress)
        sha256 = digest(data)
        beside = release.beside(out, data)
        if release.splits:
            staging.path(second_suffix(out))  # it is written already, and is to be moved in too
        certificate = papers.certificate(release, verdict.measured, out.name, sha256, beside)
        record = papers.record(release, out, sha256, verdict.measured, beside)
        _write_json(staging.path(".certificate.json"), certificate)
        _write_json(staging.path(".record.json"), record)
        if release.maps is not None:
            _write_mappings(release, staging.path(".mappings"))
        warnings = warnings_about(release, data)
        facts = gather(release, out, sha256, verdict, warnings)
        _write_page(staging.path(".report.html"), facts, public=False)
        _write_page(staging.path(".public.html"), facts, public=True)
        staging.move_in()
    return Published(out, verdict, certificate, record, tuple(warnings))


def _write_json(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _write_page(path: Path, facts: Mapping[str, Any], *, public: bool) -> None:
    path.write_text(render_report(facts, public=public), encoding="utf-8")


def _write_mappings(release: Release, folder: Path) -> None:
    """Write one CSV an attribute: original, released."""
    import csv

    folder.mkdir()
    maps = release.maps or {}
    for labels, file in zip(maps.values(), mapping_files(list(maps)), strict=True):
        with (folder / file).open("w", encoding="utf-8", newline="") as opened:
            writer = csv.writer(opened, lineterminator="\n")
            writer.writerow(["original", "released"])
            for value, label in labels.items():
                writer.writerow([value or "", label or ""])
