"""The text of the study file and of the hierarchy files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.demo.diagnoses import diagnosis_hierarchy
from shoal.demo.occupations import occupation_hierarchy
from shoal.demo.patients import sex_hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterable

_STUDY = """\
# A study of made-up hospital stays: no person, place or hospital in it is real.
# It says what each column is, so that Shoal knows what to hide, what to blur, what to keep.
# All paths are relative to this file.

table: TABLE          # one row per stay; an empty field is a missing value

attributes:
  # Identifying: these point straight at a person, so they are never released.
  record-number:  {role: identifying}
  name:           {role: identifying}
  birth-date:     {role: identifying}    # age is released instead

  # Quasi: harmless one by one, but together they can single a person out.
  # A hierarchy says how a value is made coarser, step by step, up to "*" (anything).
  # Ages become spans of 5, 10, 20 and then 40 years, counted from 0:
  age:            {role: quasi, hierarchy: {intervals: {origin: 0, widths: [5, 10, 20, 40]}}}
  # A file lists every value with its groups, one value to a line, the finest on the left:
  sex:            {role: quasi, hierarchy: hierarchies/sex.csv}
  # Zip codes lose one digit at a time, from the right:
  zip:            {role: quasi, hierarchy: {mask: {digits: 5}}}
  occupation:     {role: quasi, hierarchy: hierarchies/occupation.csv}
  # Dates become months, quarters and years:
  admission-date: {role: quasi, hierarchy: {dates: [month, quarter, year]}}

  # Sensitive: what nobody should learn about a person; its groups are the chapters.
  diagnosis:      {role: sensitive, hierarchy: hierarchies/diagnosis.csv}

  # Class: what the released table should still predict well.
  outcome:        {role: class}
"""


def study_text(table: str) -> str:
    """The study file for the table of this file name.

    >>> "table: hospital.csv " in study_text("hospital.csv")
    True
    """
    return _STUDY.replace("TABLE", table, 1)


def hierarchy_texts() -> dict[str, str]:
    """The text of each hierarchy file, by file name.

    >>> print(hierarchy_texts()["sex.csv"], end="")
    female;*
    male;*
    other;*
    """
    return {
        "sex.csv": _lines(sex_hierarchy()),
        "occupation.csv": _lines(occupation_hierarchy()),
        "diagnosis.csv": _lines(diagnosis_hierarchy()),
    }


def _lines(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(";".join(row) + "\n" for row in rows)
