"""The mapping tables of a treatment, as Arrow tables that any engine can load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.sql import release_statement
from shoal.data.sql.release_statement import ReleaseShape
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Label
from shoal.recode.treatment import Treatment

if TYPE_CHECKING:
    import pyarrow as pa


def mapping_tables(
    treatment: Treatment, tally: Tally, shape: ReleaseShape, maps: dict[str, dict[Label, Label]] | None
) -> dict[str, pa.Table]:
    """Return the tables that the release statement joins, by name.

    `maps` gives each attribute's released labels by value; None if groups have the labels.
    """
    import pyarrow as pa

    tables: dict[str, pa.Table] = {}
    if maps is None:
        keys = np.arange(len(treatment.labels), dtype=np.int64)[:, None]
        for a in range(len(tally.attributes)):
            domain = tally.domains[a]
            tables[release_statement.MAPPING.format(a)] = pa.table(
                {
                    "value": pa.array(domain, pa.string()),
                    "code": pa.array(range(len(domain)), pa.int64()),
                }
            )
        tables[release_statement.COMBINATIONS] = pa.table(
            {
                **{f"k{a}": tally.codes[:, a] for a in range(len(tally.attributes))},
                "class": treatment.classes,
            }
        )
        named = {
            f"label{a}": pa.array([labels[a] for labels in treatment.labels], pa.string())
            for a in range(len(tally.attributes))
        }
        tables[release_statement.CLASSES] = pa.table({"class": keys[:, 0], **named})
    else:
        keys = np.empty((len(treatment.labels), len(tally.attributes)), dtype=np.int64)
        for a, name in enumerate(tally.attributes):
            place = {label: i for i, label in enumerate(dict.fromkeys(maps[name].values()))}
            keys[:, a] = [place[labels[a]] for labels in treatment.labels]
            shown = list(maps[name].values())
            tables[release_statement.MAPPING.format(a)] = pa.table(
                {
                    "value": pa.array(list(maps[name]), pa.string()),
                    "code": pa.array([place[label] for label in shown], pa.int64()),
                    "label": pa.array(shown, pa.string()),
                }
            )

    def keyed(classes: list[int], **more: Any) -> pa.Table:
        columns = {key: keys[classes, i] for i, key in enumerate(shape.keys)}
        return pa.table({**columns, **more})

    if treatment.deleted:
        tables[release_statement.DELETED] = keyed(sorted(treatment.deleted))
    if treatment.quotas:
        quotas = treatment.quotas
        tables[release_statement.QUOTAS] = keyed(
            [quota.class_ for quota in quotas],
            **{
                f"value{i}": pa.array([quota.values[i] for quota in quotas], pa.string())
                for i in range(len(treatment.sensitive))
            },
            rows=pa.array([quota.rows for quota in quotas], pa.int64()),
            favoured=pa.array([quota.favoured for quota in quotas], pa.string()),
        )
    for i, marks in enumerate(treatment.blanked.values()):
        pairs = [(c, value) for c, values in marks for value in (values or (None,))]
        extra = {}
        if marks[0][1] is not None:
            extra["value"] = pa.array([value for _, value in pairs], pa.string())
        tables[release_statement.BLANKED.format(i)] = keyed([c for c, _ in pairs], **extra)
    return tables
