"""Writes a release with its papers: everything is made beside its place, verified, and then moved in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.answers.kept_groups import SUFFIX, groups_beside, kept_apart
from shoal.assess.audit import AuditWarning
from shoal.assess.composition.mappings import mapping_files
from shoal.data.engine import Engine
from shoal.data.files.own_files import check_apart
from shoal.data.opening import landing
from shoal.describe.places import write_place
from shoal.documents import SigningKey, text_of
from shoal.documents.digests import digest
from shoal.documents.signature import SUFFIX as SIGNED
from shoal.errors import InputError
from shoal.numbers import many
from shoal.present.codebook_text import codebook_text
from shoal.present.report.facts import certified_facts
from shoal.present.report.html import render_report
from shoal.release.papers import documents as papers
from shoal.release.papers import kept_hierarchies
from shoal.release.papers.codebook_paper import codebook_of
from shoal.release.papers.gathering import follow, gather, warnings_about
from shoal.release.papers.lineage import lineage
from shoal.release.papers.quick_attacks import quick_attacks
from shoal.release.papers.staging import Staging
from shoal.release.papers.withstood import withstand
from shoal.release.release import Release
from shoal.verification.bucket_check import second_suffix
from shoal.verification.table_check import rows_fingerprint
from shoal.verification.verdict import Verdict


@dataclass(frozen=True, repr=False)
class Published:
    """A release that is written and verified: where it is, and what was measured on it."""

    path: Path
    verdict: Verdict
    certificate: Mapping[str, Any]
    record: Mapping[str, Any]
    warnings: tuple[AuditWarning, ...]

    def __repr__(self) -> str:
        warned = many(len(self.warnings), "warning")
        return f"<Published: {self.path}; {self.verdict.as_table().caption}; {warned}>"

    def _repr_html_(self) -> str:
        """Return for notebooks where it is, what is promised and measured, and what was suppressed."""
        from shoal.release.release_display import published_html

        return published_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `shoal release --json` prints."""
        return {
            "file": str(self.path),
            "certificate": self.certificate,
            "suppressed": self.record["suppressed"],
            **{name: self.record[name] for name in ("households",) if name in self.record},
            "warnings": [warning.to_dict() for warning in self.warnings],
            "lineage": self.record["lineage"],
        }


def publish(
    release: Release,
    out: str | Path,
    *,
    into: str | None = None,
    force: bool = False,
    sign: str | Path | None = None,
    progress: Callable[[float], None] | None = None,
) -> Published:
    """Write the table, its certificate, record, mappings and reports; all of it or nothing.

    With `into` the rows go to a new table of their engine. Others see it when everything is made and
    verified, and then the papers are moved in (see `Staging`). With `sign`, the file of a private key, the
    certificate's signature is written beside it.
    """
    out = Path(out)
    key = None if sign is None else SigningKey.read(sign)
    check_apart(out, release.material.specification)
    known = release.material.engine.place
    with Staging(out, force, table=into is not None, known=known) as staging, ExitStack() as unseen:
        data, table = staging.path(), None
        rows: Path | Engine = data
        if into is None:
            verdict = release.write_rows(data, progress)
            beside = release.beside(out, data)
        else:
            rows = unseen.enter_context(release.into(into, replace=force))
            verdict = release.check_landed(rows)
            beside, table = _landing(release, rows, data, out)
        sha256 = digest(data)
        if release.splits:
            staging.path(second_suffix(out))  # already written, but it has to be moved in too
        certificate = papers.certificate(release, verdict, out.name, sha256, beside)
        accepted = withstand(release, rows, verdict)
        several = follow(release, rows)
        told = None if several is None else several.to_dict()
        apart = kept_apart(release.decision)
        groups = None if apart is None else groups_beside(apart, staging.path(SUFFIX), out.name + SUFFIX)
        known_by = _hierarchies_beside(release, staging, out)
        record = papers.record(
            release, out, sha256, verdict.measured, beside, told, accepted, groups, known_by
        )
        record["lineage"] = lineage(release, out, record)
        staging.write(".certificate.json", text_of(certificate))
        if key is not None:
            signature = key.sign(text_of(certificate).encode())
            staging.write(".certificate.json" + SIGNED, text_of(signature))
        staging.write(".record.json", text_of(record))
        if release.maps is not None:
            _write_mappings(release, staging.path(".mappings"))
        warnings = warnings_about(release, rows, several)
        if key is not None and key.exposed:
            sentence = f"Others can read the private key {key.file}: chmod 600 it, or sign with another."
            warnings.append(AuditWarning("exposed-key", "warning", sentence, {}))
        attacks = quick_attacks(release, rows, verdict)
        facts = gather(release, out, sha256, verdict, warnings, beside.get("table"), several, attacks)
        staging.write(".report.html", render_report(facts, public=False))
        public = certified_facts(certificate, facts["made"])
        staging.write(".public.html", render_report(public, public=True))
        codebook = codebook_of(release, rows, out)
        staging.write(".codebook.json", text_of(codebook))
        staging.write(".codebook.md", codebook_text(codebook))
        staging.prepare(table)
        unseen.close()  # the engine lets others see the rows
        staging.move_in()
    return Published(out, verdict, certificate, record, tuple(warnings))


def _landing(
    release: Release, rows: Engine, data: Path, out: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write where a new table is; return what the papers say about it, and how it is recognized."""
    place = rows.place
    if place is None:
        raise InputError("the new table could not be found again; release to a file", file=out)
    write_place(data, place, out)
    persons = () if release.pseudonyms is None else (release.person or "",)
    mark = rows_fingerprint(rows, release.quasi, release.sensitive, persons)
    counted = dict.fromkeys([*release.quasi, *release.sensitive])
    told = landing(place, rows, mark, list(counted), out)
    return {"table": {"engine": place.engine, "name": place.table, "fingerprint": mark}}, told


def _hierarchies_beside(release: Release, staging: Staging, out: Path) -> dict[str, Any] | None:
    """Write hierarchies of many values to a file, and return what the record says of them."""
    hierarchies = papers.hierarchies_of(release)
    if not kept_hierarchies.too_many(hierarchies):
        return None
    return kept_hierarchies.hierarchies_beside(
        hierarchies, staging.path(kept_hierarchies.SUFFIX), out.name + kept_hierarchies.SUFFIX
    )


def _write_mappings(release: Release, folder: Path) -> None:
    """Write one CSV per attribute: original, released."""
    import csv

    folder.mkdir()
    maps = release.maps or {}
    for labels, file in zip(maps.values(), mapping_files(list(maps)), strict=True):
        with (folder / file).open("w", encoding="utf-8", newline="") as opened:
            writer = csv.writer(opened, lineterminator="\n")
            writer.writerow(["original", "released"])
            for value, label in labels.items():
                writer.writerow([value or "", label or ""])
