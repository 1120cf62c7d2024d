"""The occupations, their two levels of groups, and who follows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from shoal.demo.patients import Steps

# Everyone stops by 70; some stop at 60.
_WORKING: Steps = {18: 0.6, 23: 1.0, 60: 0.7, 65: 0.12, 70: 0.0}
# Jobs that need a degree start later.
_AFTER_STUDY: Steps = {23: 0.5, 30: 1.0, 60: 0.8, 65: 0.2, 70: 0.0}
_SOLDIERING: Steps = {18: 2.0, 23: 1.5, 40: 0.5, 50: 0.2, 60: 0.0}
_ON_THE_FARM: Steps = {18: 0.5, 30: 1.0, 70: 0.8, 80: 0.3, 90: 0.0}


class Occupation(NamedTuple):
    """An occupation, its place in the hierarchy, and how many women and men have it."""

    name: str
    group: str
    broad_group: str
    female: float
    male: float
    steps: Steps = _WORKING


_CARE = ("health and care", "service work")
_TRADE = ("sales and hospitality", "service work")
_SAFETY = ("public safety", "service work")
_OFFICE = ("offices", "knowledge work")
_TEACHING = ("schools and nurseries", "knowledge work")
_TECHNOLOGY = ("science and technology", "knowledge work")
_BUILDING = ("building and repair", "manual work")
_INDUSTRY = ("factories and transport", "manual work")
_LAND = ("land and animals", "manual work")
_CHILDHOOD = ("early childhood", "growing up")
_LEARNING = ("school and training", "growing up")
_PENSION = ("pension", "not in work")
_HOME = ("between jobs or at home", "not in work")

OCCUPATIONS: tuple[Occupation, ...] = (
    Occupation("nurse", *_CARE, 6.0, 1.2),
    Occupation("care assistant", *_CARE, 4.0, 0.8),
    Occupation("physician", *_CARE, 0.8, 0.8, _AFTER_STUDY),
    Occupation("shop assistant", *_TRADE, 6.0, 2.5),
    Occupation("cook", *_TRADE, 1.5, 2.0),
    Occupation("waiter", *_TRADE, 1.8, 1.0),
    Occupation("hairdresser", *_TRADE, 1.6, 0.2),
    Occupation("cleaner", *_TRADE, 4.0, 1.0),
    Occupation("police officer", *_SAFETY, 0.4, 1.2),
    Occupation("soldier", *_SAFETY, 0.1, 0.9, _SOLDIERING),
    Occupation("office clerk", *_OFFICE, 9.0, 3.5),
    Occupation("accountant", *_OFFICE, 1.8, 1.3, _AFTER_STUDY),
    Occupation("manager", *_OFFICE, 1.5, 3.2, _AFTER_STUDY),
    Occupation("lawyer", *_OFFICE, 0.4, 0.5, _AFTER_STUDY),
    Occupation("teacher", *_TEACHING, 4.0, 1.6, _AFTER_STUDY),
    Occupation("nursery worker", *_TEACHING, 3.0, 0.2),
    Occupation("engineer", *_TECHNOLOGY, 0.8, 4.0, _AFTER_STUDY),
    Occupation("software developer", *_TECHNOLOGY, 0.7, 2.8),
    Occupation("laboratory technician", *_TECHNOLOGY, 0.9, 0.6),
    Occupation("bricklayer", *_BUILDING, 0.05, 2.8),
    Occupation("carpenter", *_BUILDING, 0.1, 1.8),
    Occupation("electrician", *_BUILDING, 0.1, 2.8),
    Occupation("car mechanic", *_BUILDING, 0.1, 2.4),
    Occupation("machine operator", *_INDUSTRY, 1.6, 5.0),
    Occupation("warehouse worker", *_INDUSTRY, 1.4, 4.0),
    Occupation("lorry driver", *_INDUSTRY, 0.2, 3.6),
    Occupation("farmer", *_LAND, 0.8, 1.6, _ON_THE_FARM),
    Occupation("gardener", *_LAND, 0.5, 1.0),
    Occupation("child", *_CHILDHOOD, 1.0, 1.0, {0: 1.0, 6: 0.0}),
    Occupation("pupil", *_LEARNING, 10.0, 9.0, {6: 1.0, 15: 0.9, 18: 0.0}),
    Occupation("apprentice", *_LEARNING, 2.5, 4.0, {15: 0.6, 18: 2.5, 23: 0.1, 30: 0.0}),
    Occupation("student", *_LEARNING, 10.0, 9.0, {18: 2.2, 23: 1.0, 30: 0.05, 40: 0.0}),
    Occupation("retired", *_PENSION, 60.0, 60.0, {60: 0.25, 65: 1.5, 70: 4.0}),
    Occupation("disability pensioner", *_PENSION, 2.0, 2.4, {18: 0.2, 40: 1.0, 60: 1.5, 65: 0.0}),
    Occupation("homemaker", *_HOME, 7.0, 0.3, {18: 0.4, 30: 1.0, 70: 1.5}),
    Occupation("job seeker", *_HOME, 3.0, 3.5, {18: 1.0, 60: 0.6, 65: 0.0}),
)


def occupation_hierarchy() -> list[tuple[str, ...]]:
    """One row per occupation: itself, its group, its broad group, the root.

    >>> occupation_hierarchy()[0]
    ('nurse', 'health and care', 'service work', '*')
    """
    return [(job.name, job.group, job.broad_group, "*") for job in OCCUPATIONS]
