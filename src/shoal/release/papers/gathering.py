"""Gathers what the reports show: risk, loss, samples and warnings, from the tally and the release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from shoal.answers.recoding import BucketRecoding, CutRecoding, NodeRecoding
from shoal.assess.audit import AuditWarning, Evidence, audit_release
from shoal.assess.audit.followed_persons import Followed, follow_persons
from shoal.assess.risk import Risk, worst_combinations
from shoal.assess.utility import classification, suppressed_by_subgroup, utility_of
from shoal.assess.utility.losses import with_class
from shoal.assess.utility.measuring import in_short
from shoal.data.engine import Cells
from shoal.data.engines.duckdb.engine import DuckDBEngine
from shoal.data.files import sources
from shoal.data.opening import opened
from shoal.data.sql.release_statement import is_risky
from shoal.describe.hierarchies import Label
from shoal.describe.specification import Role
from shoal.describe.table_reading import AS_WRITTEN
from shoal.errors import InputError, MissingExtraError, show
from shoal.metrics import metric_named
from shoal.release.bucket_release import AnatomyRelease
from shoal.release.papers import bucket_facts as buckets
from shoal.release.papers.risk_left import risk_after, risk_before
from shoal.release.papers.sampled_risk import sampled_risk
from shoal.release.papers.standing_out import standing_out
from shoal.release.release import Release
from shoal.verification.bucket_check import second_path
from shoal.verification.verdict import Verdict
from shoal.version import VERSION

MOST_COMBINATIONS = 1_000_000
"""With more combinations, the report omits whatever would count them again and again."""
SAMPLES = 8


def follow(release: Release, rows: Any) -> Followed | None:
    """Return whom several rows single out if pseudonyms tell whose they are."""
    if release.pseudonyms is None or release.person is None:
        return None
    with release.material.limits.kept(), opened(rows, AS_WRITTEN) as engine:
        return follow_persons(engine, release.quasi, release.person)


def warnings_about(release: Release, rows: Any, several: Followed | None = None) -> list[AuditWarning]:
    """Return what a curator should know about a release before it is published."""
    found = [] if release.spreadsheet_safe else _formulas(rows)
    if several is not None and several.several:
        found.append(several.warning())
    if isinstance(release, AnatomyRelease):
        found += buckets.warnings(release)
        if not release.spreadsheet_safe:
            found += _formulas(second_path(rows))
    if release.tally.coarse:
        levels = {name: one.level for name, one in release.tally.coarse.items()}
        named = ", ".join(f"{name} from level {level} on" for name, level in levels.items())
        sentence = f"The tally counts {named}, so nothing is said about the original rows."
        found.append(AuditWarning("coarse-tally", "note", sentence, {"levels": levels}))
    details = release.decision.details
    attributes = release.material.specification.attributes
    plain = [
        name
        for name in release.columns
        if name in attributes and not attributes[name].roles & {Role.QUASI, Role.SENSITIVE}
    ]
    return found + audit_release(
        Evidence(
            rows,
            release.decision.on_quasi().promise,
            release.quasi,
            tuple(name for name in release.sensitive if name in release.columns),
            tuple(plain),
            release.treatment.suppressed_rows,
            _untouched(release),
            bool(details.get("certified") or details.get("optimal")),
            int(details.get("top") or 1),
        )
    )


def _formulas(rows: Any) -> list[AuditWarning]:
    """Return warnings if a CSV or TSV file has cells or column names that a spreadsheet would run."""
    if not isinstance(rows, Path) or sources.ending_of(rows) not in sources.TEXT_ENDINGS:
        return []
    with closing(DuckDBEngine(rows)) as engine:
        cells, names = engine.risky_cells(), [name for name in engine.columns if is_risky(name)]
    warnings = []
    if cells:
        columns = ", ".join(f"{name} ({count:,})" for name, count in cells.items())
        sentence = (
            f"A spreadsheet would run {sum(cells.values()):,} cells as formulas, in {columns}; "
            "make the release safe for spreadsheets to disarm them."
        )
        warnings.append(AuditWarning("formulas", "warning", sentence, {"cells": cells}))
    if names:
        sentence = f"A spreadsheet would run the column name {show(names[0])} as a formula; rename it."
        warnings.append(AuditWarning("formula-names", "warning", sentence, {"columns": names}))
    return warnings


def _untouched(release: Release) -> frozenset[str]:
    """Return the quasi columns whose values are all unchanged."""
    if release.maps is None:
        return frozenset()
    return frozenset(
        name for name, labels in release.maps.items() if all(v == label for v, label in labels.items())
    )


def gather(
    release: Release,
    out: Path,
    sha256: str,
    verdict: Verdict,
    warnings: list[AuditWarning],
    table: Mapping[str, str] | None = None,
    several: Followed | None = None,
    attacks: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the facts that `report.html` shows; `table` is what the certificate says about a new table,
    and `attacks` what the quick ones found."""
    treatment, tally = release.treatment, release.tally
    specification = release.material.specification
    small = len(tally) <= MOST_COMBINATIONS
    sampled = sampled_risk(release)
    facts: dict[str, Any] = {
        "file": out.name,
        "sha256": sha256,
        "made": datetime.now(UTC).date().isoformat(),
        "version": VERSION,
        "rows": {
            "original": treatment.rows,
            "released": treatment.released_rows,
            "suppressed": treatment.suppressed_rows,
        },
        "values_suppressed": treatment.suppressed_values,
        "columns": list(release.columns),
        "roles": {
            name: sorted(role.value for role in given.roles)
            for name, given in specification.attributes.items()
        },
        "not_released": [
            name
            for name in release.material.engine.columns
            if name not in (*release.columns, *release.sensitive)
        ],
        "promise": verdict.promise.to_dict(),
        "measured": verdict.measured.to_dict(),
        "decision": _decision(release),
        "frontier": _frontier(release),
        "risk": {
            "before": None if tally.coarse else _risk(risk_before(tally)) | sampled["before"],
            "after": _risk(risk_after(release)) | sampled["after"],
        },
        "hierarchies": [
            {
                "name": name,
                "label": release.codebook.of(name).label,
                "levels": [
                    {"count": len(labels), "examples": _shown(release, name, labels[:4])}
                    for labels in release.material.hierarchies[name].labels
                ],
            }
            for name in release.quasi
        ],
        "warnings": [warning.to_dict() for warning in warnings],
        "attacks": attacks,
        "samples": None if tally.coarse else _samples(release),
    }
    if release.persons:
        facts["persons"] = {
            "original": treatment.persons,
            "released": treatment.released_persons,
            "suppressed": treatment.suppressed_persons,
            "column": None if release.pseudonyms is None else release.person,
            "pseudonyms": None if release.pseudonyms is None else release.pseudonyms.kind,
            "followed": None if several is None else several.sentence(),
        }
        if release.pseudonyms is not None:
            facts["roles"][release.person] = ["person"]
    if release.shifts:
        facts["shifted"] = release.shifts
    if table is not None:
        facts |= {"table": table["name"], "fingerprint": table["fingerprint"]}
    if isinstance(release, AnatomyRelease):
        facts["roles"][release.second.group] = ["group"]
        facts["buckets"] = buckets.facts(release, out, verdict)
    if small:
        facts |= _utility(release)
        lost = {one["metric"]: one for one in facts["losses"]}
        measure = release.decision.metric if release.decision.metric in lost else "LM"
        told = {name: lost[measure][name] for name in ("loss", "share")}
        facts["decision"] |= told | {"measure": measure}
    if small and not tally.coarse:
        cells = Cells(tally.attributes, tally.domains, tally.codes, tally.counts)
        facts["worst_combinations"] = [
            {"columns": list(one.columns), "uniques": one.uniques, "share": one.share, "k": one.smallest}
            for one in worst_combinations(cells, whose=tally.in_combinations).found[:12]
            if one.uniques
        ]
        facts |= standing_out(release)
    return facts


