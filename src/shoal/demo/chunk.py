"""The rows themselves, a chunk at a time, as Arrow record batches."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.demo import days
from shoal.demo.choice import Choice, uniforms
from shoal.demo.diagnoses import DIAGNOSES, OUTCOMES, outcome_weights
from shoal.demo.occupations import OCCUPATIONS
from shoal.demo.patients import (
    BANDS,
    FEMALE_PATIENTS,
    MALE_PATIENTS,
    OLDEST,
    SEXES,
    SHARES,
    by_band,
    zip_codes,
)
from shoal.demo.person_names import FEMALE_NAMES, MALE_NAMES, SURNAMES, name_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.demo.diagnoses import Diagnosis
    from shoal.demo.occupations import Occupation

# Chunk i has the same rows in every table, however many rows are asked for.
CHUNK_ROWS = 1 << 18

MISSING_ZIP = 0.005
MISSING_OCCUPATION = 0.010

_making = Lock()

# The distributions know three sexes: female, male, and either (other or missing).
_EITHER = 2

SCHEMA = pa.schema(
    [
        ("record-number", pa.string()),
        ("name", pa.dictionary(pa.int32(), pa.string())),
        ("birth-date", pa.dictionary(pa.int32(), pa.string())),
        ("age", pa.int16()),
        ("sex", pa.dictionary(pa.int8(), pa.string())),
        ("zip", pa.dictionary(pa.int16(), pa.string())),
        ("occupation", pa.dictionary(pa.int8(), pa.string())),
        ("admission-date", pa.dictionary(pa.int16(), pa.string())),
        ("diagnosis", pa.dictionary(pa.int8(), pa.string())),
        ("outcome", pa.dictionary(pa.int8(), pa.string())),
    ]
)


def chunks(rows: int, seed: int) -> Iterator[pa.RecordBatch]:
    """The table in order, in batches of `CHUNK_ROWS` rows; the last may be shorter."""
    for number, start in enumerate(range(0, rows, CHUNK_ROWS)):
        yield chunk(seed, number, min(CHUNK_ROWS, rows - start))


def chunk(seed: int, number: int, rows: int) -> pa.RecordBatch:
    """The first `rows` rows of chunk `number`."""
    model = _model()
    (
        u_day, u_sex, u_age, u_part_of_year, u_first, u_surname,
        u_zip, u_no_zip, u_job, u_no_job, u_diagnosis, u_outcome,
    ) = uniforms(seed, number, rows, 12)  # fmt: skip

    sex = model.sex.draw(u_sex)
    group = np.minimum(sex, _EITHER)
    admitted = model.admission.draw(u_day)
    admission = admitted + model.calendar.first_admission
    # The birth is drawn as days before the admission and the age computed from both dates, so the three
    # always agree, even with leap days.
    years = model.age.draw(u_age, group) + u_part_of_year
    birth = admission - (years * days.DAYS_IN_A_YEAR).astype(np.int64)
    age = days.age_in_years(model.calendar, birth, admission)
    person = model.band_of_age[age] * (_EITHER + 1) + group
    diagnosis = model.diagnosis.draw(u_diagnosis, person)
    outcome = model.outcome.draw(u_outcome, diagnosis * len(BANDS) + model.band_of_age[age])
    first = model.first_name.draw(u_first, group)
    surname = model.surname.draw(u_surname)
    columns = {
        "record-number": _record_numbers(number * CHUNK_ROWS + 1, rows),
        "name": _encoded("name", first * len(SURNAMES) + surname),
        "birth-date": _encoded("birth-date", birth),
        "age": pa.array(age.astype(np.int16)),
        "sex": _encoded("sex", sex, missing=sex == len(SEXES)),
        "zip": _encoded("zip", model.zip.draw(u_zip), missing=u_no_zip < MISSING_ZIP),
        "occupation": _encoded(
            "occupation", model.job.draw(u_job, person), missing=u_no_job < MISSING_OCCUPATION
        ),
        "admission-date": _encoded("admission-date", admitted),
        "diagnosis": _encoded("diagnosis", diagnosis),
        "outcome": _encoded("outcome", outcome),
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _record_numbers(first: int, rows: int) -> pa.Array:
    """R00000001 and so on; wider from R100000000."""
    digits = pc.cast(pa.array(np.arange(first, first + rows)), pa.string())
    return pc.binary_join_element_wise("R", pc.utf8_lpad(digits, 8, "0"), "")


def _encoded(
    column: str, codes: NDArray[np.int64], missing: NDArray[np.bool_] | None = None
) -> pa.DictionaryArray:
    """The column's words by number, null where `missing`."""
    index_type = SCHEMA.field(column).type.index_type
    # A missing sex has a number beyond the dictionary; null or not, it must be in range.
    if missing is not None:
        codes = np.where(missing, 0, codes)
    indices = pa.array(codes.astype(f"int{index_type.bit_width}"), mask=missing)
    return pa.DictionaryArray.from_arrays(indices, _model().words[column])


