"""The mapping tables of a treatment, as Arrow tables that any engine can load."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.sql.release_statement import (
    BLANKED,
    CLASSES,
    COMBINATIONS,
    DELETED,
    HOMES,
    MAPPING,
    QUOTAS,
    ReleaseShape,
)
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Label
from shoal.recode.treatment import Treatment

if TYPE_CHECKING:
    import pyarrow as pa


def mapping_tables(
    treatment: Treatment, tally: Tally, shape: ReleaseShape, maps: dict[str, dict[Label, Label]] | None
) -> dict[str, pa.Table]:
    """Return the tables that the release statement joins, by name.

    `maps` gives each attribute's released labels by value; None if the labels go by groups.
    """
    import pyarrow as pa

    def texts(values: Iterable[Label]) -> pa.Array:
        return pa.array(list(values), pa.string())

    def numbers(values: Iterable[int]) -> pa.Array:
        return pa.array(list(values), pa.int64())

    tables: dict[str, pa.Table] = {}
    classes, width = treatment.labels, len(tally.attributes)
    if maps is None:
        keys = np.arange(len(classes), dtype=np.int64)[:, None]
        for a, domain in enumerate(tally.domains):
            codes = numbers(range(len(domain)))
            tables[MAPPING.format(a)] = pa.table({"value": texts(domain), "code": codes})
        combinations = {f"k{a}": tally.codes[:, a] for a in range(width)}
        tables[COMBINATIONS] = pa.table({**combinations, "class": treatment.classes})
        named = {f"label{a}": texts(labels[a] for labels in classes) for a in range(width)}
        tables[CLASSES] = pa.table({"class": keys[:, 0], **named})
    else:
        keys = np.empty((len(classes), width), dtype=np.int64)
        for a, name in enumerate(tally.attributes):
            shown = maps[name].values()
            place = {label: i for i, label in enumerate(dict.fromkeys(shown))}
            keys[:, a] = [place[labels[a]] for labels in classes]
            codes = numbers(place[label] for label in shown)
            columns = {"value": texts(maps[name]), "code": codes, "label": texts(shown)}
            tables[MAPPING.format(a)] = pa.table(columns)

    def keyed(classes: list[int], **more: Any) -> pa.Table:
        columns = {key: keys[classes, i] for i, key in enumerate(shape.keys)}
        return pa.table({**columns, **more})

    if shape.household is not None:
        tables[HOMES] = pa.table({"value": texts(treatment.homes)})
    if treatment.deleted:
        tables[DELETED] = keyed(sorted(treatment.deleted))
    if treatment.quotas:
        quotas = treatment.quotas
        tables[QUOTAS] = keyed(
            [quota.class_ for quota in quotas],
            **{
                f"value{i}": texts(quota.values[i] for quota in quotas)
                for i in range(len(treatment.sensitive))
            },
            rows=numbers(quota.rows for quota in quotas),
            favoured=texts(quota.favoured for quota in quotas),
        )
    for i, marks in enumerate(treatment.blanked.values()):
        pairs = [(c, value) for c, values in marks for value in (values or (None,))]
        extra = {} if marks[0][1] is None else {"value": texts(value for _, value in pairs)}
        tables[BLANKED.format(i)] = keyed([c for c, _ in pairs], **extra)
    return tables