def _decision(release: Release) -> dict[str, Any]:
    decision, recoding = release.decision, release.decision.recoding
    document = {
        name: value for name, value in decision.details.items() if name not in ("frontier", "curves")
    }
    document |= {"scheme": decision.scheme.value, "metric": decision.metric, "seed": release.seed}
    if isinstance(recoding, BucketRecoding):
        return document | {"kind": "buckets", "sensitive": recoding.sensitive}
    if isinstance(recoding, NodeRecoding):
        return document | {"kind": "node", "node": dict(recoding.levels)}
    if isinstance(recoding, CutRecoding):
        return document | {
            "kind": "cut",
            "cut": {name: _shown(release, name, cut) for name, cut in recoding.labels.items()},
        }
    return document | {"kind": "cells" if "blanked_cells" in decision.details else "groups"}


def _frontier(release: Release) -> dict[str, Any] | None:
    details = release.decision.details
    if "curves" in details:
        return {
            "curves": details["curves"],
            "curve": details["curve"],
            "chosen_k": release.decision.promise.k,
        }
    points = details.get("frontier")
    if not points:
        return None
    return {
        "metric": release.decision.metric,
        # Old solutions have no shares.
        "points": [dict(zip(("k", "loss", "share"), point, strict=False)) for point in points],
        "chosen_k": release.decision.promise.k,
        "certified": release.decision.details.get("certified"),
        "suppression": release.decision.details.get("suppression"),
        "suppression_limit": release.decision.details.get("suppression_limit"),
    }