class _Model(NamedTuple):
    """Every distribution and every list of words, built once."""

    calendar: days.Calendar
    admission: Choice
    sex: Choice
    age: Choice
    band_of_age: NDArray[np.int64]
    first_name: Choice
    surname: Choice
    zip: Choice
    job: Choice
    diagnosis: Choice
    outcome: Choice
    words: dict[str, Any]


def _model() -> _Model:
    """Return the model; of several threads that need it, one builds it and the others wait."""
    with _making:
        return _made()


@cache
def _made() -> _Model:
    calendar = days.calendar()
    zips = zip_codes()
    ages = np.arange(OLDEST + 3)
    return _Model(
        calendar=calendar,
        admission=Choice([days.admission_weights()]),
        sex=Choice([SHARES]),
        age=Choice(_age_weights()),
        band_of_age=np.searchsorted(BANDS, ages, side="right") - 1,
        first_name=Choice(_first_name_weights()),
        surname=Choice([name_weights(len(SURNAMES))]),
        zip=Choice([list(zips.values())]),
        job=Choice(_person_weights(OCCUPATIONS)),
        diagnosis=Choice(_person_weights(DIAGNOSES)),
        outcome=Choice(np.concatenate([outcome_weights(each.course) for each in DIAGNOSES])),
        words={
            "name": pa.array(
                f"{first} {surname}" for first in FEMALE_NAMES + MALE_NAMES for surname in SURNAMES
            ),
            "birth-date": pa.array(calendar.iso),
            "sex": pa.array(SEXES),
            "zip": pa.array(list(zips)),
            "occupation": pa.array([job.name for job in OCCUPATIONS]),
            "admission-date": pa.array(calendar.iso[calendar.first_admission :]),
            "diagnosis": pa.array([diagnosis.name for diagnosis in DIAGNOSES]),
            "outcome": pa.array(OUTCOMES),
        },
    )


def _age_weights() -> NDArray[np.float64]:
    """For women, men and either: the share of each age in whole years."""
    ages = np.arange(OLDEST + 1)
    female, male = (
        np.interp(ages, list(points), list(points.values()))
        for points in (FEMALE_PATIENTS, MALE_PATIENTS)
    )
    return np.array([female, male, female + male])


def _first_name_weights() -> NDArray[np.float64]:
    """For women, men and either: the share of each first name, women's names first."""
    female = np.array(name_weights(len(FEMALE_NAMES)) + [0.0] * len(MALE_NAMES))
    male = np.array([0.0] * len(FEMALE_NAMES) + name_weights(len(MALE_NAMES)))
    return np.array([female, male, female + male])


def _person_weights(items: Sequence[Diagnosis | Occupation]) -> NDArray[np.float64]:
    """For each age band, and in it for women, men and either: the weight of each item.

    Either sex takes the smaller weight, so what only one sex has is never given to it.
    """
    by_sex = np.array([[each.female, each.male, min(each.female, each.male)] for each in items])
    by_age = np.array([by_band(each.steps) for each in items])
    weights: NDArray[np.float64] = by_age.T[:, np.newaxis, :] * by_sex.T[np.newaxis, :, :]
    return weights.reshape(-1, len(items))