def _risk(risk: Risk) -> dict[str, Any]:
    return {
        "rows": risk.rows,
        "classes": risk.classes,
        "uniques": risk.uniques,
        "k": risk.k,
        "prosecutor_highest": risk.prosecutor.highest,
        "prosecutor_average": risk.prosecutor.average,
        "journalist_highest": risk.journalist.highest,
        "journalist_average": risk.journalist.average,
        "marketer": risk.marketer,
        "at_risk": {str(above.threshold): above.share for above in risk.prosecutor.above},
        "histogram": [
            {"from": size.lowest, "to": size.highest, "classes": size.classes, "rows": size.rows}
            for size in risk.sizes
        ],
    }


def _shown(release: Release, column: str, values: Iterable[Label]) -> list[Label]:
    """Return values as people read them: with their labels."""
    variable = release.codebook.of(column)
    return [None if value is None else variable.shown(value) for value in values]


def _samples(release: Release) -> dict[str, Any]:
    """Return some combinations, chosen by the seed, before and after."""
    treatment, tally = release.treatment, release.tally
    kept = np.flatnonzero(~np.isin(treatment.classes, sorted(treatment.deleted)))
    chosen = np.random.default_rng(release.seed).permutation(kept)[:SAMPLES].tolist()

    def by_name(values: Iterable[Label]) -> list[Label]:
        cells = zip(tally.attributes, values, strict=True)
        return [_shown(release, name, [value])[0] for name, value in cells]

    return {
        "columns": list(tally.attributes),
        "before": [
            by_name(tally.domains[a][code] for a, code in enumerate(tally.codes[i])) for i in chosen
        ],
        "after": [by_name(treatment.labels[treatment.classes[i]]) for i in chosen],
    }


def _utility(release: Release) -> dict[str, Any]:
    """Return losses by metric and by attribute, who is suppressed, and what can be learnt."""
    treatment, decision = release.treatment, release.decision
    tally, class_column = with_class(release.material, release.tally)
    hierarchies = release.material.hierarchies
    utility = utility_of(release.material, decision.recoding, treatment, tally)
    attributes = []
    for a, name in enumerate(tally.attributes):
        labels = sorted(
            {shown[a] or "" for c, shown in enumerate(treatment.labels) if c not in treatment.deleted}
        )
        level = decision.recoding.levels[name] if isinstance(decision.recoding, NodeRecoding) else None
        attributes.append(
            {
                "name": name,
                "loss": utility.attributes[name].released,
                "level": level,
                "height": hierarchies[name].height,
                "distinct_before": len(tally.domains[a]),
                "distinct_after": len(labels),
                "labels": _shown(release, name, labels[:12]),
            }
        )
    subgroups = () if tally.coarse else suppressed_by_subgroup(treatment, tally, 12, class_column)
    facts: dict[str, Any] = {
        "losses": [
            {"metric": name, "title": metric_named(name).title} | loss.to_dict()
            for name, loss in utility.losses.items()
        ],
        "attributes": attributes,
        "subgroups": [
            {
                "attribute": group.attribute,
                "value": _shown(release, group.attribute, [group.value])[0],
                "rows": group.rows,
                "suppressed": round(group.deleted + group.drawn),
            }
            for group in subgroups
            if group.share > 0
        ],
    }
    kept = in_short(release.material, decision.on_quasi(), treatment, release.tally)
    if kept is not None:
        facts["use"] = {
            **kept.headline.to_dict(),
            "columns": [one.to_dict() for one in kept.columns if one.quasi],
        }
    if class_column is not None and not tally.coarse:
        try:
            learnt = classification(treatment, tally, class_column)
        except (MissingExtraError, InputError):
            # Too few rows, or nothing to learn from: the report does without.
            return facts
        facts["classification"] = {
            "original_error": learnt.original,
            "released_error": learnt.released,
            "baseline_error": learnt.majority,
            "rows": learnt.tested,
        }
    return facts
